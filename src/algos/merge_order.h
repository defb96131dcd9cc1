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

// Whoever is ready sends to the one that will be ready next, which takes the least time to the last result for what is
// known of the arrivals. Operands come in any order. Source: Marendic 2012, Algorithm 1, with its simplified model.
std::pmr::vector<Merge> earliestReadyMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                            std::int64_t step_ns,
                                            std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Merges between neighbours in rank order only: of two that are both ready, the left one sends to the right one, and
// its own left neighbour is redirected there. The last rank has the result. Source: Marendic 2012, Algorithm 2, played
// beforehand.
std::pmr::vector<Merge> neighbourMerges(std::int32_t ranks, std::span<const std::int64_t> lateness_ns,
                                        std::int64_t step_ns,
                                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Returns how many bytes either takes at most, its result included.
std::int64_t mergeOrderBytes(std::int32_t ranks);

}  // namespace starling
