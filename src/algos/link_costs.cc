#include "algos/link_costs.h"

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

std::int64_t transferNs(const LinkCosts& costs, std::int64_t bytes) {
  return costs.alpha_ns + bytes * costs.beta_ps / kPicosecondsPerNanosecond;
}

std::int64_t mergeNs(const LinkCosts& costs, std::int64_t bytes) {
  return transferNs(costs, bytes) + bytes * costs.gamma_ps / kPicosecondsPerNanosecond;
}

std::int64_t bestSegments(const LinkCosts& costs, std::int64_t bytes, std::int64_t others) {
  const std::int64_t on_the_wire = transferNs(costs, bytes) - costs.alpha_ns;
  const std::int64_t transfers = on_the_wire / std::max<std::int64_t>(costs.alpha_ns, 1);
  // IEEE 754 rounds roots correctly: equal operands give equal results everywhere.
  const auto best = static_cast<std::int64_t>(std::sqrt(static_cast<double>(others) * static_cast<double>(transfers)));
  return std::clamp<std::int64_t>(best, 1, std::clamp<std::int64_t>(bytes / kShortestSegment, 1, kMaxSegments));
}

}  // namespace starling
