// A communicator's tuner whose epochs are made up by hand.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "call_summaries.h"
#include "simulated_communicator.h"
#include "tuner/communicator_tuner.h"

namespace starling {

constexpr std::int32_t kRanks = 4;
const Signature kVector = doubles(4096);

// The last rank comes 5 ms late.
inline std::vector<Seconds> lastRankLate(std::mt19937&) {
  std::vector<Seconds> lateness(kRanks);
  lateness.back() = {5e-3};
  return lateness;
}

// A tuner with `keys` keys, fed by hand.
class HandFed {
 public:
  explicit HandFed(int keys, const Options& options = {}) : tuner_(settingsOf(options), kRanks) {
    for (int key = 0; key < keys; ++key) {
      tuner_.addKey({"world", "line" + std::to_string(key), 15, "double", "sum"}, {kRanks, 4096, true}, Bytes{8}, {},
                    true, {});
    }
  }

  void add(std::int32_t key, const PlannedChoice& planned, std::int32_t planned_key, bool stamped = true) {
    EpochCall& call = calls_.emplace_back();
    call.key = key;
    call.planned_key = planned_key;
    call.planned = planned;
    call.bytes = kVector.bytes();
    if (!stamped) return;
    call.sample = static_cast<std::int32_t>(samples_.size());
    samples_.push_back(
        gym::summaryOf(std::vector<Seconds>{{0.0}, {1e-6}, {2e-6}, {3e-6}}, std::vector(kRanks, Seconds{1e-3})));
  }

  // A stamped call, of whose ranks the last comes `late` after the others and all leave `time` later.
  void addTimed(const PlannedChoice& planned, double late, double time) {
    add(0, planned, 0);
    std::vector<Seconds> arrivals(kRanks);
    arrivals.back() = {late};
    samples_.back() = gym::summaryOf(arrivals, std::vector(kRanks, Seconds{late + time}));
  }

  void digest() {
    tuner_.digest({epoch_++, calls_, samples_});
    tuner_.closeTotals();
    calls_.clear();
    samples_.clear();
  }

  CommunicatorTuner& tuner() { return tuner_; }

 private:
  CommunicatorTuner tuner_;
  std::int64_t epoch_ = 0;
  std::vector<EpochCall> calls_;
  std::vector<CallSummary> samples_;
};

}  // namespace starling
