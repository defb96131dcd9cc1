#include "tuner/call_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace starling {
namespace {

using testing::ElementsAre;

std::vector<CallSummary> callsOf(std::int32_t ranks, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> near(0, 400'000);
  std::vector<CallSummary> each;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t arrival = 5'000'000'000'000 + near(random);
    each.emplace_back(rank, arrival, arrival + 500'000 + near(random), near(random) / 100);
  }
  return each;
}

CallSummary sumOf(std::span<const CallSummary> each) {
  CallSummary sum;
  for (const CallSummary& one : each) sum.add(one);
  return sum;
}

// As libraries reduce: neighbours first, then what came of them.
CallSummary sumInTree(std::span<const CallSummary> each) {
  if (each.size() == 1) return each.front();
  CallSummary left = sumInTree(each.first(each.size() / 2));
  left.add(sumInTree(each.subspan(each.size() / 2)));
  return left;
}

TEST(CallSummary, isTheSameInWhateverOrderRanksAreAdded) {
  std::mt19937 random(1);
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8, 9, 64, 1000}) {
    std::vector<CallSummary> each = callsOf(ranks, random);
    const CallSummary sum = sumOf(each);
    EXPECT_EQ(sumInTree(each), sum) << ranks;
    std::shuffle(each.begin(), each.end(), random);
    EXPECT_EQ(sumOf(each), sum) << ranks;
    EXPECT_EQ(sumInTree(each), sum) << ranks;
    EXPECT_EQ(sum.ranks(), ranks);
  }
}

TEST(CallSummary, tellsWhatOtherCallsTookOnAllRanks) {
  std::vector<CallSummary> each = {{0, 1'000, 9'000, 30}, {1, 6'000, 8'000, 10}, {2, 3'000, 9'500, 20}};
  EXPECT_EQ(sumOf(each).othersNs(), 0);
  each[0].noteOthers(5'400);
  each[2].noteOthers(700);
  EXPECT_EQ(sumOf(each).othersNs(), 6'000) << "each to a microsecond";
  EXPECT_EQ(sumInTree(each), sumOf(each));
  each[1].noteOthers(std::int64_t{5'000} * 1'000'000'000);
  EXPECT_EQ(sumOf(each).othersNs(), std::nullopt) << "more than there is room for";
  EXPECT_EQ(sumInTree(each), sumOf(each));
}

TEST(CallSummary, hasSumsAndExtremesOfAllRanks) {
  const std::vector<CallSummary> each = {{0, 1'000, 9'000, 30}, {1, 6'000, 8'000, 10}, {2, 3'000, 9'500, 20}};
  const CallSummary sum = sumOf(each);
  EXPECT_EQ(sum.latestNs(), 6'000);
  EXPECT_EQ(sum.earliestNs(), 1'000);
  EXPECT_EQ(sum.waitedNs(), 5'000 + 0 + 3'000);
  EXPECT_EQ(sum.elapsedNs(), 8'000 + 2'000 + 6'500);
  EXPECT_EQ(sum.shortestNs(), 2'000);
  EXPECT_EQ(sum.errorNs(), 30 + 20) << "of two ranks the errors add up";
}

TEST(CallSummary, namesTheRanksThatCameLast) {
  std::mt19937 random(7);
  for (const std::int32_t ranks : {3, 8, 9, 500}) {
    std::vector<std::int32_t> place(static_cast<std::size_t>(ranks));
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random);
    CallSummary sum;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t arrival = 64'000 * place[static_cast<std::size_t>(rank)];
      sum.add({rank, arrival, arrival + 1, 0});
    }
    ASSERT_EQ(sum.named().size(), std::min<std::size_t>(CallSummary::kNamed, static_cast<std::size_t>(ranks)));
    for (std::size_t i = 0; i < sum.named().size(); ++i) {
      EXPECT_EQ(place[static_cast<std::size_t>(sum.named()[i].rank)], ranks - 1 - static_cast<std::int32_t>(i));
      EXPECT_EQ(sum.named()[i].before_latest, 1000 * i);
    }
  }
}

TEST(CallSummary, saysOfRanksThatCameVeryLongBeforeOnlyThat) {
  CallSummary sum(0, 0, 1, 0);
  sum.add({1, 1'000'000'000'000'000, 1'000'000'000'000'001, 0});
  EXPECT_THAT(sum.named(),
              ElementsAre(CallSummary::Named{1, 0}, CallSummary::Named{0, std::numeric_limits<std::uint32_t>::max()}));
}

TEST(CallSummary, standsStampsThatDoNotCompare) {
  CallSummary sum;
  for (std::int32_t rank = 0; rank < 1000; ++rank) {
    const std::int64_t arrival = (rank % 2 == 0 ? 1 : -1) * (std::int64_t{1} << 61) + rank;
    sum.add({rank, arrival, arrival + 700, 0});
  }
  EXPECT_EQ(sum.elapsedNs(), 700'000);
  EXPECT_EQ(sum.shortestNs(), 700);
}

TEST(CallSummary, ofNoRankAddsNothing) {
  const CallSummary one(3, 10, 20, 1);
  CallSummary sum;
  sum.add(one);
  sum.add(CallSummary());
  EXPECT_EQ(sum, one);
}

}  // namespace
}  // namespace starling
