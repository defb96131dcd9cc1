#include "algos/broadcast.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "algos/schedule_bytes.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

constexpr std::int32_t kReceivesAhead = 4;

std::int32_t roundsOf(std::int32_t ranks) { return std::bit_width(static_cast<std::uint32_t>(ranks - 1)); }

// Returns the distance to the first position that this one sends to; it doubles from child to child, because in round k
// of a binomial tree positions below 2^k send to those 2^k further.
std::int32_t firstDistanceOf(BroadcastTree tree, std::int32_t position) {
  if (tree == BroadcastTree::kChain) return 1;
  return std::int32_t{1} << std::bit_width(static_cast<std::uint32_t>(position));
}

// Counts one receive and all sends of each segment.
std::int64_t mostSteps(std::int32_t ranks, std::int64_t segments, BroadcastTree tree) {
  return segments * (1 + (tree == BroadcastTree::kChain ? 1 : roundsOf(ranks)));
}

}  // namespace

BroadcastPlan planBroadcast(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
  const std::int32_t rounds = roundsOf(ranks);
  BroadcastPlan binomial;
  binomial.reach_ns = rounds * transferNs(costs, bytes);
  // Messages that the wire holds up would share it and all come late. Shorter ones go to all children at once, so that
  // none of these waits for another one that is late.
  if (transferNs(costs, bytes) <= 2 * costs.alpha_ns) binomial.pacing = rounds;
  const std::int64_t others = ranks - 2;
  const std::int64_t segments = bestSegments(costs, bytes, others);
  const std::int64_t segment_ns = transferNs(costs, (bytes + segments - 1) / segments);
  if ((others + segments) * segment_ns >= binomial.reach_ns) return binomial;
  return {.tree = BroadcastTree::kChain,
          .segments = static_cast<std::int32_t>(segments),
          .reach_ns = (others + 1) * segment_ns};
}

std::int32_t parentOf(BroadcastTree tree, std::int32_t position) {
  if (tree == BroadcastTree::kChain) return position - 1;
  return position - static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(position)));
}

std::int64_t broadcastBytes(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
  const std::int64_t segments = bestSegments(costs, bytes, ranks - 2);
  return bytesOfSteps(
      std::max(mostSteps(ranks, 1, BroadcastTree::kBinomial), mostSteps(ranks, segments, BroadcastTree::kChain)));
}

Schedule buildBroadcast(std::int32_t ranks, std::int32_t position, std::int64_t count, const BroadcastPlan& plan,
                        std::pmr::memory_resource* memory) {
  const auto segments = static_cast<std::int32_t>(std::min<std::int64_t>(plan.segments, count));
  ScheduleWriter writer({ranks, position, count}, segments, {memory, mostSteps(ranks, segments, plan.tree)});
  const bool is_chain = plan.tree == BroadcastTree::kChain;
  for (std::int32_t i = 0; i < segments; ++i) {
    const Block segment = partOf({0, count}, segments, i);
    if (position > 0) writer.receive(segment, parentOf(plan.tree, position), i);
    // The largest subtree comes first, because it has the longest way to go.
    for (std::int64_t distance = firstDistanceOf(plan.tree, position); position + distance < ranks; distance *= 2) {
      writer.send(segment, static_cast<std::int32_t>(position + distance), i);
      if (is_chain) break;
    }
  }
  Schedule schedule = std::move(writer).finish();
  schedule.window = kReceivesAhead;
  schedule.pacing = plan.pacing;
  return schedule;
}

}  // namespace starling
