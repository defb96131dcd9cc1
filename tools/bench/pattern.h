// The arrival patterns that are imposed on the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/units.h"

namespace starling::bench {

enum class PatternKind : std::uint8_t {
  kNone,       // all on time
  kOneLate,    // one rank, by the whole delay (Proficz 2018, section 5.1)
  kAnyLate,    // one rank by the whole delay, another in each call
  kRandLate,   // every rank by a uniform part of the delay, anew for each call (Proficz 2018, section 5.1)
  kLate,       // K ranks together, by the whole delay
  kGamma,      // every rank, gamma distributed with shape 2 and the delay as mean, anew (Marendic 2012, 5.6)
  kGaussian,   // every rank, normal with the delay as mean and a quarter of it as deviation, never early, anew
  kRamp,       // rank r by r / (P - 1) of the delay
  kAlternate,  // odd ranks, by the whole delay
  kStaircase,  // four groups of ranks one after the other, the last by the whole delay: staircaseStep()
  kPhases,     // one rank, then another, then nobody, then another in each call: phasesOf()
  kRecorded    // as a tuning database recorded them: recorded_arrivals.h
};

struct Pattern {
  PatternKind kind = PatternKind::kNone;
  std::int32_t late_ranks = 1;  // how many ranks are late in kLate
  std::string database{};       // of kRecorded: a file, and the number or label of a site in it
  std::string site{};

  bool operator==(const Pattern&) const = default;
};

// Understands "none", "one-late", "any-late", "rand-late", "late:K", "gamma", "gaussian", "ramp", "alternate",
// "staircase", "phases" and "recorded:DATABASE:SITE".
Result<Pattern> parsePattern(std::string_view text);
std::string formatPattern(const Pattern& pattern);

// Returns whether every call has other latenesses.
bool isRandom(const Pattern& pattern);

// Returns the lateness by rank in one call: a pure function, equal on all ranks. The late ranks of kOneLate and kLate
// begin with rank `first_late % ranks` and go upwards, round the end. REQUIRES: neither kPhases, which has a pattern
// for each of its parts, nor kRecorded.
std::vector<Seconds> latenesses(const Pattern& pattern, std::int32_t ranks, Seconds delay, std::int32_t first_late,
                                std::uint64_t seed);

// A part of the measured calls that has a pattern of its own.
struct Phase {
  std::string name;  // who is late: "rank_1", "nobody", "any_rank"
  Pattern pattern;
  std::int32_t first_late = 0;
};

// Returns the parts of kPhases, which have equally many calls: rank `first_late % ranks` late, the rank half the
// communicator away late, nobody late, another rank late in each call. Of any other pattern: itself, without a name.
std::vector<Phase> phasesOf(const Pattern& pattern, std::int32_t ranks, std::int32_t first_late);

// Returns the index of the phase that call `call` of `calls` belongs to; calls beyond these, which are made to warm up,
// belong to the first one. REQUIRES: calls is a multiple of phases > 0.
std::size_t phaseOfCall(std::uint64_t call, std::uint64_t calls, std::size_t phases);

}  // namespace starling::bench
