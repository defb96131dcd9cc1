// Plans reductions to one rank, and builds them as schedules.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "algos/link_costs.h"
#include "algos/merge_order.h"
#include "schedule/schedule.h"

namespace starling {

enum class Association : std::uint8_t {
  kAny,
  kRankOrder,  // only contiguous intervals of ranks are merged
  kFixed,      // the same, in a tree that depends on the number of ranks alone
};

struct ReductionShape {
  std::int32_t ranks = 1;
  std::int32_t root = 0;
  std::int64_t bytes = 0;  // of the vector
  Association association = Association::kAny;
};

struct ReductionPlan {
  std::pmr::vector<Merge> merges{};  // the root is the target of the last one, and no source
  std::int32_t segments = 1;
};

// Returns the plan that completes first, by its costs, of these: merges of whole vectors in the order in which ranks
// become ready; the same in segments; and a chain of segments, by rising lateness or in rank order from both ends to
// the root. With kFixed there are only the first two. `lateness_ns` is predicted, by rank; empty means all on time.
// REQUIRES: ranks > 1, 0 < bytes < 2^31, lateness is not negative and below 10^15.
ReductionPlan planReduction(const ReductionShape& shape, std::span<const std::int64_t> lateness_ns,
                            const LinkCosts& costs,
                            std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Returns when the root has the result, by the plan's costs: all segments of one partial result travel before those of
// the next one that the same rank takes. `segment_ns` is the time to transfer and combine one segment.
std::int64_t completionNs(const ReductionPlan& plan, std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                          std::int64_t segment_ns,
                          std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Builds the schedule of one rank for a vector of `count` elements. Ranks that only send never write to it.
// REQUIRES: ranks > 1, count > 0.
Schedule buildReduction(std::int32_t ranks, std::int32_t rank, std::int64_t count, const ReductionPlan& plan,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Returns an upper bound of the bytes that any rank takes to plan a reduction of a vector of `bytes` or less, and to
// build, prepare and run its schedule.
std::int64_t reductionBytes(std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs);

}  // namespace starling
