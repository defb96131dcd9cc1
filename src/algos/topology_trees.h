// Balanced trees over the heaviest links.
#pragma once

#include <cstdint>
#include <vector>

#include "algos/topology.h"
#include "algos/tree_walk.h"

namespace starling {

// Balanced binary trees of much weight, one after another. The ranks are cut in two halves that have little weight
// between them (Kernighan and Lin 1970); the heaviest link from the root to the other half makes its end the root of
// that half; and so on with both. Where the root has no link into the other half, all balanced trees of these ranks are
// searched, as far as they are few. Links that a tree uses count 0.7 of before for the trees after it.
// Source: the topology-aware communication of MXNet (seed 003), after Wang, Li, Edo, Smola 2018.
class TopologyTrees {
 public:
  // REQUIRES: ranks >= 2; `topology`, if not null, is of so many ranks.
  TopologyTrees(const Topology* topology, std::int32_t ranks);

  // The next tree, as this rank sees it. Ranks are at most ceil(log2 ranks) links away from the root. Time O(ranks^2 log ranks).
  TreePlace next(std::int32_t root, std::int32_t rank);

 private:
  std::int32_t ranks_;
  std::vector<std::int64_t> weights_;  // by rank and rank
};

}  // namespace starling
