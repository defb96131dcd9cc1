#include "algos/merge_order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace starling {
namespace {

std::int64_t readyAt(std::span<const std::int64_t> lateness_ns, std::int32_t rank) {
  return lateness_ns.empty() ? 0 : lateness_ns[static_cast<std::size_t>(rank)];
}

template <typename Event>
using Earliest = std::priority_queue<Event, std::pmr::vector<Event>, std::greater<>>;

// The queue never holds more than `events`.
template <typename Event>
Earliest<Event> earliest(std::int64_t events, std::pmr::memory_resource* memory) {
  std::pmr::vector<Event> storage(memory);
  storage.reserve(static_cast<std::size_t>(events));
  return Earliest<Event>(std::greater<>(), std::move(storage));
}

// Holders are neighbours that still have a partial result, each of ranks between those of the two beside it.
struct Holder {
  std::int32_t left = -1;  // -1: none
  std::int32_t right = -1;
  std::int64_t ready = 0;
  std::int32_t taken = 0;  // partial results
  bool has_sent = false;
};

// Of two ranks, of which the first is ready first or stands on the left, the one that has taken fewer partial results
// takes the other's.
Merge mergeOf(std::int32_t first, std::int32_t taken_by_first, std::int32_t second, std::int32_t taken_by_second) {
  return taken_by_first < taken_by_second ? Merge{second, first} : Merge{first, second};
}

using Ready = std::pair<std::int64_t, std::int32_t>;                // time, rank
using Pair = std::tuple<std::int64_t, std::int32_t, std::int32_t>;  // both are ready; left and right one

}  // namespace

std::int32_t mostMerges(std::int32_t ranks) {
  return std::min<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(ranks)), ranks - 1);
}

std::int64_t mergeOrderBytes(std::int32_t ranks) {
  return ranks * std::int64_t{sizeof(Merge) + sizeof(Holder) + 2 * sizeof(Pair)};
}

std::pmr::vector<Merge> earliestReadyMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                            std::int64_t step_ns, std::pmr::memory_resource* memory) {
  Earliest<Ready> ready = earliest<Ready>(ranks, memory);
  for (std::int32_t rank = 0; rank < ranks; ++rank) ready.emplace(readyAt(lateness_ns, rank), rank);
  std::pmr::vector<std::int32_t> taken(static_cast<std::size_t>(ranks), 0, memory);
  std::pmr::vector<Merge> merges(memory);
  merges.reserve(static_cast<std::size_t>(ranks));
  while (ready.size() > 1) {
    const std::int32_t first = ready.top().second;
    ready.pop();
    const auto [time, second] = ready.top();
    ready.pop();
    const Merge merge = mergeOf(first, taken[first], second, taken[second]);
    merges.push_back(merge);
    ++taken[merge.target];
    ready.emplace(time + std::max<std::int64_t>(step_ns, 1), merge.target);
  }
  return merges;
}

std::pmr::vector<Merge> neighbourMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                        std::int64_t step_ns, std::pmr::memory_resource* memory) {
  std::pmr::vector<Holder> holders(static_cast<std::size_t>(ranks), memory);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    holders[rank] = {.left = rank - 1, .right = rank + 1 < ranks ? rank + 1 : -1, .ready = readyAt(lateness_ns, rank)};
  }
  // Each merge takes one and offers two.
  Earliest<Pair> pairs = earliest<Pair>(2 * std::int64_t{ranks}, memory);
  const auto offer = [&](std::int32_t left) {
    const std::int32_t right = holders[left].right;
    if (right >= 0) pairs.emplace(std::max(holders[left].ready, holders[right].ready), left, right);
  };
  for (std::int32_t rank = 0; rank < ranks; ++rank) offer(rank);

  std::pmr::vector<Merge> merges(memory);
  merges.reserve(static_cast<std::size_t>(ranks));
  while (!pairs.empty()) {
    const auto [time, left, right] = pairs.top();
    pairs.pop();
    const Holder& lower = holders[left];
    const Holder& upper = holders[right];
    // This offer was made before one of the two changed.
    if (lower.has_sent || upper.has_sent || lower.right != right || std::max(lower.ready, upper.ready) != time)
      continue;
    const Merge merge = mergeOf(left, lower.taken, right, upper.taken);
    merges.push_back(merge);
    const Holder both{.left = lower.left,
                      .right = upper.right,
                      .ready = time + std::max<std::int64_t>(step_ns, 1),
                      .taken = holders[merge.target].taken + 1};
    holders[merge.source].has_sent = true;
    holders[merge.target] = both;
    if (both.right >= 0) holders[both.right].left = merge.target;
    if (both.left >= 0) {
      holders[both.left].right = merge.target;
      offer(both.left);
    }
    offer(merge.target);
  }
  return merges;
}

}  // namespace starling
