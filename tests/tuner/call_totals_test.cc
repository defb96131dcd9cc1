#include "tuner/call_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace starling {
namespace {

using testing::DoubleEq;
using testing::Optional;

constexpr double kMillisecond = 1e-3;

// A call that takes 1 ms after its last rank, which comes so late.
CallTotals::Timed timed(double waited_ms, std::int32_t last_rank = 1) {
  return {.elapsed = Seconds{(waited_ms + 1.0) * kMillisecond},
          .waited = Seconds{waited_ms * kMillisecond},
          .imbalance = Seconds{2.0 * waited_ms * kMillisecond},
          .last_rank = last_rank};
}

CallTotals::Timed disturbed(CallTotals::Timed one) {
  one.is_disturbed = true;
  return one;
}

class CallTotalsTest : public testing::Test {
 protected:
  // An epoch of so many calls, of which these were timed.
  void epoch(int calls, std::initializer_list<CallTotals::Timed> some, double share_of_others = 1.0) {
    for (int i = 0; i < calls; ++i) totals_.countCall();
    for (const CallTotals::Timed& one : some) totals_.noteTimed(one);
    expected_of_others_ = totals_.expectedOfOthers();
    totals_.closeEpoch(share_of_others,
                       [this](std::int32_t rank, Seconds waited) { waited_for_[rank] += waited.value; });
  }

  CallTotals totals_;
  Seconds expected_of_others_;
  std::map<std::int32_t, double> waited_for_;
};

TEST_F(CallTotalsTest, withoutATimedCallNothingIsKnown) {
  epoch(5, {});
  EXPECT_EQ(totals_.seconds(), std::nullopt);
  EXPECT_EQ(totals_.waiting(), std::nullopt);
  EXPECT_EQ(totals_.imbalance(), std::nullopt);
}

// All of the first calls are timed, and few of those that come when all has settled.
TEST_F(CallTotalsTest, timedCallsStandForThoseOfTheirEpoch) {
  epoch(2, {timed(9), timed(9)});
  epoch(100, {timed(0, -1)});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((2 * 10 + 100 * 1) * kMillisecond)));
  EXPECT_THAT(totals_.waiting(), Optional(DoubleEq(2 * 9 * kMillisecond)));
  EXPECT_THAT(totals_.imbalance(), Optional(DoubleEq(2 * 18 * kMillisecond / 102)));
  EXPECT_THAT(waited_for_, testing::ElementsAre(testing::Pair(1, DoubleEq(18 * kMillisecond))));
}

// The one that was timed waited for a rank, as its epoch's others mostly did not.
TEST_F(CallTotalsTest, othersTookWhatTheyAreKnownToHaveTakenAllTogether) {
  epoch(100, {timed(9)}, 0.1);
  EXPECT_DOUBLE_EQ(expected_of_others_.value, 99 * 10 * kMillisecond);
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((10 + 99) * kMillisecond)));
  EXPECT_THAT(totals_.waiting(), Optional(DoubleEq((9 + 0.1 * 99 * 9) * kMillisecond)));
  EXPECT_THAT(waited_for_, testing::ElementsAre(testing::Pair(1, DoubleEq((9 + 0.1 * 99 * 9) * kMillisecond))));
  EXPECT_THAT(totals_.imbalance(), Optional(DoubleEq(18 * kMillisecond))) << "a mean over calls";
  epoch(10, {}, 2.0);
  EXPECT_DOUBLE_EQ(expected_of_others_.value, 10 * 10 * kMillisecond) << "as the latest that were timed";
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((10 + 99 + 200) * kMillisecond)));
  epoch(2, {timed(9), timed(9)}, 5.0);
  EXPECT_EQ(expected_of_others_, Seconds{});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((10 + 99 + 200 + 20) * kMillisecond)));
}

TEST_F(CallTotalsTest, disturbedCallsStandForThemselvesBesideOthers) {
  epoch(100, {disturbed(timed(99, 2)), timed(1), timed(3)});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((100 + 99 * 3) * kMillisecond)));
  EXPECT_THAT(totals_.waiting(), Optional(DoubleEq((99 + 99 * 2) * kMillisecond)));
  EXPECT_DOUBLE_EQ(waited_for_[2], 99 * kMillisecond);
  EXPECT_DOUBLE_EQ(waited_for_[1], 99 * 2 * kMillisecond);
  EXPECT_DOUBLE_EQ(totals_.usual().value, 3 * kMillisecond);
}

TEST_F(CallTotalsTest, disturbedCallsStandForAllWhereNothingElseIsKnown) {
  epoch(10, {disturbed(timed(1))});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq(20 * kMillisecond)));
  epoch(10, {timed(2)});
  epoch(10, {disturbed(timed(9))});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((20 + 30 + 10 + 9 * 3) * kMillisecond)));
}

TEST_F(CallTotalsTest, whatNobodyLookedAtTakesWhatCallsUsuallyDo) {
  totals_.addUnseen(10, 1.0);  // before any is known
  epoch(4, {timed(1), timed(1)});
  totals_.addUnseen(100, 0.5);
  epoch(6, {});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq((10 + 4 + 50 + 6) * 2 * kMillisecond)));
  EXPECT_THAT(totals_.waiting(), Optional(DoubleEq((10 + 4 + 50 + 6) * kMillisecond)));
}

TEST_F(CallTotalsTest, saysHowMuchOfTheWaitingNobodySaw) {
  EXPECT_DOUBLE_EQ(totals_.takeAllOverSeen(), 1.0);
  epoch(4, {timed(1), timed(1)});
  totals_.addUnseen(12, 1.0);
  EXPECT_DOUBLE_EQ(totals_.takeAllOverSeen(), 4.0);
  totals_.addUnseen(12, 1.0);
  EXPECT_DOUBLE_EQ(totals_.takeAllOverSeen(), 1.0) << "there is nothing to go by";
  epoch(4, {timed(1)});
  EXPECT_DOUBLE_EQ(totals_.takeAllOverSeen(), 1.0);
}

TEST_F(CallTotalsTest, waitingIsNotKnownWhereClocksDoNotCompare) {
  epoch(2, {{.elapsed = Seconds{kMillisecond}, .waited = {}, .imbalance = {}}});
  EXPECT_THAT(totals_.seconds(), Optional(DoubleEq(2 * kMillisecond)));
  EXPECT_EQ(totals_.waiting(), std::nullopt);
}

}  // namespace
}  // namespace starling
