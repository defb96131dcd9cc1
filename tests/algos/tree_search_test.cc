#include "algos/tree_search.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

namespace starling {
namespace {

// All ranks' places, by tree and rank.
std::vector<std::vector<TreePlace>> treesOf(const Topology* topology, std::int32_t ranks, std::int32_t count) {
  std::vector<std::vector<TreePlace>> trees;
  for (const TreeLinks& links : topologyTrees(topology, ranks, count)) {
    std::vector<TreePlace>& places = trees.emplace_back();
    for (std::int32_t rank = 0; rank < ranks; ++rank) places.push_back(placeIn(links, rank));
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
    for (const auto& tree : treesOf(&topology, ranks, 2)) {
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
  const auto tree = treesOf(&topology, 8, 1)[0];
  EXPECT_EQ(weightOf(tree, topology), 6 * 50 + 10);
  EXPECT_EQ(tree[7].parent, -1);
  const Topology nodes{.nodes = {0, 1, 0, 1, 0, 1, 0, 1}};
  EXPECT_EQ(weightOf(treesOf(&nodes, 8, 1)[0], topology), 6 * 50 + 10);
}

// Two heavy triangles, 0 1 5 and 2 3 4, with light links 0 - 4, 1 - 2 and 1 - 3: the lightest cut leaves the root, 5,
// without a link to the other half, so all trees are searched.
TEST(TopologyTrees, areSearchedWhereTheRootHasNoLinkAcross) {
  Topology topology;
  topology.links.assign(36, 0);
  const auto link = [&](std::int32_t a, std::int32_t b, std::int32_t weight) {
    topology.links[a * 6 + b] = topology.links[b * 6 + a] = weight;
  };
  for (const auto& [a, b] : {std::pair(0, 1), {0, 5}, {1, 5}, {2, 3}, {2, 4}, {3, 4}}) link(a, b, 90);
  for (const auto& [a, b] : {std::pair(0, 4), {1, 2}, {1, 3}}) link(a, b, 1);
  const auto tree = treesOf(&topology, 6, 1)[0];
  EXPECT_EQ(tree[5].parent, -1);
  for (std::size_t rank = 0; rank < 5; ++rank) EXPECT_GT(topology.links[rank * 6 + tree[rank].parent], 0) << rank;
  // A star has no balanced tree over its links: the network routes the rest.
  const Topology star{.links = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
  EXPECT_EQ(depthOf(treesOf(&star, 4, 1)[0], 3), 0);
}

TEST(TopologyTrees, takeOtherLinksOneAfterAnother) {
  Topology equal;
  for (std::int32_t a = 0; a < 4; ++a) {
    for (std::int32_t b = 0; b < 4; ++b) equal.links.push_back(a == b ? 0 : 1);
  }
  std::set<std::pair<std::int32_t, std::int32_t>> links;
  for (const auto& tree : treesOf(&equal, 4, 2)) {
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      if (tree[rank].parent >= 0) links.insert(std::minmax(rank, tree[rank].parent));
    }
  }
  EXPECT_GE(links.size(), 5U) << "of the six links two trees of three share one at most";
}

}  // namespace
}  // namespace starling
