#include "tuner/unpredicted_arrivals.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace starling {
namespace {

// Of ranks whose mean is far below the latest of them most come early: so have powers of even steps.
constexpr double kMostUneven = 32.0;

constexpr double kNoticeable = 4.0;  // factor of latenesses

}  // namespace

bool differNoticeably(Seconds now, Seconds then, Seconds noise) {
  now = std::max(now, noise);
  then = std::max(then, noise);
  return std::max(now, then) > kNoticeable * std::min(now, then);
}

std::vector<Seconds> usualArrivals(const UnpredictedArrivals& usual, std::int32_t ranks) {
  std::vector<Seconds> arrivals(static_cast<std::size_t>(ranks));
  if (usual.latest <= Seconds{}) return arrivals;
  // From four ranks on neither is the coordinator where late ranks are named, nor the last rank: in a chain of the
  // ranks that one may be late at least cost, and would make chains look better than they are with any other.
  const std::size_t latest = arrivals.size() / 2;
  const std::size_t before = arrivals.size() > 3 ? arrivals.size() / 4 : arrivals.size() - 1;
  if (usual.before > Seconds{} && before != latest) {
    const Seconds rest = 1.0 / (ranks - 2) * ((ranks - 1) * usual.others - usual.before);
    const double uneven = std::clamp(usual.before / std::max(rest, Seconds{1e-12}) - 1.0, 0.0, kMostUneven);
    // Multiples of the golden ratio leave no two neighbours alike.
    double step = 0.0;
    for (Seconds& arrival : arrivals) {
      step += std::numbers::phi - 1.0;
      step -= std::floor(step);
      arrival = std::pow(step, uneven) * usual.before;
    }
    arrivals[before] = usual.before;
  }
  arrivals[latest] = usual.latest;
  return arrivals;
}

}  // namespace starling
