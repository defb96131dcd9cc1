// Decides which partial results of a reduction are combined with which, and when, for the arrivals that are expected.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace starling {

// The partial result of `source` goes to `target`, which combines the two and goes on with them.
struct Merge {
  std::int32_t source = 0;  // virtual ranks
  std::int32_t target = 0;

  bool operator==(const Merge&) const = default;
};

// Both functions return P - 1 merges, in an order in which each rank receives before it sends; the target of the last
// one has the result. `lateness_ns` is predicted, by virtual rank; empty means all on time, which gives ceil(log2 P)
// merges in a row. `step_ns` is the time to transfer and combine a vector; less than 1 counts as 1. All numbers are
// integers, so that every rank computes the same. They take O(P log P) time.
//
// A merge takes as long in either direction. The rank that has taken fewer partial results takes the other's; where
// both have taken as many, the result stays with the second one of those named below. So a rank with k merges behind it
// has the values of 2^k ranks, and none takes part in more than mostMerges().

// Whoever is ready merges with the one that will be ready next, which takes the least time to the last result for what
// is known of the arrivals. Operands come in any order. Source: Marendic 2012, Algorithm 1, with its simplified model;
// the directions: own.
std::pmr::vector<Merge> earliestReadyMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                            std::int64_t step_ns,
                                            std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Merges between neighbours in rank order only: of two that are both ready, the left one and the right one, one sends
// to the other, and its own neighbour is redirected there. A source below its target has the ranks that come before
// those of the target, any other one those after them. Source: Marendic 2012, Algorithm 2, played beforehand; the
// directions: own.
std::pmr::vector<Merge> neighbourMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                        std::int64_t step_ns,
                                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Returns in how many merges a rank takes part at most, whoever is late.
std::int32_t mostMerges(std::int32_t ranks);

// Returns how many bytes either takes at most, its result included.
std::int64_t mergeOrderBytes(std::int32_t ranks);

}  // namespace starling
