#include "algos/merge_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace starling {
namespace {

std::int64_t readyAt(std::span<const std::int64_t> lateness_ns, std::int32_t rank) {
  return lateness_ns.empty() ? 0 : lateness_ns[static_cast<std::size_t>(rank)];
}

template <typename Event>
using Earliest = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

// Neighbours that still hold a partial result. Each holds those of the ranks from after its left neighbour to itself.
struct Holder {
  std::int32_t left = -1;  // -1: none
  std::int32_t right = -1;
  std::int64_t ready = 0;
  bool has_sent = false;
};

}  // namespace

std::vector<Merge> earliestReadyMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                       std::int64_t step_ns) {
  using Ready = std::pair<std::int64_t, std::int32_t>;  // time, rank
  Earliest<Ready> ready;
  for (std::int32_t rank = 0; rank < ranks; ++rank) ready.emplace(readyAt(lateness_ns, rank), rank);
  std::vector<Merge> merges;
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

std::vector<Merge> neighbourMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                   std::int64_t step_ns) {
  std::vector<Holder> holders(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    holders[rank] = {rank - 1, rank + 1 < ranks ? rank + 1 : -1, readyAt(lateness_ns, rank), false};
  }
  using Pair = std::tuple<std::int64_t, std::int32_t, std::int32_t>;  // both are ready; left and right one
  Earliest<Pair> pairs;
  const auto offer = [&](std::int32_t left) {
    const std::int32_t right = holders[left].right;
    if (right >= 0) pairs.emplace(std::max(holders[left].ready, holders[right].ready), left, right);
  };
  for (std::int32_t rank = 0; rank < ranks; ++rank) offer(rank);

  std::vector<Merge> merges;
  while (!pairs.empty()) {
    const auto [time, source, target] = pairs.top();
    pairs.pop();
    Holder& from = holders[source];
    Holder& to = holders[target];
    // An offer from before one of the two changed.
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
