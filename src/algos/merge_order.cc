#include "algos/merge_order.h"

#include <algorithm>
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

// Holders are neighbours that still have a partial result: that of the ranks from after the left neighbour to itself.
struct Holder {
  std::int32_t left = -1;  // -1: none
  std::int32_t right = -1;
  std::int64_t ready = 0;
  bool has_sent = false;
};

using Ready = std::pair<std::int64_t, std::int32_t>;                // time, rank
using Pair = std::tuple<std::int64_t, std::int32_t, std::int32_t>;  // both are ready; left and right one

}  // namespace

std::int64_t mergeOrderBytes(std::int32_t ranks) {
  return ranks * std::int64_t{sizeof(Merge) + sizeof(Holder) + 2 * sizeof(Pair)};
}

std::pmr::vector<Merge> earliestReadyMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                            std::int64_t step_ns, std::pmr::memory_resource* memory) {
  Earliest<Ready> ready = earliest<Ready>(ranks, memory);
  for (std::int32_t rank = 0; rank < ranks; ++rank) ready.emplace(readyAt(lateness_ns, rank), rank);
  std::pmr::vector<Merge> merges(memory);
  merges.reserve(static_cast<std::size_t>(ranks));
  while (ready.size() > 1) {
    const std::int32_t source = ready.top().second;
    ready.pop();
    const auto [time, target] = ready.top();
    ready.pop();
    merges.push_back({source, target});
    ready.emplace(time + std::max<std::int64_t>(step_ns, 1), target);
  }
  return merges;
}

std::pmr::vector<Merge> neighbourMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                        std::int64_t step_ns, std::pmr::memory_resource* memory) {
  std::pmr::vector<Holder> holders(static_cast<std::size_t>(ranks), memory);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    holders[rank] = {rank - 1, rank + 1 < ranks ? rank + 1 : -1, readyAt(lateness_ns, rank), false};
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
    const auto [time, source, target] = pairs.top();
    pairs.pop();
    Holder& from = holders[source];
    Holder& to = holders[target];
    // This offer was made before one of the two changed.
    if (from.has_sent || to.has_sent || from.right != target || std::max(from.ready, to.ready) != time) continue;
    merges.push_back({source, target});
    from.has_sent = true;
    to.ready = time + std::max<std::int64_t>(step_ns, 1);
    to.left = from.left;
    if (to.left >= 0) {
      holders[to.left].right = target;
      offer(to.left);
    }
    offer(target);
  }
  return merges;
}

}  // namespace starling
