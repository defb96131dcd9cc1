// Builds broadcasts from virtual rank 0 as schedules. Lower positions receive earlier and send at least as much as
// higher ones, so that a virtual-rank table has its most loaded ranks last.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "algos/link_costs.h"
#include "schedule/schedule.h"

namespace starling {

enum class BroadcastTree : std::uint8_t {
  kBinomial,  // fewest rounds: ceil(log2 P) (a + n b)
  kChain,     // least data per rank: (P - 2 + S) (a + n b / S)
};

struct BroadcastPlan {
  BroadcastTree tree = BroadcastTree::kBinomial;
  std::int32_t segments = 1;
  std::int32_t pacing = 1;    // sends in flight
  std::int64_t reach_ns = 0;  // until the first segment is at all positions, when nobody is late
};

// Plans the faster of both trees. A binomial tree is not cut into segments: its root sends log2 P vectors anyhow.
// REQUIRES: ranks > 1, 0 < bytes < 2^31.
BroadcastPlan planBroadcast(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs);

// Returns who sends to this position. REQUIRES: position > 0.
std::int32_t parentOf(BroadcastTree tree, std::int32_t position);

// Builds the schedule of one position for a vector of `count` elements, which only the root has to set before.
// REQUIRES: ranks > 1, count > 0, plan.segments > 0.
Schedule buildBroadcast(std::int32_t ranks, std::int32_t position, std::int64_t count, const BroadcastPlan& plan,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Returns an upper bound of the bytes that any rank takes to build, prepare and run its schedule of a vector of `bytes`
// or less.
std::int64_t broadcastBytes(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs);

}  // namespace starling
