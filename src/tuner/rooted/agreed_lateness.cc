#include "tuner/rooted/agreed_lateness.h"

#include <algorithm>
#include <cstdlib>

namespace starling {
namespace {

constexpr std::int64_t kLatenessNoiseDivisor = 10;  // a share of the largest lateness
// No call is planned for more than this, so that sums of latenesses and costs never overflow.
constexpr std::int64_t kLatestNs = 100'000'000'000'000;

}  // namespace

AgreedLateness::AgreedLateness(std::int32_t ranks)
    : in_force_(static_cast<std::size_t>(ranks)), newest_(static_cast<std::size_t>(ranks)) {}

bool AgreedLateness::update(std::span<const std::int64_t> stamps_ns, std::int64_t clock_error_ns) {
  const std::int64_t earliest = *std::min_element(stamps_ns.begin(), stamps_ns.end());
  std::transform(stamps_ns.begin(), stamps_ns.end(), newest_.begin(),
                 [earliest](std::int64_t stamp) { return std::min(stamp - earliest, kLatestNs); });
  const std::int64_t latest = *std::max_element(newest_.begin(), newest_.end());
  const std::int64_t noise = std::max({kNoiseFloorNs, latest / kLatenessNoiseDivisor, clock_error_ns});
  bool has_changed = false;
  for (std::size_t rank = 0; rank < newest_.size(); ++rank) {
    if (newest_[rank] <= noise) newest_[rank] = 0;
    has_changed = has_changed || std::abs(newest_[rank] - in_force_[rank]) > noise;
  }
  if (has_changed) in_force_.swap(newest_);
  return has_changed;
}

}  // namespace starling
