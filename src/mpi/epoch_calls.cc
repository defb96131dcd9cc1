#include "mpi/epoch_calls.h"

#include <algorithm>

#include "tuner/epoch_messages.h"

namespace starling {

void EpochCalls::reserve() {
  stamps_.reserve(static_cast<std::size_t>(max_samples_));
  summaries_.reserve(static_cast<std::size_t>(max_samples_));
}

bool EpochCalls::isSampled() const {
  return stamps_.size() < static_cast<std::size_t>(max_samples_) &&
         starling::isSampled(made_, length(), max_samples_, epoch_);
}

void EpochCalls::add(EpochCall call, const std::optional<CallStamps>& stamps) {
  ++made_;
  if (stamps && stamps_.size() < static_cast<std::size_t>(max_samples_)) {
    call.sample = static_cast<std::int32_t>(stamps_.size());
    stamps_.push_back(*stamps);
  }
  open_.push_back(call);
}

std::span<const CallSummary> EpochCalls::close(const ClockModel& clock) {
  summaries_.clear();
  for (const CallStamps& stamps : stamps_) {
    const std::int64_t error_ns = std::max(clock.errorAt(stamps.arrival_ns), clock.errorAt(stamps.exit_ns));
    summaries_.emplace_back(rank_, clock.toOther(stamps.arrival_ns), clock.toOther(stamps.exit_ns), error_ns);
  }
  stamps_.clear();
  closed_.swap(open_);
  open_.clear();
  spreadUnseen();
  made_ = 0;
  ++epoch_;
  return summaries_;
}

void EpochCalls::spreadUnseen() {
  // What was not looked at was native, or went through shared memory.
  const auto is_like_them = [](const EpochCall& call) {
    const std::int32_t algorithm = call.planned.choice.algorithm;
    return (algorithm == kNativeAlgorithm || algorithm == kNodeAlgorithm) && !call.planned.exploration;
  };
  const auto calls = static_cast<std::int32_t>(std::ranges::count_if(closed_, is_like_them));
  if (calls == 0) return;
  std::int32_t index = 0;
  for (EpochCall& call : closed_) {
    if (!is_like_them(call)) continue;
    call.calls += unseen_ / calls + (index < unseen_ % calls ? 1 : 0);
    ++index;
  }
  unseen_ = 0;
}

}  // namespace starling
