#include "tuner/broadcast_table.h"

#include <algorithm>
#include <utility>

#include "tuner/agreed_lateness.h"

namespace starling {
namespace {

// Less than half of the longest wait is no wait for the same rank.
constexpr std::int64_t kWaitNoiseDivisor = 2;
// By which the longest wait of the past counts less from period to period: where a late rank has found its place, the
// waits that are left are noise.
constexpr std::int64_t kDecayDivisor = 8;
constexpr std::int64_t kReachFactor = 2;  // links are not as fast every time

}  // namespace

BroadcastTable::BroadcastTable(std::int32_t ranks, std::int32_t root) {
  for (std::int32_t position = 0; position < ranks; ++position) table_.push_back((root + position) % ranks);
}

std::int32_t BroadcastTable::positionOf(std::int32_t rank) const {
  return static_cast<std::int32_t>(std::find(table_.begin(), table_.end(), rank) - table_.begin());
}

bool BroadcastTable::update(std::span<const std::int64_t> waits_ns, BroadcastTree tree, std::int64_t reach_ns) {
  if (std::exchange(is_stale_, false)) return false;
  const auto wait_at = [&](std::int32_t position) {
    return waits_ns[static_cast<std::size_t>(table_[static_cast<std::size_t>(position)])];
  };
  const auto last = static_cast<std::int32_t>(table_.size()) - 1;
  std::int64_t longest = 0;
  for (std::int32_t position = 1; position <= last; ++position) longest = std::max(longest, wait_at(position));
  longest_lately_ns_ = std::max(longest, longest_lately_ns_ - longest_lately_ns_ / kDecayDivisor);
  const std::int64_t noise = std::max({kNoiseFloorNs, longest_lately_ns_ / kWaitNoiseDivisor, kReachFactor * reach_ns});
  // The last one of those that wait so long: there the rank that it waits for sends least.
  for (std::int32_t waiter = last; waiter > 0; --waiter) {
    if (wait_at(waiter) < longest - noise) continue;
    std::int32_t cause = parentOf(tree, waiter);
    while (cause > 0 && wait_at(cause) >= wait_at(waiter) - noise) cause = parentOf(tree, cause);
    if (cause == 0) continue;  // it waits for the root, or for one to which the root sends before
    std::swap(table_[static_cast<std::size_t>(cause)], table_[static_cast<std::size_t>(waiter)]);
    is_stale_ = true;
    return true;
  }
  return false;
}

}  // namespace starling
