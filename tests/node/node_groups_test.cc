#include "node/node_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace starling {
namespace {

using GroupsOf = std::function<NodeGroups(std::int32_t rank)>;

// Each rank, as it sees the groups itself.
std::vector<NodeGroups> groupsOfAll(std::int32_t ranks, const GroupsOf& groups_of) {
  std::vector<NodeGroups> all;
  for (std::int32_t rank = 0; rank < ranks; ++rank) all.push_back(groups_of(rank));
  return all;
}

// The results of each level are the operands of the next, all of them once, and one rank has the last.
void expectToCombineAll(std::int32_t ranks, const GroupsOf& groups_of) {
  std::vector<NodeGroups> all = groupsOfAll(ranks, groups_of);
  const std::int32_t levels = all.front().levels();
  EXPECT_LE(levels, NodeGroups::mostLevels(ranks));
  std::multiset<std::int32_t> operands;
  for (std::int32_t rank = 0; rank < ranks; ++rank) operands.insert(rank);
  for (std::int32_t level = 0; level < levels && levels > 1; ++level) {
    std::multiset<std::int32_t> combined;
    std::multiset<std::int32_t> leaders;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const auto groups = all[static_cast<std::size_t>(rank)].groups();
      if (level >= std::ssize(groups)) continue;
      const NodeGroups::Group& group = groups[static_cast<std::size_t>(level)];
      EXPECT_EQ(group.ranks.front(), rank);
      EXPECT_EQ(group.tree.leaves(), std::ssize(group.ranks));
      EXPECT_GE(group.ranks.size(), 2U);
      combined.insert(group.ranks.begin(), group.ranks.end());
      leaders.insert(rank);
    }
    EXPECT_EQ(combined, operands) << ranks << " ranks, level " << level;
    operands = leaders;
  }
  for (NodeGroups& groups : all) {
    EXPECT_EQ(groups.levels(), levels);
    EXPECT_EQ(groups.root(), all.front().root());
    if (levels == 1) {
      ASSERT_EQ(groups.groups().size(), 1U);
      EXPECT_EQ(std::ssize(groups.groups().front().ranks), ranks) << "each combines all";
    }
  }
  if (levels > 1) {
    EXPECT_EQ(operands, std::multiset<std::int32_t>{all.front().root()});
  }
}

// Ranks of the groups of the first level, by who combines them.
std::map<std::int32_t, std::vector<std::int32_t>> firstLevel(std::int32_t ranks, const GroupsOf& groups_of) {
  std::map<std::int32_t, std::vector<std::int32_t>> first;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    NodeGroups groups = groups_of(rank);
    if (!groups.groups().empty()) first[rank] = groups.groups().front().ranks;
  }
  return first;
}

std::vector<ProcessorPlace> placesOf(const std::vector<std::int32_t>& domains) {
  std::vector<ProcessorPlace> places;
  for (const std::int32_t domain : domains) {
    places.push_back({100 * domain, 100 * domain + static_cast<std::int32_t>(places.size())});
  }
  return places;
}

TEST(NodeGroups, combineAllInOrder) {
  for (std::int32_t ranks = 2; ranks <= 256; ranks += ranks < 40 ? 1 : 27) {
    expectToCombineAll(ranks, [=](std::int32_t rank) { return NodeGroups::inOrder(ranks, rank); });
  }
}

TEST(NodeGroups, combineAllWhereverTheyRun) {
  std::mt19937 random(7);
  for (std::int32_t ranks = 2; ranks <= 256; ranks += ranks < 40 ? 1 : 27) {
    for (const std::uint32_t domains : {1, 2, 3, 8, 64}) {
      std::vector<std::int32_t> of_ranks(static_cast<std::size_t>(ranks));
      for (std::int32_t& domain : of_ranks) domain = static_cast<std::int32_t>(random() % domains);
      const std::vector<ProcessorPlace> places = placesOf(of_ranks);
      expectToCombineAll(ranks, [&](std::int32_t rank) { return NodeGroups::byPlace(places, rank); });
    }
  }
}

TEST(NodeGroups, areOfOneDomain) {
  const std::vector<ProcessorPlace> places = placesOf({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  const auto first = firstLevel(12, [&](std::int32_t rank) { return NodeGroups::byPlace(places, rank); });
  const std::map<std::int32_t, std::vector<std::int32_t>> expected{{0, {0, 2, 4, 6, 8, 10}}, {1, {1, 3, 5, 7, 9, 11}}};
  EXPECT_EQ(first, expected);
  EXPECT_EQ(NodeGroups::byPlace(places, 5).levels(), 2);
  EXPECT_EQ(NodeGroups::byPlace(places, 5).root(), 0);
}

TEST(NodeGroups, splitLargeDomainsEvenly) {
  std::vector<std::int32_t> domains(17, 0);
  domains.resize(25, 1);
  const std::vector<ProcessorPlace> places = placesOf(domains);
  const auto first = firstLevel(25, [&](std::int32_t rank) { return NodeGroups::byPlace(places, rank); });
  std::vector<std::size_t> sizes;
  for (const auto& [leader, ranks] : first) sizes.push_back(ranks.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 6, 6, 8}));
}

TEST(NodeGroups, joinFewRanksToTheirNeighbours) {
  const std::vector<ProcessorPlace> places = placesOf({0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
  const auto first = firstLevel(10, [&](std::int32_t rank) { return NodeGroups::byPlace(places, rank); });
  const std::map<std::int32_t, std::vector<std::int32_t>> expected{{0, {0, 1, 2, 3}}, {4, {4, 5, 6, 7, 8, 9}}};
  EXPECT_EQ(first, expected);
}

}  // namespace
}  // namespace starling
