#include "mpi/epoch_calls.h"

namespace starling {

// All calls are sampled while there are few, else one in each of kMaxSamples equal stretches, at a place that changes
// from stretch to stretch, so that a program with a rhythm is not always sampled at the same beat.
bool EpochCalls::isSampled() const {
  const std::int32_t index = made_;
  if (length_ <= kMaxSamples) return true;
  const std::int32_t stretch = length_ / kMaxSamples;
  const std::int32_t number = index / stretch;
  if (number >= kMaxSamples) return false;
  const std::uint64_t hash = mixHash(static_cast<std::uint64_t>(epoch_), static_cast<std::uint64_t>(number));
  return index % stretch == static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(stretch));
}

void EpochCalls::add(EpochCall call, const std::optional<CallStamps>& stamps) {
  ++made_;
  if (stamps && samples_ < kMaxSamples) {
    stamps_.arrivals[static_cast<std::size_t>(samples_)] = stamps->arrival.value;
    stamps_.exits[static_cast<std::size_t>(samples_)] = stamps->exit.value;
    call.sample = samples_++;
  }
  open_.push_back(call);
}

const EpochStamps& EpochCalls::close() {
  closed_.swap(open_);
  open_.clear();
  made_ = 0;
  samples_ = 0;
  ++epoch_;
  return stamps_;
}

EpochCalls::Stamps EpochCalls::stampsOfClosed(std::span<const EpochStamps> of_ranks) const {
  Stamps stamps;
  for (const EpochCall& call : closed_) {
    if (call.sample < 0) continue;
    for (const EpochStamps& of_rank : of_ranks) {
      stamps.arrivals.push_back({of_rank.arrivals[static_cast<std::size_t>(call.sample)]});
      stamps.exits.push_back({of_rank.exits[static_cast<std::size_t>(call.sample)]});
    }
  }
  return stamps;
}

}  // namespace starling
