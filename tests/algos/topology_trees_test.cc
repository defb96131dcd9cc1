#include "algos/topology_trees.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

namespace starling {
namespace {

// All ranks' places in the trees of these roots, by tree and rank.
std::vector<std::vector<TreePlace>> treesOf(const Topology* topology, std::int32_t ranks,
                                            const std::vector<std::int32_t>& roots) {
  std::vector<std::vector<TreePlace>> trees(roots.size());
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    TopologyTrees builder(topology, ranks);
    for (std::size_t i = 0; i < roots.size(); ++i) trees[i].push_back(builder.next(roots[i], rank));
  }
  return trees;
}

std::int32_t depthOf(const std::vector<TreePlace>& tree, std::int32_t rank) {
  std::int32_t depth = 0;
  for (; tree[rank].parent >= 0; rank = tree[rank].parent) ++depth;
  return depth;
}

std::int64_t weightOf(const std::vector<TreePlace>& tree, const Topology& topology) {
  std::int64_t weight = 0;
  for (std::size_t rank = 0; rank < tree.size(); ++rank) {
    if (tree[rank].parent >= 0) weight += topology.links[rank * tree.size() + tree[rank].parent];
  }
  return weight;
}

// Two groups of four with heavy links, and light ones between them.
Topology twoGroups() {
  Topology topology;
  for (std::int32_t a = 0; a < 8; ++a) {
    for (std::int32_t b = 0; b < 8; ++b) topology.links.push_back(a == b ? 0 : a % 2 == b % 2 ? 50 : 10);
  }
  return topology;
}

TEST(TopologyTrees, areBalancedWithParentsAndChildrenOfOneMind) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int32_t> weight(0, 3);
  for (std::int32_t ranks = 2; ranks <= 40; ++ranks) {
    Topology topology;
    topology.links.assign(static_cast<std::size_t>(ranks) * ranks, 0);
    for (std::int32_t a = 0; a < ranks; ++a) {
      for (std::int32_t b = 0; b < a; ++b) {
        topology.links[a * ranks + b] = topology.links[b * ranks + a] = weight(random);
      }
    }
    for (const auto& tree : treesOf(&topology, ranks, {ranks - 1, 0})) {
      std::int32_t roots = 0;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        roots += tree[rank].parent < 0 ? 1 : 0;
        EXPECT_LE(depthOf(tree, rank), std::bit_width(static_cast<std::uint32_t>(ranks - 1)));
        for (const TreeChild& child : tree[rank].children) EXPECT_EQ(tree[child.rank].parent, rank);
      }
      EXPECT_EQ(roots, 1);
    }
  }
}

TEST(TopologyTrees, crossBetweenGroupsOnce) {
  const Topology topology = twoGroups();
  for (std::int32_t root = 0; root < 8; ++root) {
    EXPECT_EQ(weightOf(treesOf(&topology, 8, {root})[0], topology), 6 * 50 + 10) << "root " << root;
  }
  Topology nodes{.nodes = {0, 1, 0, 1, 0, 1, 0, 1}, .links = {}};
  EXPECT_EQ(weightOf(treesOf(&nodes, 8, {3})[0], topology), 6 * 50 + 10);
}

// The first cut by weight leaves the root, 0, without a link to the other half, so all trees are searched.
TEST(TopologyTrees, areSearchedWhereTheRootHasNoLinkAcross) {
  Topology path;  // 0 - 1 - 2 - 3, and light links 0 - 3
  path.links = {0, 90, 0, 1, 90, 0, 1, 0, 0, 1, 0, 90, 1, 0, 90, 0};
  const auto tree = treesOf(&path, 4, {0})[0];
  for (std::size_t rank = 1; rank < 4; ++rank) EXPECT_GT(path.links[rank * 4 + tree[rank].parent], 0) << rank;
  // A star leaves no balanced tree over its links: the network routes the rest.
  Topology star;
  star.links = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(depthOf(treesOf(&star, 4, {1})[0], 1), 0);
}

TEST(TopologyTrees, takeOtherLinksOneAfterAnother) {
  Topology equal;
  for (std::int32_t a = 0; a < 4; ++a) {
    for (std::int32_t b = 0; b < 4; ++b) equal.links.push_back(a == b ? 0 : 1);
  }
  std::set<std::pair<std::int32_t, std::int32_t>> links;
  for (const auto& tree : treesOf(&equal, 4, {0, 0})) {
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      if (tree[rank].parent >= 0) links.insert(std::minmax(rank, tree[rank].parent));
    }
  }
  EXPECT_GE(links.size(), 5U) << "of the six links two trees of three share one at most";
}

}  // namespace
}  // namespace starling
