#include "tuner/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Placement, ofNobodyIsRankOrderWithAllOnTime) {
  EXPECT_THAT(expanded({}, 5).table, IsEmpty());
  EXPECT_THAT(expanded({}, 5).lateness_ns, IsEmpty());
  EXPECT_THAT(placementOf({}, {}), IsEmpty());
  EXPECT_THAT(placementOf(identityTable(5), std::vector<std::int64_t>(5)), IsEmpty());
}

TEST(Placement, letsOthersFillThePlacesThatAreLeft) {
  const std::vector<PlacedRank> placed = {{.rank = 1, .place = 3, .lateness_ns = 20},
                                          {.rank = 0, .place = 4, .lateness_ns = 50}};
  const ExpandedPlacement whole = expanded(placed, 5);
  EXPECT_THAT(whole.table, ElementsAre(2, 3, 4, 1, 0));
  EXPECT_THAT(whole.lateness_ns, ElementsAre(0, 0, 0, 20, 50));
}

TEST(Placement, hasNoTableWhereAllKeepTheirOrder) {
  const std::vector<PlacedRank> placed = {{.rank = 2, .place = 2, .lateness_ns = 20}};
  EXPECT_THAT(expanded(placed, 4).table, IsEmpty());
  EXPECT_THAT(expanded(placed, 4).lateness_ns, ElementsAre(0, 0, 20, 0));
  EXPECT_THAT(placementOf({}, std::vector<std::int64_t>{0, 0, 20, 0}), ElementsAre(placed.front()));
}

TEST(Placement, comesBackFromTheTableThatItExpandsTo) {
  std::mt19937 random(3);
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8, 32, 1000}) {
    for (const std::int32_t late : {0, 1, 2, 7, 32}) {
      if (late > ranks) continue;
      std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
      for (std::int32_t i = 0; i < late; ++i) lateness[random() % lateness.size()] = {1e-3 * (1.0 + i)};
      const std::vector<std::int32_t> table = sortedTable(lateness, {1e-5});
      std::vector<std::int64_t> lateness_ns;
      for (const std::int32_t rank : table) {
        lateness_ns.push_back(toNanoseconds(lateness[static_cast<std::size_t>(rank)]));
      }
      const std::vector<PlacedRank> placed = placementOf(table, lateness_ns);
      EXPECT_TRUE(isPlacement(placed, ranks));
      EXPECT_LE(placed.size(), static_cast<std::size_t>(late)) << "on time ranks take no place";
      const ExpandedPlacement whole = expanded(placed, ranks);
      if (!whole.table.empty()) {
        EXPECT_EQ(whole.table, table);
      }
      if (whole.table.empty()) {
        EXPECT_EQ(table, identityTable(ranks));
      }
      if (!whole.lateness_ns.empty()) {
        EXPECT_EQ(whole.lateness_ns, lateness_ns);
      }
    }
  }
}

TEST(Placement, holdsExchangedRanks) {
  std::vector<std::int32_t> table = identityTable(100);
  std::swap(table[3], table[70]);
  std::swap(table[70], table[99]);
  const std::vector<PlacedRank> placed = placementOf(table, {});
  EXPECT_EQ(placed.size(), 3U);
  EXPECT_EQ(expanded(placed, 100).table, table);
}

TEST(Placement, keepsTheLatestWhereTooManyHaveAPlace) {
  std::vector<std::int64_t> lateness_ns(100);
  std::iota(lateness_ns.begin(), lateness_ns.end(), 1);
  std::vector<std::int32_t> table = identityTable(100);
  std::reverse(table.begin(), table.end());
  const std::vector<PlacedRank> placed = placementOf(table, lateness_ns);
  ASSERT_EQ(placed.size(), kMostPlaced);
  const ExpandedPlacement whole = expanded(placed, 100);
  for (std::size_t place = 100 - kMostPlaced; place < 100; ++place) {
    EXPECT_EQ(whole.table[place], 99 - static_cast<std::int32_t>(place));
    EXPECT_EQ(whole.lateness_ns[place], static_cast<std::int64_t>(place) + 1);
  }
  EXPECT_EQ(whole.lateness_ns[0], 0);
  EXPECT_TRUE(expanded(placementOf({}, lateness_ns), 100).table.empty()) << "those in rank order stay in it";
  std::shuffle(table.begin(), table.end(), std::mt19937(1));
  EXPECT_THAT(placementOf(table, {}), IsEmpty());
}

TEST(Placement, isNoneWhereRanksOrPlacesAreNamedTwiceOrMissing) {
  EXPECT_TRUE(isPlacement(std::vector<PlacedRank>{{0, 1, 0}, {1, 0, 5}}, 2));
  EXPECT_FALSE(isPlacement(std::vector<PlacedRank>{{0, 1, 0}, {0, 0, 0}}, 2));
  EXPECT_FALSE(isPlacement(std::vector<PlacedRank>{{0, 1, 0}, {1, 1, 0}}, 2));
  EXPECT_FALSE(isPlacement(std::vector<PlacedRank>{{2, 1, 0}}, 2));
  EXPECT_FALSE(isPlacement(std::vector<PlacedRank>{{1, 2, 0}}, 2));
  EXPECT_FALSE(isPlacement(std::vector<PlacedRank>{{-1, 0, 0}}, 2));
  EXPECT_FALSE(isPlacement(std::vector<PlacedRank>{{0, 0, -1}}, 2));
}

TEST(Placement, ofARankThatStandsFirstNamesNoOther) {
  std::vector<std::int32_t> table(100);
  std::iota(table.begin(), table.end(), 0);
  std::rotate(table.begin(), table.begin() + 40, table.begin() + 41);
  const std::vector<PlacedRank> placed = placementOf(table, {});
  EXPECT_EQ(placed, std::vector({PlacedRank{.rank = 40}}));
  EXPECT_EQ(expanded(placed, 100).table, table);
}

}  // namespace
}  // namespace starling
