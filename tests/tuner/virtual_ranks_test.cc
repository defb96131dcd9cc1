#include "tuner/virtual_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace starling {
namespace {

using Table = std::vector<std::int32_t>;

constexpr Seconds kNoise{1.0};

std::vector<Seconds> seconds(const std::vector<double>& values) {
  std::vector<Seconds> result;
  for (const double value : values) result.push_back({value});
  return result;
}

TEST(IdentityTable, putsEveryRankInItsOwnPlace) {
  EXPECT_EQ(identityTable(0), Table{});
  EXPECT_EQ(identityTable(1), Table{0});
  EXPECT_EQ(identityTable(4), (Table{0, 1, 2, 3}));
}

TEST(SortedTable, ordersRanksByRisingLateness) {
  EXPECT_EQ(sortedTable(seconds({30.0, 0.0, 20.0, 10.0}), kNoise), (Table{1, 3, 2, 0}));
}

TEST(SortedTable, keepsRankOrderWhenAllAreOnTime) {
  EXPECT_EQ(sortedTable(seconds({0.9, 0.2, 0.0, 0.7, 0.3}), kNoise), identityTable(5));
  EXPECT_EQ(sortedTable(seconds({5.9, 5.2, 5.0, 5.7, 5.3}), kNoise), identityTable(5)) << "all equally late";
}

TEST(SortedTable, keepsRankOrderAmongRanksOnTimeAndAmongTies) {
  EXPECT_EQ(sortedTable(seconds({0.9, 50.0, 0.1, 7.0, 0.0, 7.0}), kNoise), (Table{0, 2, 4, 3, 5, 1}));
}

TEST(SortedTable, movesARankOnlyWhenItIsLaterThanTheNoise) {
  EXPECT_EQ(sortedTable(seconds({1.0, 0.0, 0.0}), kNoise), (Table{0, 1, 2}));
  EXPECT_EQ(sortedTable(seconds({1.01, 0.0, 0.0}), kNoise), (Table{1, 2, 0}));
}

TEST(SortedTable, isAPermutationForAnyNumberOfRanks) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> lateness(0.0, 10.0);
  for (std::size_t ranks = 0; ranks <= 40; ++ranks) {
    std::vector<Seconds> late(ranks);
    for (Seconds& one : late) one = {lateness(random)};
    const Table table = sortedTable(late, kNoise);
    ASSERT_EQ(table.size(), ranks);
    EXPECT_TRUE(isPermutation(table));
    const double earliest = ranks == 0 ? 0.0 : std::min_element(late.begin(), late.end())->value;
    for (std::size_t i = 1; i < ranks; ++i) {
      const double before = late[static_cast<std::size_t>(table[i - 1])].value;
      const double after = late[static_cast<std::size_t>(table[i])].value;
      EXPECT_LE(before, std::max(after, earliest + kNoise.value));
    }
  }
}

TEST(SortedTable, isSortedForTheLatenessThatItWasMadeFrom) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> lateness(0.0, 10.0);
  for (std::size_t ranks = 0; ranks <= 20; ++ranks) {
    std::vector<Seconds> late(ranks);
    for (Seconds& one : late) one = {lateness(random)};
    EXPECT_TRUE(isSortedTable(sortedTable(late, kNoise), late, kNoise));
  }
}

TEST(SortedTable, staysSortedUntilARankIsEarlierByMoreThanTheNoise) {
  EXPECT_TRUE(isSortedTable(Table{2, 0, 1}, seconds({9.0, 8.0, 0.0}), kNoise));
  EXPECT_FALSE(isSortedTable(Table{2, 0, 1}, seconds({9.0, 7.9, 0.0}), kNoise));
  EXPECT_FALSE(isSortedTable(Table{0, 1, 2}, seconds({9.0, 8.5, 7.9}), kNoise)) << "each is near its neighbour only";
}

TEST(PermutationCheck, acceptsEachRankOnceAndNothingElse) {
  EXPECT_TRUE(isPermutation(Table{}));
  EXPECT_TRUE(isPermutation(Table{2, 0, 1}));
  EXPECT_FALSE(isPermutation(Table{0, 2, 2}));
  EXPECT_FALSE(isPermutation(Table{1, 2, 3}));
  EXPECT_FALSE(isPermutation(Table{-1, 0, 1}));
}

TEST(SwappedTable, exchangesTheLatestRankWithTheEarliestBehindIt) {
  EXPECT_EQ(swappedTable({0, 1, 2, 3}, seconds({5.0, 3.0, 0.0, 4.0}), kNoise), (Table{2, 1, 0, 3}));
  EXPECT_EQ(swappedTable({3, 0, 1, 2}, seconds({2.0, 0.0, 1.0, 9.0}), kNoise), (Table{1, 0, 3, 2}));
}

TEST(SwappedTable, exchangesOnePairAtATime) {
  const Table before = {7, 6, 5, 4, 3, 2, 1, 0};
  const Table after = swappedTable(before, seconds({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 70.0}), kNoise);
  int moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1 : 0;
  EXPECT_EQ(moved, 2);
  EXPECT_EQ(after, (Table{0, 6, 5, 4, 3, 2, 1, 7}));
}

TEST(SwappedTable, staysWhenTheLatestRankStandsBehindTheEarliest) {
  const Table table = {1, 2, 0, 3};
  EXPECT_EQ(swappedTable(table, seconds({8.0, 0.0, 1.0, 1.0}), kNoise), table);
}

TEST(SwappedTable, staysWhenTheDifferenceIsWithinTheNoise) {
  const Table table = {3, 2, 1, 0};
  EXPECT_EQ(swappedTable(table, seconds({0.0, 0.4, 0.8, 1.0}), kNoise), table);
  EXPECT_EQ(swappedTable(table, seconds({0.0, 0.4, 0.8, 1.1}), kNoise), (Table{0, 2, 1, 3}));
}

TEST(SwappedTable, acceptsCommunicatorsOfNoneAndOne) {
  EXPECT_EQ(swappedTable({}, {}, kNoise), Table{});
  EXPECT_EQ(swappedTable({0}, seconds({4.0}), kNoise), Table{0});
}

TEST(SwappedTable, movesALateRankToTheEndWhenTheEarliestRankVaries) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> scatter(0.0, 0.5);
  for (std::int32_t late_rank = 0; late_rank < 8; ++late_rank) {
    Table table = identityTable(8);
    for (int exchange = 0; exchange < 200; ++exchange) {
      std::vector<Seconds> lateness(8);
      for (Seconds& one : lateness) one = {scatter(random)};
      lateness[static_cast<std::size_t>(late_rank)] += {50.0};
      table = swappedTable(table, lateness, kNoise);
      ASSERT_TRUE(isPermutation(table));
    }
    EXPECT_EQ(table.back(), late_rank);
  }
}

}  // namespace
}  // namespace starling
