// Learning for one communicator, on its rank 0: epochs in, plans and records out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/records.h"
#include "tuner/key_tuner.h"

namespace starling {

// One call of an epoch, as all ranks know it.
struct EpochCall {
  std::int32_t key = 0;          // the key it belongs to
  std::int32_t planned_key = 0;  // the key whose plan it ran; negative: none, it ran native
  PlannedChoice planned;
  std::int64_t bytes = 0;
  bool tunable = true;
  std::int32_t sample = -1;  // row of the stamps; negative: not stamped
};

// Stamps of an epoch's sampled calls: samples x ranks, row-major.
struct EpochReport {
  std::int64_t epoch = 0;
  std::span<const EpochCall> calls;
  std::span<const Seconds> arrivals;
  std::span<const Seconds> exits;
};

// THREADS: not thread-safe; one per communicator.
class CommunicatorTuner {
 public:
  CommunicatorTuner(TunerSettings settings, std::int32_t ranks);

  // Introduces the next key (index = number of keys so far). `policies` may hold what earlier runs learned for it.
  void addKey(const KeyId& id, const Shape& shape, Bytes element_size, bool tunable,
              std::span<const PolicyRecord> policies);

  // Takes what an epoch showed. REQUIRES: every key in it was introduced.
  void digest(const EpochReport& report);

  // What is to be broadcast next. Updates beyond `limit` wait.
  Decisions decide(std::size_t limit);
  // The latest decide() took force on all ranks.
  void tookForce();

  // What is new for the database since the last call.
  Batch drain();

  const KeyTuner& key(std::int32_t index) const { return slots_[static_cast<std::size_t>(index)]->tuner; }

 private:
  // Times of one choice since the last drain().
  struct Pending {
    Choice choice;
    bool exploration = false;
    std::int64_t calls = 0;
    std::vector<double> elapsed;
    std::vector<double> post_arrival;
  };
  struct Slot {
    Slot(const TunerSettings& settings, const Shape& shape, Bytes element_size, bool tunable,
         std::optional<PolicyRecord> learned)
        : tuner(settings, shape, element_size, tunable, std::move(learned)) {}

    KeyTuner tuner;
    KeyRecord record;
    std::vector<Pending> pending;
    std::vector<std::vector<double>> lateness;  // by rank, since the last drain()
    double sampled_elapsed = 0.0;               // seconds, over the whole run
    double sampled_imbalance = 0.0;
    std::int64_t samples = 0;
    bool changed = false;
  };

  Slot& slot(std::int32_t index) { return *slots_[static_cast<std::size_t>(index)]; }
  Pending& pendingOf(Slot& slot, const PlannedChoice& planned);
  void digestSample(Slot& slot, Pending& pending, const SampledCall& call);
  std::int32_t nextEpochLength();
  void recordDecision(Slot& slot, const KeyTuner::Decision& decision);
  void drainSlot(Slot& slot, Batch& batch) const;
  void drainArrivals(Slot& slot, Batch& batch) const;
  PolicyRecord policyOf(const Slot& slot) const;

  TunerSettings settings_;
  std::int32_t ranks_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t next_to_ask_ = 0;            // key that decide() begins with
  std::vector<std::int32_t> in_flight_;    // keys of the latest decide()
  std::vector<std::int32_t> seen_;         // keys called in the latest epoch
  std::vector<DecisionRecord> decisions_;  // since the last drain()
  std::vector<PolicyRecord> policies_;
  std::int64_t epoch_ = 0;
  std::int32_t epoch_length_;
};

// Calls between two agreements while something is still to be learned. Three let a key settle within 30 calls: the
// first plans take force two epochs after the first stamps, and four candidates with two calls each take three epochs.
inline constexpr std::int32_t kShortEpoch = 3;

}  // namespace starling
