#include "mpi/epoch_calls.h"

#include <algorithm>

namespace starling {
namespace {

// Returns by how much the time between stamps of two ranks may be wrong.
std::int64_t twoGreatestErrors(std::span<const EpochStamps> of_ranks) {
  std::int64_t greatest = 0;
  std::int64_t second = 0;
  for (const EpochStamps& of_rank : of_ranks) {
    second = std::max(second, std::min(greatest, of_rank.clock_error_ns));
    greatest = std::max(greatest, of_rank.clock_error_ns);
  }
  return greatest + second;
}

}  // namespace

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
    stamps_.arrivals_ns[static_cast<std::size_t>(samples_)] = stamps->arrival_ns;
    stamps_.exits_ns[static_cast<std::size_t>(samples_)] = stamps->exit_ns;
    call.sample = samples_++;
  }
  open_.push_back(call);
}

const EpochStamps& EpochCalls::close(const ClockModel& clock) {
  stamps_.clock_error_ns = 0;
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(samples_); ++sample) {
    for (std::int64_t* stamp : {&stamps_.arrivals_ns[sample], &stamps_.exits_ns[sample]}) {
      stamps_.clock_error_ns = std::max(stamps_.clock_error_ns, clock.errorAt(*stamp));
      *stamp = clock.toOther(*stamp);
    }
  }
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
    const auto sample = static_cast<std::size_t>(call.sample);
    const std::int64_t begin_ns = of_ranks.front().arrivals_ns[sample];
    for (const EpochStamps& of_rank : of_ranks) {
      stamps.arrivals.push_back(fromNanoseconds(of_rank.arrivals_ns[sample] - begin_ns));
      stamps.exits.push_back(fromNanoseconds(of_rank.exits_ns[sample] - begin_ns));
    }
  }
  stamps.clock_error_ns = twoGreatestErrors(of_ranks);
  return stamps;
}

}  // namespace starling
