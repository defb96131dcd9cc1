#include "mpi/epoch_calls.h"

#include <algorithm>

#include "tuner/epoch_messages.h"

namespace starling {

void EpochCalls::reserve() {
  stamps_.reserve(static_cast<std::size_t>(max_samples_));
  summaries_.reserve(static_cast<std::size_t>(max_samples_));
}

bool EpochCalls::isSampled(bool is_trial) const {
  const auto summarised = static_cast<std::int32_t>(stamps_.size());
  return starling::isSampled({epoch_, length(), max_samples_}, made_, summarised, is_trial);
}

void EpochCalls::add(EpochCall call, const std::optional<CallStamps>& stamps) {
  ++made_;
  if (stamps && stamps_.size() < static_cast<std::size_t>(max_samples_)) {
    call.sample = static_cast<std::int32_t>(stamps_.size());
    stamps_.push_back(*stamps);
  }
  open_.push_back(call);
}

std::span<const CallSummary> EpochCalls::close(const std::optional<ClockModel>& clock) {
  summaries_.clear();
  for (const CallStamps& stamps : stamps_) {
    if (!clock) {
      summaries_.push_back(CallSummary::ofElapsed(rank_, stamps.exit_ns - stamps.arrival_ns));
      continue;
    }
    const std::int64_t error_ns = std::max(clock->errorAt(stamps.arrival_ns), clock->errorAt(stamps.exit_ns));
    summaries_.emplace_back(rank_, clock->toOther(stamps.arrival_ns), clock->toOther(stamps.exit_ns), error_ns);
  }
  if (!summaries_.empty()) summaries_.front().noteOthers(unstamped_.take());
  stamps_.clear();
  closed_.swap(open_);
  open_.clear();
  made_ = 0;
  ++epoch_;
  return summaries_;
}

}  // namespace starling
