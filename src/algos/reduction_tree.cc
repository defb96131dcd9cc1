#include "algos/reduction_tree.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "algos/schedule_bytes.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

constexpr std::int32_t kReducesAhead = 4;

std::int64_t latenessOf(std::span<const std::int64_t> lateness_ns, std::int32_t rank) {
  return lateness_ns.empty() ? 0 : lateness_ns[static_cast<std::size_t>(rank)];
}

// Where the root would give its partial result away it takes the other's instead, and the other's part in all that
// follows: a merge takes as long in either direction.
void leadTo(std::int32_t root, std::pmr::vector<Merge>& merges) {
  std::int32_t replaced = root;  // whose part the root has
  for (Merge& merge : merges) {
    if (merge.source == replaced) {
      replaced = merge.target;
      merge = {merge.target, root};
    } else if (merge.target == replaced) {
      merge.target = root;
    }
  }
}

// Makes a chain by rising lateness, with the root last.
std::pmr::vector<Merge> sortedChain(const ReductionShape& shape, std::span<const std::int64_t> lateness_ns,
                                    std::pmr::memory_resource* memory) {
  std::pmr::vector<std::int32_t> order(static_cast<std::size_t>(shape.ranks), memory);
  std::iota(order.begin(), order.end(), 0);
  std::erase(order, shape.root);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return latenessOf(lateness_ns, a) < latenessOf(lateness_ns, b);
  });
  order.push_back(shape.root);
  std::pmr::vector<Merge> merges(memory);
  merges.reserve(order.size());
  for (std::size_t i = 1; i < order.size(); ++i) merges.push_back({order[i - 1], order[i]});
  return merges;
}

// Makes chains from both ends to the root; the side that is complete first is merged first.
std::pmr::vector<Merge> chainsInRankOrder(const ReductionShape& shape, std::span<const std::int64_t> lateness_ns,
                                          std::pmr::memory_resource* memory) {
  std::pmr::vector<Merge> lower(memory);
  std::pmr::vector<Merge> upper(memory);
  for (auto* side : {&lower, &upper}) side->reserve(static_cast<std::size_t>(shape.ranks));
  std::int64_t latest_lower = 0;
  std::int64_t latest_upper = 0;
  for (std::int32_t rank = 0; rank < shape.root; ++rank) {
    lower.push_back({rank, rank + 1});
    latest_lower = std::max(latest_lower, latenessOf(lateness_ns, rank));
  }
  for (std::int32_t rank = shape.ranks - 1; rank > shape.root; --rank) {
    upper.push_back({rank, rank - 1});
    latest_upper = std::max(latest_upper, latenessOf(lateness_ns, rank));
  }
  if (latest_upper < latest_lower) lower.swap(upper);
  lower.insert(lower.end(), upper.begin(), upper.end());
  return lower;
}

}  // namespace

std::int64_t completionNs(const ReductionPlan& plan, std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                          std::int64_t segment_ns, std::pmr::memory_resource* memory) {
  struct Partial {
    std::int64_t first = 0;  // segment
    std::int64_t last = 0;
  };
  std::pmr::vector<Partial> partials(static_cast<std::size_t>(ranks), memory);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t ready = latenessOf(lateness_ns, rank);
    partials[static_cast<std::size_t>(rank)] = {ready, ready};
  }
  for (const Merge& merge : plan.merges) {
    const Partial& source = partials[static_cast<std::size_t>(merge.source)];
    Partial& target = partials[static_cast<std::size_t>(merge.target)];
    const std::int64_t start = std::max(source.first, target.last);
    target.first = start + segment_ns;
    target.last = std::max(start + plan.segments * segment_ns, source.last + segment_ns);
  }
  return plan.merges.empty() ? 0 : partials[static_cast<std::size_t>(plan.merges.back().target)].last;
}

ReductionPlan planReduction(const ReductionShape& shape, std::span<const std::int64_t> lateness_ns,
                            const LinkCosts& costs, std::pmr::memory_resource* memory) {
  const bool is_fixed = shape.association == Association::kFixed;
  const std::int64_t step_ns = mergeNs(costs, shape.bytes);
  const std::span<const std::int64_t> relevant_ns = is_fixed ? std::span<const std::int64_t>() : lateness_ns;
  std::pmr::vector<Merge> tree = shape.association == Association::kAny
                                     ? earliestReadyMerges(shape.ranks, relevant_ns, step_ns, memory)
                                     : neighbourMerges(shape.ranks, relevant_ns, step_ns, memory);
  leadTo(shape.root, tree);
  const auto segments_for = [&](std::int64_t others) {
    return static_cast<std::int32_t>(bestSegments(costs, shape.bytes, others));
  };
  const std::int32_t rounds = std::bit_width(static_cast<std::uint32_t>(shape.ranks - 1));
  std::pmr::vector<ReductionPlan> plans(memory);
  plans.reserve(3);
  for (const std::int32_t segments : {1, segments_for(rounds)}) {
    plans.push_back({std::pmr::vector<Merge>(tree, memory), segments});
  }
  if (!is_fixed) {
    const bool is_free = shape.association == Association::kAny;
    plans.push_back({is_free ? sortedChain(shape, relevant_ns, memory) : chainsInRankOrder(shape, relevant_ns, memory),
                     segments_for(shape.ranks - 2)});
  }
  ReductionPlan* best = nullptr;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (ReductionPlan& plan : plans) {
    const std::int64_t segment_ns = mergeNs(costs, (shape.bytes + plan.segments - 1) / plan.segments);
    const std::int64_t completion = completionNs(plan, shape.ranks, relevant_ns, segment_ns, memory);
    if (completion >= earliest) continue;
    earliest = completion;
    best = &plan;
  }
  return std::move(*best);
}

std::int64_t reductionBytes(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
  // Each rank takes its place in the five lists of merges that there are at most, in the order of a chain, and as a
  // partial result.
  constexpr std::int64_t kPlanBytesPerRank = 5 * sizeof(Merge) + sizeof(std::int32_t) + 2 * sizeof(std::int64_t);
  const std::int64_t segments = bestSegments(costs, bytes, std::max(ranks - 2, 1));
  const std::int64_t more = bestSegments(costs, bytes, std::bit_width(static_cast<std::uint32_t>(ranks - 1)));
  return bytesOfSteps(std::max(segments, more) * ranks) + mergeOrderBytes(ranks) + ranks * kPlanBytesPerRank;
}

Schedule buildReduction(std::int32_t ranks, std::int32_t rank, std::int64_t count, const ReductionPlan& plan,
                        std::pmr::memory_resource* memory) {
  const auto segments = static_cast<std::int32_t>(std::min<std::int64_t>(plan.segments, count));
  const auto own_merges = std::count_if(plan.merges.begin(), plan.merges.end(), [rank](const Merge& merge) {
    return merge.source == rank || merge.target == rank;
  });
  ScheduleWriter writer({ranks, rank, count}, segments, {memory, own_merges * segments});
  for (const auto& [source, target] : plan.merges) {
    // One of the ranks of an interval has its partial result: where intervals merge, the lower one is on the left.
    const OperandOrder order = source < target ? OperandOrder::kIncomingLeft : OperandOrder::kIncomingRight;
    for (std::int32_t i = 0; i < segments && (rank == source || rank == target); ++i) {
      const Block segment = partOf({0, count}, segments, i);
      if (rank == source) {
        writer.send(segment, target, i);
      } else {
        writer.reduce(segment, source, order, i);
      }
    }
  }
  Schedule schedule = std::move(writer).finish();
  schedule.window = kReducesAhead;
  return schedule;
}

}  // namespace starling
