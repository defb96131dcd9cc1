// Learns for one communicator, on its rank 0: epochs come in, plans and records go out.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "estimators/running_moments.h"
#include "store/records.h"
#include "tuner/agreement_steps.h"
#include "tuner/call_totals.h"
#include "tuner/earlier_runs.h"
#include "tuner/key_tuner.h"
#include "tuner/pending_decisions.h"
#include "tuner/pending_observations.h"
#include "tuner/recorded_ranks.h"

namespace starling {

// One call of an epoch, as all ranks know it.
struct EpochCall {
  std::int32_t key = 0;          // the key it belongs to
  std::int32_t planned_key = 0;  // the key whose plan it ran, or what was foretold; negative: none, it ran native
  PlannedChoice planned;
  std::int64_t bytes = 0;
  bool tunable = true;
  bool is_passed_over = false;  // it ran native since what was planned cannot run here
  bool on_device = false;       // this rank's buffers, or some rank's where the ranks have agreed on that
  std::int32_t sample = -1;     // index of its summary; negative: not stamped
  // This is the key of the usual calls beside `key`, which is the same if that has no special ones. As long as the site
  // is not known it is the key to which the predicted site has the call belong; negative: none.
  std::int32_t usual_key = -1;
  std::int64_t index = 0;                        // of the call among those of both
  bool follows_rest = false;                     // calls before it were not counted one by one
  AgreementStep follows = AgreementStep::kNone;  // what was begun just before it
};

// The calls of an epoch, and what was seen of those that were sampled.
struct EpochReport {
  std::int64_t epoch = 0;
  std::span<const EpochCall> calls;
  std::span<const CallSummary> samples;
};

// THREADS: not thread-safe; one per communicator. Those of several threads may share what they know
// (TunerSettings::shared), and wait for each other.
class CommunicatorTuner {
 public:
  CommunicatorTuner(TunerSettings settings, std::int32_t ranks);
  ~CommunicatorTuner();

  // Introduces the next key (index = number of keys so far). `policies` may hold what earlier runs learned for it.
  void addKey(const KeyId& id, const Shape& shape, Bytes element_size, KeyOrigin origin, bool tunable,
              std::span<const PolicyRecord> policies);

  // Introduces the next key as that of the special calls beside those of the key `usual`.
  void addSpecialKey(std::int32_t usual);

  // Takes what earlier runs have learned for as many ranks as what keys of other communicators run, of calls that no
  // key of such a communicator has.
  void noteEarlierRuns(std::span<const EarlierPolicy> policies);
  // Returns what is foretold to the communicator: what keys of others on such ranks run, the latest first, for
  // KeyTable::foretell(). The message may have no room for the last ones.
  Decisions foretell() const;
  // Notes that all ranks have stopped what was foretold for keys like this: it is foretold to nobody any more, until
  // some key settles on it again, and plans of such keys that were made before are stopped, too.
  void noteForetoldStop(const Key& key, const Choice& choice, Seconds shortest);

  // Notes that all ranks have stopped the key's choice: see KeyTuner::noteStop().
  void noteStop(std::int32_t key, const Choice& choice, Seconds shortest);

  // Takes what an epoch showed, but for the totals of its keys: see closeTotals(). REQUIRES: every key in it was
  // introduced.
  void digest(const EpochReport& report);

  // Returns what so many calls of the key usually take together, as those that were looked at say; 0: there is none.
  Seconds usualTimeOf(std::int32_t key, std::int64_t calls) const;
  // Adds up the calls of the epoch that was digested last. `unstamped` is how long those took that were not stamped,
  // and those at rest after them, all together, a mean over the ranks, empty: not known; `at_rest` is how long those at
  // rest usually take. Returns which share of what they usually take all these took; 1: not known.
  double closeTotals(const std::optional<Seconds>& unstamped = {}, Seconds at_rest = {});
  // Notes that the key had so many more calls of the choice in the epoch, which nobody looked at, and that they took
  // `share` of what they usually do.
  void countUnseen(std::int32_t key, const Choice& choice, std::int64_t calls, double share = 1.0);

  // Returns what is to be broadcast next. Updates beyond `limit` wait.
  Decisions decide(std::size_t limit);
  // Notes that only the first `sent` updates of the latest decide() were sent: the others come first in the next one.
  void postpone(const Decisions& decisions, std::size_t sent);
  // Notes that what was sent of the latest decide() took force on all ranks.
  void tookForce();

