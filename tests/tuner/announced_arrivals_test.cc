#include "tuner/announced_arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kMillisecond = 1'000'000;

LatestAnnouncements announcementsOf(const std::vector<std::int64_t>& values_ns) {
  LatestAnnouncements result;
  std::int32_t rank = 0;
  for (const std::int64_t value : values_ns) result.add({rank++, value});
  result.dropOnTime();
  return result;
}

LatestAnnouncements milliseconds(const std::vector<double>& values) {
  std::vector<std::int64_t> result;
  for (const double value : values) result.push_back(static_cast<std::int64_t>(value * kMillisecond));
  return announcementsOf(result);
}

std::vector<std::int64_t> latenessOf(const AnnouncedArrivals& arrivals) {
  return {arrivals.latenessNs().begin(), arrivals.latenessNs().end()};
}

TEST(AnnouncedComputation, isTheElapsedTimeExtendedToTheWhole) {
  EXPECT_EQ(announcedComputation(Seconds{0.5}, 0.5), 1'000'000'000);
  EXPECT_EQ(announcedComputation(Seconds{0.5}, 1.0), 500'000'000);
  EXPECT_EQ(announcedComputation(Seconds{0.25}, 0.125), 2'000'000'000);
  EXPECT_EQ(announcedComputation(Seconds{}, 0.5), 0);
}

TEST(AnnouncedComputation, staysWithinBoundsForAnyInput) {
  const std::int64_t longest = toNanoseconds(kLongestAnnouncement);
  EXPECT_EQ(announcedComputation(Seconds{1.0}, std::numeric_limits<double>::denorm_min()), longest);
  EXPECT_EQ(announcedComputation(Seconds{1e300}, 0.5), longest);
  EXPECT_EQ(announcedComputation(Seconds{-1.0}, 0.5), 0) << "a clock that went back";
  EXPECT_EQ(announcedComputation(Seconds{std::numeric_limits<double>::quiet_NaN()}, 0.5), 0);
}

TEST(AnnouncedArrivals, putLateRanksLast) {
  AnnouncedArrivals arrivals;
  arrivals.arrange(milliseconds({100, 300, 100, 200}));
  EXPECT_THAT(arrivals.table(), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(latenessOf(arrivals), ElementsAre(0, 0, testing::Gt(0), testing::Gt(0)));
}

TEST(AnnouncedArrivals, areLateFromTheEarliestRankOnWithinAFewPercent) {
  for (const double offset : {0.0, 5.0, 70000.0}) {
    for (const double late : {0.1, 1.0, 33.0, 1000.0}) {
      AnnouncedArrivals arrivals;
      arrivals.arrange(milliseconds({offset + late, offset, offset + late / 2}));
      EXPECT_THAT(arrivals.table(), ElementsAre(1, 2, 0));
      const std::vector<std::int64_t> lateness = latenessOf(arrivals);
      EXPECT_EQ(lateness[0], 0);
      EXPECT_NEAR(static_cast<double>(lateness[1]), late / 2 * kMillisecond, 0.035 * late / 2 * kMillisecond);
      EXPECT_NEAR(static_cast<double>(lateness[2]), late * kMillisecond, 0.035 * late * kMillisecond);
    }
  }
}

TEST(AnnouncedArrivals, keepRankOrderWithinTheNoise) {
  AnnouncedArrivals arrivals;
  arrivals.arrange(milliseconds({109, 104, 200, 100, 107}));
  EXPECT_THAT(arrivals.table(), ElementsAre(0, 1, 3, 4, 2)) << "a tenth of the largest lateness";
  EXPECT_THAT(latenessOf(arrivals), ElementsAre(0, 0, 0, 0, testing::Gt(0)));
  arrivals.arrange(milliseconds({100.019, 100.012, 100.0}));
  EXPECT_THAT(arrivals.table(), ElementsAre(0, 1, 2)) << "less than any call takes";
  EXPECT_THAT(latenessOf(arrivals), ElementsAre(0, 0, 0));
}

TEST(AnnouncedArrivals, differInTwoWaysAtMostWhereOnlyNoiseDiffers) {
  std::mt19937 random(11);
  for (const double late : {1.0, 1.3, 7.0, 20.3, 64.0, 500.0}) {
    std::uniform_real_distribution<double> noise(0.0, 0.01 * late);
    std::set<std::vector<std::int64_t>> seen;
    AnnouncedArrivals arrivals;
    for (int call = 0; call < 100; ++call) {
      arrivals.arrange(milliseconds({100 + noise(random), 100 + late + noise(random), 100 + noise(random)}));
      EXPECT_THAT(arrivals.table(), ElementsAre(0, 2, 1));
      seen.insert(latenessOf(arrivals));
    }
    EXPECT_LE(seen.size(), 2U) << late << " ms late";
  }
}

TEST(AnnouncedArrivals, riseAlongTheTableForAnyNumberOfRanks) {
  std::mt19937 random(12);
  std::uniform_int_distribution<std::int64_t> announced(0, 50 * kMillisecond);
  AnnouncedArrivals arrivals;  // one for all: nothing of an earlier call may stay
  for (const std::size_t ranks : {1, 40, 2, 3, 17, 64, 5}) {
    std::vector<std::int64_t> values(ranks);
    for (std::int64_t& value : values) value = announced(random);
    arrivals.arrange(announcementsOf(values));
    ASSERT_EQ(arrivals.table().size(), ranks);
    EXPECT_TRUE(isPermutation(arrivals.table()));
    EXPECT_TRUE(std::ranges::is_sorted(arrivals.latenessNs()));
    ASSERT_EQ(arrivals.latenessNs().size(), ranks);
    ASSERT_EQ(arrivals.latenessByRankNs().size(), ranks);
    for (std::size_t i = 0; i < ranks; ++i) {
      EXPECT_EQ(arrivals.latenessByRankNs()[static_cast<std::size_t>(arrivals.table()[i])], arrivals.latenessNs()[i]);
    }
    EXPECT_EQ(arrivals.latenessNs().front(), 0);
  }
}

TEST(AnnouncedArrivals, sortAllRanksThatAreNamed) {
  std::mt19937 random(13);
  std::uniform_int_distribution<std::int64_t> tens(0, 9);
  AnnouncedArrivals arrivals;
  for (int call = 0; call < 300; ++call) {
    const std::size_t ranks = 1 + static_cast<std::size_t>(call) % LatestAnnouncements::kMost;
    std::vector<std::int64_t> values(ranks);
    for (std::int64_t& value : values) value = 10 * kMillisecond * tens(random);
    arrivals.arrange(announcementsOf(values));
    const auto [earliest, latest] = std::minmax_element(values.begin(), values.end());
    std::vector<Seconds> lateness;
    for (const std::int64_t value : values) lateness.push_back(fromNanoseconds(value - *earliest));
    const Seconds noise = orderingNoise(fromNanoseconds(*latest - *earliest));
    EXPECT_THAT(arrivals.table(), testing::ElementsAreArray(sortedTable(lateness, noise)));
  }
}

TEST(AnnouncedArrivals, putTheLatestOfManyRanksLastAndTheOthersInTheirOrder) {
  constexpr std::size_t kRanks = 100;
  std::vector<std::int64_t> values(kRanks, 50 * kMillisecond);
  std::vector<std::int32_t> expected;
  // More are late than are named: rank 0 by 20 ms, rank 4 by 21 ms, and so on.
  for (std::size_t i = 0; i < LatestAnnouncements::kMost + 4; ++i) {
    values[4 * i] = (70 + static_cast<std::int64_t>(i)) * kMillisecond;
  }
  for (std::int32_t rank = 0; rank < 100; ++rank) {
    if (rank % 4 != 0 || rank < 16 || rank >= 80) expected.push_back(rank);
  }
  for (std::int32_t rank = 16; rank < 80; rank += 4) expected.push_back(rank);
  AnnouncedArrivals arrivals;
  arrivals.arrange(announcementsOf(values));
  EXPECT_THAT(arrivals.table(), testing::ElementsAreArray(expected));
  EXPECT_EQ(arrivals.latenessByRankNs()[0], 0) << "not named, so on time";
  EXPECT_NEAR(static_cast<double>(arrivals.latenessByRankNs()[16]), 24e6, 1e6);
  EXPECT_EQ(std::ranges::count(arrivals.latenessNs(), 0), kRanks - LatestAnnouncements::kMost);
}

TEST(AnnouncedArrivals, acceptTheLongestAnnouncementAndNone) {
  AnnouncedArrivals arrivals;
  arrivals.arrange(announcementsOf({toNanoseconds(kLongestAnnouncement), 0}));
  EXPECT_THAT(arrivals.table(), ElementsAre(1, 0));
  arrivals.arrange({});
  EXPECT_THAT(arrivals.table(), IsEmpty());
  EXPECT_THAT(arrivals.latenessNs(), IsEmpty());
}

}  // namespace
}  // namespace starling
