// A plan is what the ranks of a communicator have agreed to do for a key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "base/status.h"
#include "base/units.h"
#include "estimators/repeating_sequence.h"
#include "tuner/placement.h"
#include "tuner/signature.h"

namespace starling {

enum class KeyState : std::uint8_t { kObserving, kExploring, kSettled, kPassesThrough };
const char* keyStateName(KeyState state);  // "observing", ...

// Bounds what a call may take that is not native's. A call that takes longer than `slow_ns` on every rank is slow. The
// first kFirstCalls of a plan are looked at, after the cold ones, then one in `every`, and each after a slow one; after
// kSlowCalls slow ones in a row native runs on all ranks, until a plan comes that was made in the knowledge of it.
struct CallLimit {
  static constexpr std::int32_t kSlowCalls = 2;
  static constexpr std::int32_t kFirstCalls = 3;
  static constexpr std::int32_t kMostCold = 16;
  static constexpr double kSlowFactor = 2.0;  // what native takes, times this, is slow
  static constexpr double kShare = 0.05;      // of native's time may go into looking at calls one by one,
  static constexpr double kRarest = 32.0;     // but one in so many is always looked at
  // The messages of an agreement that goes on just before a call make it no longer than by this.
  static constexpr std::int64_t kMostDisturbanceNs = 40'000;

  std::int64_t slow_ns = 0;  // 0 = no call is looked at
  std::int32_t cold = 0;     // so many first calls find nothing in the caches, and are not looked at
  std::int32_t every = 1;
  std::int32_t known = 0;  // how often kSlowCalls had been slow when the plan was made

  // Returns the limit of calls where native takes so long, and a message `alpha`.
  static CallLimit beside(Seconds native, std::int32_t ranks, Seconds alpha);

  bool operator==(const CallLimit&) const = default;
};

// The agreed plan of one key. Trials come first: the calls of the key since the plan took force run one each. Then
// `incumbent` stays.
struct KeyPlan {
  Choice incumbent;  // native until something better is known
  std::vector<Choice> trials;
  CallLimit limit;  // of the incumbent
  KeyState state = KeyState::kObserving;
  std::vector<PlacedRank> placed;  // the virtual-rank table, and by how much ranks are predicted to be late
  // Calls that are special by this have a key, and so a plan, of their own: see KeyTable::next(). In a plan of
  // special calls there is none.
  Cycle cycle{};

  // Returns whether some rank is predicted to be late.
  bool foreseesLateRank() const {
    return std::ranges::any_of(placed, [](const PlacedRank& one) { return one.lateness_ns > 0; });
  }
};

// Tells what a call of the key runs.
struct PlannedChoice {
  Choice choice;
  bool exploration = false;
};
PlannedChoice choiceOfCall(const KeyPlan& plan, std::int64_t calls_since_plan);

// At most this many trials travel in one plan.
inline constexpr std::size_t kMaxTrials = 6;

// One message from rank 0 of the communicator to all ranks carries plans that take force together.
struct PlanUpdate {
  std::int32_t key = 0;  // index in the order in which the ranks met the keys
  KeyPlan plan;
};
struct Decisions {
  std::int32_t next_epoch_length = 0;  // calls
  std::vector<PlanUpdate> updates;
};

// A message has at least so many bytes, in which any update without placed ranks fits.
inline constexpr std::size_t kLeastDecisionBytes = 256;

// Writes the updates into `buffer` as far as they fit, and returns how many these are: one at least. Of an update that
// does not fit though it is the first, the ranks that are least late are left out.
// REQUIRES: buffer.size() >= kLeastDecisionBytes.
std::size_t encodeDecisions(const Decisions& decisions, std::span<std::byte> buffer);

// Reads what encodeDecisions() wrote, one update after another, and takes no memory but that of the update.
// THREADS: one.
class DecisionReader {
 public:
  DecisionReader(std::span<const std::byte> buffer, std::int32_t ranks) : rest_(buffer), ranks_(ranks) {}

  // Reads the header, which comes first. It is an error if the message is shorter.
  Status start();
  std::int32_t nextEpochLength() const { return next_epoch_length_; }

  // Returns how many updates are left.
  std::int32_t left() const { return left_; }
  // Reads the next one into `update`, whose vectors keep their memory. Places that are none, unknown algorithms and
  // cycles that are not sound are errors. REQUIRES: left() > 0.
  Status next(PlanUpdate& update);

 private:
  std::span<const std::byte> rest_;
  std::int32_t ranks_;
  std::int32_t next_epoch_length_ = 0;
  std::int32_t left_ = 0;
  std::int32_t read_ = 0;
};

}  // namespace starling
