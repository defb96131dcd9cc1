#include "tuner/epoch_pace.h"

#include <algorithm>
#include <utility>

namespace starling {
namespace {

// A call that takes longer than so many times the usual counts as such a one.
constexpr double kLongestCall = 4.0;

}  // namespace

Seconds EpochPace::meanOf(std::span<const Seconds> took) const {
  Seconds sum;
  for (const Seconds one : took) sum += std::min(one, kLongestCall * call_.value());
  return (1.0 / static_cast<double>(took.size())) * sum;
}

void EpochPace::noteCalls(std::span<const Seconds> disturbed, std::span<const Seconds> others) {
  if (others.empty()) {
    if (disturbed.empty()) return;
    std::swap(disturbed, others);  // these are all that is known of calls
  }
  for (const Seconds one : others) call_.note(one);
  mean_ = meanOf(others);
  if (!disturbed.empty()) disturbance_.note(std::max(kDisturbed * (meanOf(disturbed) - mean_), Seconds{}));
}

std::int32_t EpochPace::calls(std::int32_t least, std::int32_t longest, double share) const {
  if (mean_.value <= 0.0) return least;
  return static_cast<std::int32_t>(std::clamp<double>(cost() / (share * mean_), least, std::max(least, longest)));
}

}  // namespace starling
