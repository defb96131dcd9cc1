#include "mpi/preparation_times.h"

#include <bit>
#include <cstddef>

namespace starling {
namespace {

constexpr double kTimesPreparation = 6.0;
constexpr double kWeightOfLatest = 0.25;

std::size_t sizeClass(int ranks) {
  return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1))) - 1;
}

}  // namespace

void PreparationTimes::note(int ranks, Seconds took, Seconds once) {
  const std::lock_guard lock(mutex_);
  in_all_ += took;
  const Seconds of_each = took - once;
  std::optional<Seconds>& average = by_size_[sizeClass(ranks)];
  average = average ? *average + kWeightOfLatest * (of_each - *average) : of_each;
}

bool PreparationTimes::isWorthIt(int ranks, Seconds spent) const {
  const std::lock_guard lock(mutex_);
  const std::optional<Seconds> preparing = expected(ranks);
  return !preparing || spent >= kTimesPreparation * *preparing;
}

Seconds PreparationTimes::inAll() const {
  const std::lock_guard lock(mutex_);
  return in_all_;
}

// That of the size, else of the next larger one that is known, else of the next smaller one.
std::optional<Seconds> PreparationTimes::expected(int ranks) const {
  const std::size_t own = sizeClass(ranks);
  for (std::size_t size = own; size < by_size_.size(); ++size) {
    if (by_size_[size]) return by_size_[size];
  }
  for (std::size_t size = own; size-- > 0;) {
    if (by_size_[size]) return by_size_[size];
  }
  return std::nullopt;
}

}  // namespace starling
