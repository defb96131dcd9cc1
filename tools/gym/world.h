// A world to learn in: who calls what, when its ranks arrive, what every algorithm takes there in truth, and how noisy
// that is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "simulator/simulator.h"
#include "tuner/key_tuner.h"
#include "tuner/signature.h"
#include "tuner/site_tracker.h"

namespace starling::gym {

enum class ArrivalKind : std::uint8_t {
  kBalanced,
  kOneLate,         // always the same rank
  kStaircase,       // four groups of ranks, one after the other, the same in every call
  kTwoSites,        // two sites of one communicator, one of which a rank is late at, and hardly so at the other
  kRandomRank,      // one rank, another in each call
  kAllRandom,       // every rank by chance, anew in each call
  kDrift,           // one rank, later and later
  kMovedRank,       // one rank, and from a call on another
  kPeriodic,        // every 50th call rank 0 is late, as after a checkpoint
  kSlowerMachine,   // balanced, and from a call on all takes longer
  kOtherAlgorithm,  // balanced, and from a call on other algorithms are fast
  // These take the place of others in every other round of all kinds:
  kBecomesLate,  // of kBalanced: from a call on one rank is late
  kLateNoMore,   // of kOneLate: from a call on nobody is
  kAlternating,  // of kPeriodic: one of two ranks in turn
};
inline constexpr int kArrivalKinds = 11;  // that take turns
const char* nameOf(ArrivalKind kind);
// Returns whether from a call on ranks arrive otherwise.
bool movesArrivals(ArrivalKind kind);

enum class NoiseKind : std::uint8_t {
  kNone,
  kNormal,
  kLogNormal,
  kCorrelated,   // a call is as slow as those around it
  kOutliers,     // 1% of calls take ten times as long
  kNeighbour,    // for a while all is slow, rows in step most of all, and from call to call
  kCoarseClock,  // stamps are multiples of a tick
  kElapsedOnly   // clocks do not compare: elapsed times are all there is
};
inline constexpr int kNoiseKinds = 8;
const char* nameOf(NoiseKind kind);

enum class ProgramKind : std::uint8_t {
  kOneKey,
  kFortyKeys,   // in turn
  kTwoSizes,    // of one size class, in turn
  kShortKeys,   // one after the other, 30 calls each
  kLateKeys,    // a second key from a call on
  kShortLives,  // a communicator lives for 20 calls, and then there is another
};
inline constexpr int kProgramKinds = 6;
const char* nameOf(ProgramKind kind);

struct Noise {
  NoiseKind kind = NoiseKind::kNone;
  double deviation = 0.0;  // of the logarithm of a time
  Seconds tick{};
};

// What calls take in truth while nothing changes.
struct Machine {
  CostModel model;
  double native_factor = 1.0;            // native takes so many times what the best of the common algorithms does
  std::array<double, 32> row_factors{};  // by algorithm: of what is simulated
};

struct WorldKey {
  LocalSite line = 0;
  Signature signature;
};

struct WorldCall {
  std::int32_t key = 0;
  std::int32_t pattern = 0;  // of the world's
  std::int32_t machine = 0;  // likewise
  std::int32_t communicator = 0;
  double noise = 1.0;          // by which the call takes longer than in truth
  double noise_in_step = 1.0;  // likewise, with an algorithm whose ranks keep in step
  double warm_up = 1.0;        // likewise, because connections are new
};

struct World {
  std::uint64_t seed = 0;
  ArrivalKind arrivals = ArrivalKind::kBalanced;
  ProgramKind program = ProgramKind::kOneKey;
  Noise noise;
  std::int32_t ranks = 2;
  CostModel belief;  // what was probed
  std::vector<Machine> machines;
  std::vector<WorldKey> keys;
  std::vector<std::vector<Seconds>> patterns;  // latenesses by rank
  std::vector<WorldCall> calls;
  std::int32_t change = 0;  // the first call after something has changed for good; 0: nothing does
  double first_call = 1.0;  // the first call of a choice, as it is arranged, takes so many times as long

  std::string describe() const;
};

// Of a world of its own for each seed; equal seeds make equal worlds. Kinds take turns, so that each comes with each:
// all in 968 worlds. REQUIRES: 10 calls or more.
World makeWorld(std::uint64_t seed, std::int32_t calls = 1000);

}  // namespace starling::gym
