// Who combines whose short vectors on a node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/processor_places.h"
#include "node/association_tree.h"

namespace starling {

// Contributions are combined in groups of a few ranks, the results of these in groups again, and so on, until there is
// one. The first rank of a group combines it. A single group every rank combines for itself. THREADS: none of its own;
// evaluating a tree takes memory of that tree.
class NodeGroups {
 public:
  static constexpr std::int32_t kMostRanks = 8;  // of a group

  // The groups of one level that this rank combines.
  struct Group {
    AssociationTree tree;
    std::vector<std::int32_t> ranks;  // whose vectors, or results of the level before, are its operands
  };

  // Groups have the ranks' places in AssociationTree::ofRanks() that follow each other, so that the result is that
  // tree's. `rank` is this one. REQUIRES: ranks >= 2, 0 <= rank < ranks.
  static NodeGroups inOrder(std::int32_t ranks, std::int32_t rank);
  // Groups have ranks of one domain, so that few results go from cache to cache. Ranks that have theirs almost to
  // themselves join their neighbours; kMostRanks or fewer are one group. The result has an association, and an order,
  // of its own, which is the same on all ranks. REQUIRES: places.size() >= 2, 0 <= rank < places.size().
  static NodeGroups byPlace(std::span<const ProcessorPlace> places, std::int32_t rank);
  // Returns the most levels() that so many ranks may have, wherever they are.
  static std::int32_t mostLevels(std::int32_t ranks);

  std::int32_t levels() const { return levels_; }
  // By level, from the first; those of higher levels are another rank's.
  std::span<Group> groups() { return groups_; }
  // Returns who combines the last group, where there are several levels.
  std::int32_t root() const { return root_; }

 private:
  explicit NodeGroups(std::int32_t rank) : rank_(rank) {}
  // Adds a level of groups; `sizes` add up to ranks.size(). Returns who combines them.
  template <typename TreeOf>
  std::vector<std::int32_t> addLevel(std::span<const std::int32_t> ranks, std::span<const std::int32_t> sizes,
                                     const TreeOf& tree_of);

  std::int32_t rank_;
  std::int32_t levels_ = 0;
  std::int32_t root_ = 0;
  std::vector<Group> groups_;
};

}  // namespace starling
