// Broadcasts from virtual rank 0, as schedules. Lower positions receive earlier and send at least as much as higher
// ones, so that a virtual-rank table has its most loaded ranks last.
#pragma once

#include <cstdint>

#include "algos/link_costs.h"
#include "algos/schedule.h"

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

// The faster of both trees. A binomial tree is not cut into segments: its root sends log2 P vectors anyhow.
// REQUIRES: ranks > 1, 0 < bytes < 2^31.
BroadcastPlan planBroadcast(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs);

// Who sends to this position. REQUIRES: position > 0.
std::int32_t parentOf(BroadcastTree tree, std::int32_t position);

// The schedule of one position for a vector of `count` elements, which only the root's is to be set before.
// REQUIRES: ranks > 1, count > 0, plan.segments > 0.
Schedule buildBroadcast(std::int32_t ranks, std::int32_t position, std::int64_t count, const BroadcastPlan& plan);

}  // namespace starling
