#include "tuner/sampled_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace starling {
namespace {

using testing::ElementsAre;

TEST(SampledCall, isComparedByTheMeanExitAfterTheLastArrival) {
  const std::vector<Seconds> arrivals = {{1.0}, {3.0}, {2.0}};
  const std::vector<Seconds> exits = {{4.0}, {6.0}, {8.0}};
  const CallTimes times = timesOf({arrivals, exits}, Seconds{});
  EXPECT_DOUBLE_EQ(times.compared.value, 3.0);
  EXPECT_DOUBLE_EQ(times.net.value, 3.0);
  EXPECT_DOUBLE_EQ(times.elapsed.value, 4.0);
  EXPECT_THAT(times.lateness, ElementsAre(Seconds{0.0}, Seconds{2.0}, Seconds{1.0}));
  EXPECT_DOUBLE_EQ(times.imbalance.value, 2.0);
}

TEST(SampledCall, isComparedByTheMeanElapsedTimeWhereStampsDoNotCompare) {
  const std::vector<Seconds> arrivals = {{101.0}, {3.0}, {-48.0}};
  const std::vector<Seconds> exits = {{104.0}, {6.0}, {-42.0}};
  const CallTimes times = timesOf({arrivals, exits}, std::nullopt);
  EXPECT_DOUBLE_EQ(times.compared.value, 4.0);
  EXPECT_DOUBLE_EQ(times.elapsed.value, 4.0);
  EXPECT_DOUBLE_EQ(times.net.value, 3.0) << "the shortest";
  EXPECT_TRUE(times.lateness.empty()) << "it is not known";
  EXPECT_DOUBLE_EQ(times.imbalance.value, 0.0);
}

TEST(SampledCall, hasANetTimeThatALateRankDoesNotLengthenWhereStampsDoNotCompare) {
  for (const double late : {0.0, 5.0, 5000.0}) {
    const std::vector<Seconds> arrivals = {{0.0}, {late + 100.0}};
    const std::vector<Seconds> exits = {{late + 2.0}, {late + 102.0}};
    EXPECT_DOUBLE_EQ(timesOf({arrivals, exits}, std::nullopt).net.value, 2.0);
  }
}

TEST(SampledCall, countsNobodyAsLateWithinTheErrorOfTheClocks) {
  const std::vector<Seconds> arrivals = {{1.0}, {3.0}, {2.0}};
  const std::vector<Seconds> exits = {{4.0}, {6.0}, {8.0}};
  const CallTimes late = timesOf({arrivals, exits}, Seconds{1.5});
  EXPECT_THAT(late.lateness, ElementsAre(Seconds{0.0}, Seconds{2.0}, Seconds{0.0}));
  EXPECT_DOUBLE_EQ(late.compared.value, 3.0);
  EXPECT_EQ(late.compared_error, Seconds{1.5});
  const CallTimes on_time = timesOf({arrivals, exits}, Seconds{2.5});
  EXPECT_THAT(on_time.lateness, ElementsAre(Seconds{0.0}, Seconds{0.0}, Seconds{0.0}));
  EXPECT_DOUBLE_EQ(on_time.imbalance.value, 0.0);
  EXPECT_DOUBLE_EQ(on_time.compared.value, 4.0) << "the mean elapsed time, which no clock's error is in";
  EXPECT_EQ(on_time.compared_error, Seconds{});
  EXPECT_EQ(on_time.clock_error, Seconds{2.5});
}

}  // namespace
}  // namespace starling
