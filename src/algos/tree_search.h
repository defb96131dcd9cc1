// Searches balanced trees over the heaviest links.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "algos/topology.h"
#include "algos/tree_walk.h"

namespace starling {

// So many trees are made at most.
inline constexpr std::int32_t kMaxTrees = 16;

// Rows that go along such trees have this parameter: how many.
inline constexpr std::string_view kTreesParameter = "trees";

// Makes balanced binary trees of much weight, one after another, with the last rank as root of the first, the one
// before as that of the second, and so on. The ranks are cut in two halves that have little weight between them
// (Kernighan and Lin 1970); the heaviest link from the root to the other half makes its end the root of that half; and
// so on with both. Where the root has no link into the other half, the balanced trees of these ranks are searched, as
// far as the ranks are few. Links that a tree uses count 0.7 times as much for the trees after it. Ranks are at most
// ceil(log2 ranks) links away from the root. Source: the topology-aware communication of MXNet, after Wang, Li, Edo,
// Smola 2018.
// REQUIRES: ranks >= 2; `topology`, if not null, is of so many ranks; trees <= ranks. One tree takes O(ranks^2 log
// ranks) time.
// With a `table` (virtual rank -> rank of the topology) the trees are of virtual ranks.
std::pmr::vector<TreeLinks> topologyTrees(const Topology* topology, std::int32_t ranks, std::int32_t trees,
                                          std::span<const std::int32_t> table = {},
                                          std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Returns where a rank stands in such a tree, or, with a `table` (virtual rank -> rank of the tree), a virtual rank.
TreePlace placeIn(const TreeLinks& tree, std::int32_t rank, std::span<const std::int32_t> table = {},
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace starling
