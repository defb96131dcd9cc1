// Learns for a communicator of which there is nothing but its calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/agreement_steps.h"
#include "tuner/communicator_tuner.h"
#include "tuner/epoch_lengths.h"
#include "tuner/key_table.h"
#include "tuner/site_tracker.h"
#include "tuner/watched_call.h"

namespace starling::gym {

// Sites, keys, plans and the tuner are driven as src/mpi/epoch_loop.cc drives them, agreement messages and their delay
// included, but in one process and without MPI: what calls take is told by whoever makes them.
// THREADS: not thread-safe.
class LearningLoop {
 public:
  // `is_shape_known`: as in EpochLengths::ofFirst(); policies may tell of it, too.
  LearningLoop(std::int32_t ranks, TunerSettings settings, std::vector<PolicyRecord> policies = {},
               bool is_shape_known = false);

  // What the next call runs.
  struct NextCall {
    PlannedChoice planned;
    const KeyPlan* plan = nullptr;  // good until end(); null: the call has no plan yet
    bool is_stamped = false;
    bool is_watched = false;
    AgreementStep follows = AgreementStep::kNone;  // which has just begun

    // Returns whether end() is to be told what the call took.
    bool isTimed() const { return is_stamped || is_watched; }
  };
  // Begins a call of the site `line`. REQUIRES: the call before has ended.
  NextCall begin(LocalSite line, const Signature& signature, bool tunable = true);
  // Ends it. REQUIRES: `seen` has the stamps of all ranks where the call is timed.
  void end(const std::optional<CallSummary>& seen);

  CommunicatorTuner& tuner() { return tuner_; }
  const KeyTable& keys() const { return keys_; }
  // Returns the key of the latest calls of the site `line`; empty: it has none yet.
  std::optional<std::int32_t> latestKeyOf(LocalSite line) const;
  std::int32_t ranks() const { return ranks_; }
  const std::vector<std::int32_t>& epochLengths() const { return past_lengths_; }
  // Counts the updates that took force.
  std::int64_t updates() const { return updates_; }

 private:
  // It is judged when the next one has ended.
  struct Watched {
    WatchedCall call;
    std::int64_t shortest_ns = 0;
    std::int32_t last_rank = 0;
  };

  void foretell(const Signature& first);
  std::int32_t epochLength() const;
  void watch(const std::optional<CallSummary>& seen);
  void goOnAgreeing();
  bool isDue() const;
  void endEpoch();
  void decide();
  void learnLength();
  void applyDecisions();
  void takeEpoch();
  void introduce(const Key& key, const SiteTracker::Call& call, bool tunable);

  std::int32_t ranks_;
  std::int32_t samples_per_epoch_;
  std::vector<PolicyRecord> policies_;
  CommunicatorTuner tuner_;
  SiteTracker tracker_;
  KeyTable keys_;
  std::optional<Watched> watched_;
  bool is_watched_ = false;  // the running call is
  bool may_foretell_;        // the first call is still to come
  std::int32_t epoch_length_;
  EpochLengths lengths_;
  std::int64_t epoch_ = 0;
  std::int64_t updates_ = 0;
  std::int32_t largest_class_ = KeyTable::kMostReservedClass;  // of calls for which the ranks have memory
  enum class Agreement : std::uint8_t { kNone, kStarted, kDecided, kKnown };
  Agreement agreement_ = Agreement::kNone;            // on the closed epoch
  AgreementStep latest_step_ = AgreementStep::kNone;  // since the latest call
  std::vector<std::byte> buffer_;
  std::vector<EpochCall> open_, closed_;
  std::vector<CallSummary> open_samples_, closed_samples_;
  std::vector<std::int32_t> past_lengths_;
};

}  // namespace starling::gym
