#include "mpi/preparation_times.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace starling {
namespace {

constexpr double kTimesPreparation = 6.0;
// For each doubling of the ranks. Most of it is probing links and memory, which took 6 ms for 2 ranks with a core each,
// and 15 ms for 4 ranks on 2 cores; rankings and agreements took as long again until something was settled.
constexpr Seconds kGuess{10e-3};
constexpr double kWeightOfLatest = 0.25;

// Of 1 rank 0, as of 2.
std::size_t placeOf(int ranks) {
  return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(std::max(ranks - 1, 1)))) - 1;
}

}  // namespace

void PreparationTimes::note(int ranks, Seconds took, Seconds once) {
  const std::lock_guard lock(mutex_);
  in_all_ += took;
  const Seconds of_each = took - once;
  std::optional<Seconds>& average = by_size_[placeOf(ranks)];
  average = average ? *average + kWeightOfLatest * (of_each - *average) : of_each;
}

void PreparationTimes::noteAgreeing(Seconds took) {
  const std::lock_guard lock(mutex_);
  in_all_ += took;
}

bool PreparationTimes::isWorthIt(int ranks, Seconds spent) const {
  const std::lock_guard lock(mutex_);
  return spent >= kTimesPreparation * expected(ranks);
}

Seconds PreparationTimes::inAll() const {
  const std::lock_guard lock(mutex_);
  return in_all_;
}

// The first communicator of a size has to probe its links, and takes longer than those that follow.
Seconds PreparationTimes::expected(int ranks) const {
  const std::size_t own = placeOf(ranks);
  return by_size_[own].value_or(static_cast<double>(own + 1) * kGuess);
}

}  // namespace starling