  // Returns what is new for the database since the last call. Decisions come key by key. However long nobody calls
  // this, what waits is bounded for each key: the oldest gives way.
  Batch drain();
  // Counts the observations, decisions and policies that wait for drain().
  std::size_t waitingRecords() const;

  // Counts the keys that the next decide() asks at most: those of which something is new, whatever others there are.
  std::size_t keysToAsk() const { return to_ask_.size(); }

  const KeyTuner& key(std::int32_t index) const { return slots_[static_cast<std::size_t>(index)]->tuner; }

 private:
  using Pending = PendingObservations::Entry;
  struct Slot {
    Slot(const TunerSettings& settings, const Shape& shape, Bytes element_size, KeyOrigin origin, bool tunable,
         const std::optional<PolicyRecord>& learned)
        : tuner(settings, shape, element_size, std::move(origin), tunable, learned) {}

    KeyTuner tuner;
    KeyRecord record;
    PendingObservations pending;
    PendingDecisions decisions;
    RecordedRanks recorded_ranks;
    CallTotals totals;
    std::int64_t latest_epoch = -1;  // in which the key was called
    std::size_t calls_in_epoch = 0;  // that it had there
    std::int32_t special = -1;       // the key of the special calls beside these; negative: there is none
    std::int32_t usual = -1;  // the key of the usual calls beside these special ones; negative: these are no such
    std::string told_choice;  // of the latest policy; empty: none was told
    std::optional<double> told_gain{};  // likewise
    bool changed = false;
    bool is_to_be_asked = false;
  };

  struct StoppedKind {
    Key key;
    Choice choice;
    Seconds shortest;
  };
  // Returns whether the key of the slot is of that kind.
  static bool isOf(const StoppedKind& kind, const Slot& slot);

  std::unique_lock<std::mutex> lock() const { return std::unique_lock(settings_.shared->mutex); }
  Slot& slot(std::int32_t index) { return *slots_[static_cast<std::size_t>(index)]; }
  const Slot& slot(std::int32_t index) const { return *slots_[static_cast<std::size_t>(index)]; }
  void digestSample(Slot& called, const EpochCall& call, const CallTimes& times);
  void observeSequence(const EpochCall& call, const Slot& learner, const CallTimes& times);
  void noteEarlierStops();
  void stopKey(std::int32_t key, const Choice& choice, Seconds shortest);
  // Makes decide() ask the key.
  void wake(std::int32_t index);
  // Does so with keys that explore calls like those of which the epoch had trials.
  void wakeAlike();
  std::optional<KeyTuner::Decision> ask(std::int32_t index, bool may_rank);
  std::int32_t unsettledKeys();
  Seconds agreementTime() const;
  std::int32_t longestEpoch() const;
  std::int32_t nextEpochLength();
  void recordDecision(Slot& slot, const KeyTuner::Decision& decision);

  // These functions are in communicator_records.cc, as drain() is.
  void tellPolicy(Slot& slot) const;
  void drainSlot(Slot& slot, Batch& batch) const;
  // Records the arrivals of the ranks that matter, and the histogram of all.
  void drainArrivals(Slot& slot, Batch& batch) const;
  PolicyRecord policyOf(const Slot& slot) const;
  // Says which calls the key has, where they are not all of its site's; empty: they are.
  std::string cycleOf(const Slot& slot) const;

  TunerSettings settings_;
  std::int32_t ranks_;
  std::vector<std::unique_ptr<Slot>> slots_;
  // Those that have waited longest come first, so that keys that keep changing do not shut out the others.
  std::deque<std::int32_t> to_ask_;
  std::vector<std::int32_t> tried_classes_;  // of sizes, of the trials of the epoch that is digested
  std::int32_t next_to_wake_ = 0;            // from here on others are looked for that a trial tells something
  std::vector<std::int32_t> in_flight_;      // keys of the latest decide()
  std::vector<PlanUpdate> postponed_;
  std::vector<StoppedKind> stopped_;  // of what was foretold
  std::vector<std::int32_t> seen_;    // keys of plans that ran in the latest epoch
  std::vector<std::int32_t> called_;  // keys of its calls
  RunningMoments elapsed_;            // seconds, of the calls of the latest epoch that were stamped
  std::int64_t epoch_ = 0;
  std::int32_t epoch_length_;
};

// So many calls lie between two agreements while something is still to be learned.
inline constexpr std::int32_t kShortEpoch = 2;
// A key that appears has a plan after so many epochs, which are to be short.
inline constexpr std::int32_t kEpochsToPlan = 2;

}  // namespace starling
