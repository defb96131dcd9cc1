// Builds reductions along merges of partial results, and a broadcast of the result in the fewest rounds.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "algos/merge_order.h"
#include "algos/row.h"

namespace starling {

// The rows that follow merges have these parameters; the first two have these places.
inline constexpr Parameter kMergeParameters[] = {
    kTreeSegments,
    {"step_ns", 0, 1'000'000'000'000, 0, "ns", "time to transfer and combine one vector"},
    kWindow,
    kPacing,
    kFlagged};
enum MergeParameterPlaces : std::size_t { kMergeSegments, kMergeStepTime };

// These return the most steps of any rank, and what a builder needs beside its writer.
std::int64_t mergeSteps(const Shape& shape, const ParameterValues& parameters);
std::int64_t mergeWorkBytes(const Shape& shape, const ParameterValues& parameters);

// As those of merge_order.h.
using MergeOrder = std::pmr::vector<Merge> (*)(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                               std::int64_t step_ns, std::pmr::memory_resource* memory);

// Builds one rank's schedule: it takes part in the merges of `order` one after another, and the target of the last one
// broadcasts. REQUIRES: ranks > 1, count > 0.
Schedule buildMerges(const BuildRequest& request, MergeOrder order);

}  // namespace starling
