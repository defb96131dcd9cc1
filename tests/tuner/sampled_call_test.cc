#include "tuner/sampled_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "call_summaries.h"

namespace starling {
namespace {

using testing::ElementsAre;

TEST(SampledCall, isComparedByTheMeanExitAfterTheLastArrival) {
  const std::vector<Seconds> arrivals = {{1.0}, {3.0}, {2.0}};
  const std::vector<Seconds> exits = {{4.0}, {6.0}, {8.0}};
  const CallTimes times = timesOf(gym::summaryOf(arrivals, exits), true);
  EXPECT_DOUBLE_EQ(times.compared.value, 3.0);
  EXPECT_DOUBLE_EQ(times.net.value, 3.0);
  EXPECT_DOUBLE_EQ(times.elapsed.value, 4.0);
  EXPECT_THAT(times.pattern.latest, ElementsAre(RankLateness{1, {2.0}}, RankLateness{2, {1.0}}, RankLateness{0, {}}));
  EXPECT_DOUBLE_EQ(times.imbalance.value, 2.0);
}

TEST(SampledCall, isComparedByTheMeanElapsedTimeWhereStampsDoNotCompare) {
  CallSummary call;
  for (const auto& [rank, elapsed_ns] : {std::pair(0, 3000), {1, 3000}, {2, 6000}}) {
    call.add(CallSummary::ofElapsed(rank, elapsed_ns));
  }
  const CallTimes times = timesOf(call, false);
  EXPECT_DOUBLE_EQ(times.compared.value, 4e-6);
  EXPECT_DOUBLE_EQ(times.elapsed.value, 4e-6);
  EXPECT_DOUBLE_EQ(times.net.value, 3e-6) << "the shortest";
  EXPECT_EQ(times.imbalance, Seconds{}) << "by no more than twice that";
}

TEST(SampledCall, hasAsLateWhoIsThereForLessTimeThanOthersWhereStampsDoNotCompare) {
  CallSummary call;
  for (const auto& [rank, elapsed_ns] : {std::pair(0, 99'000), {1, 100'000}, {2, 10'000}, {3, 75'000}}) {
    call.add(CallSummary::ofElapsed(rank, elapsed_ns));
  }
  const CallTimes times = timesOf(call, false);
  ASSERT_EQ(times.pattern.latest.size(), 4U);
  EXPECT_EQ(times.pattern.latest[0].rank, 2);
  EXPECT_NEAR(times.pattern.latest[0].lateness.value, 90e-6, 64e-9);
  EXPECT_EQ(times.pattern.latest[1].rank, 3);
  EXPECT_NEAR(times.pattern.latest[1].lateness.value, 25e-6, 64e-9);
  EXPECT_EQ(times.pattern.latest[2], (RankLateness{0, {}}));
  EXPECT_EQ(times.pattern.latest[3], (RankLateness{1, {}})) << "ranks leave a call at different times";
  EXPECT_EQ(times.imbalance, times.pattern.latest[0].lateness);
}

TEST(SampledCall, hasAsLateWhoWasLateInACallThatWasHeldUpWhereStampsDoNotCompare) {
  CallSummary call;
  for (const auto& [rank, elapsed_ns] : {std::pair(0, 160'000), {1, 70'000}}) {
    call.add(CallSummary::ofElapsed(rank, elapsed_ns));
  }
  EXPECT_EQ(timesOf(call, false).imbalance, Seconds{}) << "it may be a long call";
  EXPECT_NEAR(timesOf(call, false, Seconds{10e-6}).imbalance.value, 90e-6, 64e-9);
  EXPECT_EQ(timesOf(call, false, Seconds{30e-6}).imbalance, Seconds{}) << "within the error";
}

TEST(SampledCall, hasANetTimeThatALateRankDoesNotLengthenWhereStampsDoNotCompare) {
  for (const double late : {0.0, 5.0, 5000.0}) {
    const std::vector<Seconds> arrivals = {{0.0}, {late + 100.0}};
    const std::vector<Seconds> exits = {{late + 2.0}, {late + 102.0}};
    EXPECT_DOUBLE_EQ(timesOf(gym::summaryOf(arrivals, exits), false).net.value, 2.0);
  }
}

TEST(SampledCall, countsNobodyAsLateWithinTheErrorOfTheClocks) {
  const std::vector<Seconds> arrivals = {{1.0}, {3.0}, {2.0}};
  const std::vector<Seconds> exits = {{4.0}, {6.0}, {8.0}};
  const CallTimes late = timesOf(gym::summaryOf(arrivals, exits, {1.5}), true);
  EXPECT_THAT(late.pattern.latest, ElementsAre(RankLateness{1, {2.0}}, RankLateness{2, {}}, RankLateness{0, {}}));
  EXPECT_DOUBLE_EQ(late.compared.value, 3.0);
  EXPECT_EQ(late.compared_error, Seconds{1.5});
  const CallTimes on_time = timesOf(gym::summaryOf(arrivals, exits, {2.5}), true);
  EXPECT_THAT(on_time.pattern.latest, ElementsAre(RankLateness{1, {}}, RankLateness{2, {}}, RankLateness{0, {}}));
  EXPECT_DOUBLE_EQ(on_time.imbalance.value, 0.0);
  EXPECT_DOUBLE_EQ(on_time.compared.value, 4.0) << "the mean elapsed time, which no clock's error is in";
  EXPECT_EQ(on_time.compared_error, Seconds{});
  EXPECT_EQ(on_time.clock_error, Seconds{2.5});
}

TEST(SampledCall, knowsTheLatestOfManyRanksAndTheMeanOfTheOthers) {
  constexpr int kRanks = 100;
  std::vector<Seconds> arrivals;
  for (int rank = 0; rank < kRanks; ++rank) arrivals.push_back({rank * 1e-3});
  const std::vector<Seconds> exits(kRanks, Seconds{0.2});
  const ArrivalPattern pattern = timesOf(gym::summaryOf(arrivals, exits), true).pattern;
  EXPECT_EQ(pattern.ranks, kRanks);
  ASSERT_EQ(pattern.latest.size(), CallSummary::kNamed);
  for (int i = 0; i < static_cast<int>(CallSummary::kNamed); ++i) {
    EXPECT_EQ(pattern.latest[i].rank, kRanks - 1 - i);
    EXPECT_NEAR(pattern.latest[i].lateness.value, (kRanks - 1 - i) * 1e-3, 64e-9);
  }
  EXPECT_NEAR(pattern.others.value, 45.5e-3, 64e-9);
}

}  // namespace
}  // namespace starling
