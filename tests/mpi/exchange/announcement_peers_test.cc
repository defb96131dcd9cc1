#include "mpi/exchange/announcement_peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace starling {
namespace {

constexpr int kMostRanks = 1100;
// All numbers of ranks for as long as they are few.
int numberAfter(int ranks) { return ranks < 150 ? ranks + 1 : ranks + 17; }

std::vector<AnnouncementPeers> peersOfAll(int ranks) {
  std::vector<AnnouncementPeers> peers;
  for (int rank = 0; rank < ranks; ++rank) peers.push_back(announcementPeers(ranks, rank));
  return peers;
}

using Edges = std::set<std::pair<int, int>>;  // from, to

struct AllEdges {
  Edges announced_by, announced_to, told_by, told_to, results_by, results_to;
};

AllEdges edgesOf(const std::vector<AnnouncementPeers>& peers) {
  AllEdges edges;
  for (int rank = 0; rank < static_cast<int>(peers.size()); ++rank) {
    const AnnouncementPeers& of = peers[static_cast<std::size_t>(rank)];
    for (const int parent : of.heeding_parents) edges.announced_by.emplace(rank, parent);
    for (const int leaf : of.leaves) edges.announced_to.emplace(leaf, rank);
    if (of.own_parent) edges.told_by.emplace(rank, *of.own_parent);
    for (const int branch : of.branches) edges.told_to.emplace(branch, rank);
    for (const int child : of.results_to) edges.results_by.emplace(rank, child);
    for (const int parent : of.results_from) edges.results_to.emplace(parent, rank);
  }
  return edges;
}

TEST(AnnouncementPeers, tellAllOthersWhereRanksAreFew) {
  for (int ranks = 1; ranks <= kMostDirectRanks; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      const AnnouncementPeers peers = announcementPeers(ranks, rank);
      std::vector<int> others;
      for (int other = 0; other < ranks; ++other) {
        if (other != rank) others.push_back(other);
      }
      EXPECT_THAT(peers.heeding_parents, testing::UnorderedElementsAreArray(others));
      EXPECT_THAT(peers.leaves, testing::UnorderedElementsAreArray(others));
      EXPECT_TRUE(peers.branches.empty() && peers.results_from.empty() && peers.results_to.empty());
      EXPECT_FALSE(peers.own_parent);
    }
  }
}

TEST(AnnouncementPeers, expectWhatTheOthersSend) {
  for (int ranks = 1; ranks <= kMostRanks; ranks = numberAfter(ranks)) {
    const AllEdges edges = edgesOf(peersOfAll(ranks));
    EXPECT_EQ(edges.announced_by, edges.announced_to) << ranks;
    EXPECT_EQ(edges.told_by, edges.told_to) << ranks;
    EXPECT_EQ(edges.results_by, edges.results_to) << ranks;
    // Else announcements and what is told in calls could be mixed up.
    Edges both = edges.announced_by;
    both.insert(edges.told_by.begin(), edges.told_by.end());
    EXPECT_EQ(both.size(), edges.announced_by.size() + edges.told_by.size()) << ranks;
  }
}

TEST(AnnouncementPeers, growWithTheLogarithmOfTheRanks) {
  for (int ranks = kMostDirectRanks + 1; ranks <= kMostRanks; ranks = numberAfter(ranks)) {
    const double logarithm = std::log2(ranks);
    std::size_t most_sends = 0;
    std::size_t most_receives = 0;
    for (const AnnouncementPeers& peers : peersOfAll(ranks)) {
      const std::size_t told = peers.own_parent ? 1 : 0;
      most_sends = std::max(most_sends, peers.heeding_parents.size() + told + peers.results_to.size());
      most_receives = std::max(most_receives, peers.leaves.size() + peers.branches.size() + peers.results_from.size());
    }
    EXPECT_LE(static_cast<double>(most_sends), 4 * logarithm) << ranks;
    EXPECT_LE(static_cast<double>(most_receives), 4 * logarithm) << ranks;
  }
}

// A rank has one parent that it tells in calls, and is a leaf of all other trees: so it is inner in one tree at most.
TEST(AnnouncementPeers, areInnerInOneTreeAtMost) {
  for (int ranks = kMostDirectRanks + 1; ranks <= kMostRanks; ranks = numberAfter(ranks)) {
    int roots = 0;
    for (const AnnouncementPeers& peers : peersOfAll(ranks)) {
      const bool is_inner = !peers.leaves.empty() || !peers.branches.empty();
      const bool is_root = is_inner && !peers.own_parent;
      roots += is_root ? 1 : 0;
      EXPECT_EQ(peers.heeding_parents.size(), kAnnouncementTrees - (is_inner ? 1U : 0U)) << ranks;
      EXPECT_EQ(peers.results_from.size(), kAnnouncementTrees - (is_root ? 1U : 0U)) << ranks;
      EXPECT_EQ(peers.results_to.size(), peers.leaves.size() + peers.branches.size());
    }
    EXPECT_EQ(roots, kAnnouncementTrees) << ranks;
  }
}

}  // namespace
}  // namespace starling
