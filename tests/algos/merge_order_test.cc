#include "algos/merge_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "schedules.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kStep = 10;
constexpr std::int64_t kLongestLateness = 100;
constexpr unsigned kSeed = 4;

std::vector<std::int64_t> onTime(std::int32_t ranks) { return std::vector<std::int64_t>(ranks, 0); }

// When the result is there, in the simplified model of the source: a merge takes kStep from when both are ready.
std::int64_t completion(const std::pmr::vector<Merge>& merges, std::vector<std::int64_t> ready) {
  std::int64_t last = 0;
  for (const Merge& merge : merges) {
    last = std::max(ready[merge.source], ready[merge.target]) + kStep;
    ready[merge.target] = last;
  }
  return last;
}

// The least completion of all orders of merges. Who of the two goes on makes no difference to the times.
std::int64_t leastCompletion(const std::vector<std::int64_t>& ready) {
  if (ready.size() == 1) return ready.front();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t a = 0; a < ready.size(); ++a) {
    for (std::size_t b = a + 1; b < ready.size(); ++b) {
      std::vector<std::int64_t> rest = ready;
      rest[a] = std::max(ready[a], ready[b]) + kStep;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(b));
      least = std::min(least, leastCompletion(rest));
    }
  }
  return least;
}

// Every rank but one sends once, after all it receives.
void expectTree(const std::pmr::vector<Merge>& merges, std::int32_t ranks) {
  ASSERT_EQ(std::ssize(merges), ranks - 1);
  std::set<std::int32_t> gone;
  for (const Merge& merge : merges) {
    EXPECT_FALSE(gone.contains(merge.target));
    EXPECT_TRUE(gone.insert(merge.source).second);
  }
}

// The ranks of the source end where those of the target begin, or begin where those end.
void expectNeighbours(const std::pmr::vector<Merge>& merges, std::int32_t ranks) {
  std::vector<std::pair<std::int32_t, std::int32_t>> held;  // first and last rank, by holder
  for (std::int32_t rank = 0; rank < ranks; ++rank) held.emplace_back(rank, rank);
  for (const auto& [source, target] : merges) {
    const auto& lower = held[std::min(source, target)];
    const auto& upper = held[std::max(source, target)];
    EXPECT_EQ(lower.second + 1, upper.first);
    held[target] = {lower.first, upper.second};
  }
}

std::int64_t logarithm(std::int32_t ranks) { return std::bit_width(static_cast<std::uint32_t>(ranks - 1)); }

TEST(MergeOrder, isATreeForAnyArrivals) {
  std::mt19937 random(kSeed);
  for (std::int32_t ranks = 1; ranks <= 64; ++ranks) {
    for (const auto& lateness : {onTime(ranks), randomLateness(ranks, kLongestLateness, random)}) {
      expectTree(earliestReadyMerges(ranks, lateness, kStep), ranks);
      const std::pmr::vector<Merge> merges = neighbourMerges(ranks, lateness, kStep);
      expectTree(merges, ranks);
      expectNeighbours(merges, ranks);
    }
  }
}

// Latenesses under which, whenever a rank is ready again, the next one is just so, in either order of the ranks.
std::vector<std::vector<std::int64_t>> oneAfterAnother(std::int32_t ranks) {
  std::vector<std::int64_t> rising;
  for (std::int64_t rank = 0; rank < ranks; ++rank) rising.push_back(std::max<std::int64_t>(rank * kStep - 1, 0));
  return {rising, {rising.rbegin(), rising.rend()}};
}

TEST(MergeOrder, letsNoRankTakePartInMoreMergesThanTheLogarithm) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (const std::int32_t ranks : {1, 2, 3, 7, 8, 9, 64, 1000}) {
    std::vector<std::vector<std::int64_t>> patterns = oneAfterAnother(ranks);
    patterns.insert(patterns.end(), {onTime(ranks), randomLateness(ranks, ranks * kStep, random)});
    for (const std::vector<std::int64_t>& lateness : patterns) {
      for (const auto& merges :
           {earliestReadyMerges(ranks, lateness, kStep), neighbourMerges(ranks, lateness, kStep)}) {
        expectTree(merges, ranks);
        std::vector<std::int32_t> parts(static_cast<std::size_t>(ranks));
        for (const auto& [source, target] : merges) {
          ++parts[source];
          ++parts[target];
        }
        EXPECT_LE(std::ranges::max(parts), mostMerges(ranks)) << ranks << " ranks";
      }
    }
  }
}

TEST(MergeOrder, takesTheLogarithmWhenNobodyIsLateOrNothingIsKnown) {
  for (std::int32_t ranks = 2; ranks <= 130; ++ranks) {
    EXPECT_EQ(completion(earliestReadyMerges(ranks, {}, kStep), onTime(ranks)), logarithm(ranks) * kStep) << ranks;
    EXPECT_EQ(completion(neighbourMerges(ranks, {}, kStep), onTime(ranks)), logarithm(ranks) * kStep) << ranks;
  }
  EXPECT_EQ(completion(earliestReadyMerges(9, {}, 0), onTime(9)), 4 * kStep);
  EXPECT_THAT(earliestReadyMerges(1, {}, kStep), IsEmpty());
}

TEST(MergeOrder, ofTheEarliestReadyCompletesFirstOfAllOrders) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::int64_t> lateness = randomLateness(2 + i % 4, 3 * kStep, random);
    const auto ranks = static_cast<std::int32_t>(lateness.size());
    EXPECT_EQ(completion(earliestReadyMerges(ranks, lateness, kStep), lateness), leastCompletion(lateness));
  }
}

TEST(MergeOrder, leavesOneMergeAfterALateRankAndTwoBetweenNeighbours) {
  std::vector<std::int64_t> lateness = onTime(8);
  lateness[3] = kLongestLateness;
  EXPECT_EQ(completion(earliestReadyMerges(8, lateness, kStep), lateness), kLongestLateness + kStep);
  EXPECT_EQ(earliestReadyMerges(8, lateness, kStep).back().target, 3);
  EXPECT_EQ(completion(neighbourMerges(8, lateness, kStep), lateness), kLongestLateness + 2 * kStep);
}

TEST(MergeOrder, ofFourOnTimeIsTheOneByHand) {
  EXPECT_THAT(earliestReadyMerges(4, {}, kStep), ElementsAre(Merge{0, 1}, Merge{2, 3}, Merge{1, 3}));
  EXPECT_THAT(neighbourMerges(4, {}, kStep), ElementsAre(Merge{0, 1}, Merge{2, 3}, Merge{1, 3}));
}

}  // namespace
}  // namespace starling
