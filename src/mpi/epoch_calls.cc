#include "mpi/epoch_calls.h"

#include <algorithm>

namespace starling {

void EpochCalls::reserve() {
  stamps_.reserve(static_cast<std::size_t>(max_samples_));
  summaries_.reserve(static_cast<std::size_t>(max_samples_));
}

// All calls are sampled while there are few, else one in each of max_samples_ equal stretches, at a place that changes
// from stretch to stretch, so that a program with a rhythm is not always sampled at the same beat.
bool EpochCalls::isSampled() const {
  const std::int32_t index = made_;
  if (length_ <= max_samples_) return true;
  const std::int32_t stretch = length_ / max_samples_;
  const std::int32_t number = index / stretch;
  if (number >= max_samples_) return false;
  const std::uint64_t hash = mixHash(static_cast<std::uint64_t>(epoch_), static_cast<std::uint64_t>(number));
  return index % stretch == static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(stretch));
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
  made_ = 0;
  ++epoch_;
  return summaries_;
}

}  // namespace starling
