#include "tuner/rooted/broadcast_table.h"

#include <algorithm>
#include <utility>

#include "tuner/rooted/agreed_lateness.h"

namespace starling {
namespace {

// Ranks that wait less than half as long as the longest waiter do not count as waiting for the same rank.
constexpr std::int64_t kWaitNoiseDivisor = 2;
// The longest wait of the past counts less from period to period, by this part. It is remembered because the waits that
// are left when a late rank has found its place are noise.
constexpr std::int64_t kDecayDivisor = 8;
constexpr std::int64_t kReachFactor = 2;  // links are not always equally fast

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
  // Of those that wait equally long the last one is taken: the rank that it waits for sends least in that position.
  for (std::int32_t waiter = last; waiter > 0; --waiter) {
    if (wait_at(waiter) < longest - noise) continue;
    std::int32_t cause = parentOf(tree, waiter);
    while (cause > 0 && wait_at(cause) >= wait_at(waiter) - noise) cause = parentOf(tree, cause);
    if (cause == 0) continue;  // it waits for the root, or for a rank that the root sends to before
    std::swap(table_[static_cast<std::size_t>(cause)], table_[static_cast<std::size_t>(waiter)]);
    is_stale_ = true;
    return true;
  }
  return false;
}

}  // namespace starling
