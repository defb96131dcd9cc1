#include "tuner/latest_announcements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace starling {
namespace {

using Announcement = LatestAnnouncements::Announcement;
using Announced = std::vector<Announcement>;

Announced latestOf(const LatestAnnouncements& announcements) {
  return {announcements.latest().begin(), announcements.latest().end()};
}

TEST(LatestAnnouncements, areOfNoRankAtFirst) {
  const LatestAnnouncements none;
  EXPECT_EQ(none.ranks(), 0);
  EXPECT_TRUE(none.latest().empty());
  LatestAnnouncements one(7, 100);
  one.add(none);
  EXPECT_EQ(one, LatestAnnouncements(7, 100));
  LatestAnnouncements other;
  other.add(one);
  EXPECT_EQ(other, one);
  EXPECT_EQ(other.earliestNs(), 100);
}

TEST(LatestAnnouncements, nameTheLatestFirstAndTheHighestOfEqualRanks) {
  LatestAnnouncements all;
  all.add({4, 20});
  all.add({1, 30});
  all.add({2, 10});
  all.add({9, 20});
  EXPECT_EQ(all.ranks(), 4);
  EXPECT_EQ(all.earliestNs(), 10);
  EXPECT_EQ(latestOf(all), (Announced{{30, 1}, {20, 9}, {20, 4}, {10, 2}}));
}

// Ranks of random sets, put together two sets at a time in a random order.
TEST(LatestAnnouncements, doNotDependOnTheOrderInWhichTheyArePutTogether) {
  std::mt19937 random(5);
  for (const int ranks : {1, 2, 15, 16, 17, 31, 32, 33, 200}) {
    std::uniform_int_distribution<std::int64_t> few(0, ranks / 2);
    Announced expected;
    for (int rank = 0; rank < ranks; ++rank) expected.push_back({few(random), rank});
    std::vector<LatestAnnouncements> sets;
    for (const Announcement& of : expected) sets.emplace_back(static_cast<std::int32_t>(of.rank), of.announced_ns);
    while (sets.size() > 1) {
      std::shuffle(sets.begin(), sets.end(), random);
      const LatestAnnouncements last = sets.back();
      sets.pop_back();
      sets.back().add(last);
    }
    std::sort(expected.begin(), expected.end(), [](const Announcement& a, const Announcement& b) {
      return a.announced_ns != b.announced_ns ? a.announced_ns > b.announced_ns : a.rank > b.rank;
    });
    EXPECT_EQ(sets.front().ranks(), ranks);
    EXPECT_EQ(sets.front().earliestNs(), expected.back().announced_ns);
    expected.resize(std::min(expected.size(), LatestAnnouncements::kMost));
    EXPECT_EQ(latestOf(sets.front()), expected) << ranks << " ranks";
  }
}

TEST(LatestAnnouncements, nameOnlyThoseThatAreLateByMoreThanNoise) {
  LatestAnnouncements all;
  for (const auto& [rank, milliseconds] : {std::pair(0, 100), {1, 109}, {2, 200}, {3, 111}, {4, 110}}) {
    all.add({rank, 1'000'000 * milliseconds});
  }
  all.dropOnTime();
  const Announced late{{200'000'000, 2}, {111'000'000, 3}};
  EXPECT_EQ(latestOf(all), late);
  EXPECT_EQ(all.ranks(), 5);
  all.dropOnTime();
  EXPECT_EQ(latestOf(all), late);
  LatestAnnouncements even;
  for (int rank = 0; rank < 40; ++rank) even.add({rank, 100'000'000 + 100 * rank});
  even.dropOnTime();
  EXPECT_TRUE(even.latest().empty());
}

TEST(LatestAnnouncements, travelInFewBytesWhereFewAreNamed) {
  LatestAnnouncements sent;
  for (int rank = 0; rank < 40; ++rank) sent.add({rank, rank == 3 ? 200'000'000 : 100'000'000});
  LatestAnnouncements received = sent;
  EXPECT_EQ(sent.usedBytes(), sizeof sent);
  sent.dropOnTime();
  EXPECT_EQ(sent.usedBytes(), 32U);
  EXPECT_NE(received, sent);
  std::memcpy(&received, &sent, sent.usedBytes());
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace starling
