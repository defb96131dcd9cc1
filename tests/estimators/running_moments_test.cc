#include "estimators/running_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "estimators/statistics.h"

namespace starling {
namespace {

RunningMoments momentsOf(const std::vector<double>& values) {
  RunningMoments moments;
  for (const double value : values) moments.add(value);
  return moments;
}

TEST(RunningMoments, areZeroWhenNothingWasAdded) {
  const RunningMoments moments;
  EXPECT_EQ(moments.count(), 0);
  EXPECT_EQ(moments.mean(), 0.0);
  EXPECT_EQ(moments.minimum(), 0.0);
  EXPECT_EQ(moments.deviation(), 0.0);
}

TEST(RunningMoments, haveNoDeviationWhenThereIsOneValue) {
  const RunningMoments moments = momentsOf({-3.5});
  EXPECT_EQ(moments.count(), 1);
  EXPECT_EQ(moments.mean(), -3.5);
  EXPECT_EQ(moments.minimum(), -3.5);
  EXPECT_EQ(moments.deviation(), 0.0);
}

TEST(RunningMoments, equalHandComputedValues) {
  // Sum 40, squares about the mean 5: 16 + 9 + 1 + 1 + 1 + 0 + 0 + 4 = 32.
  const RunningMoments moments = momentsOf({9.0, 2.0, 4.0, 5.0, 4.0, 7.0, 4.0, 5.0});
  EXPECT_EQ(moments.count(), 8);
  EXPECT_DOUBLE_EQ(moments.mean(), 5.0);
  EXPECT_DOUBLE_EQ(moments.deviation(), std::sqrt(32.0 / 7.0));
  EXPECT_EQ(moments.minimum(), 2.0);
}

TEST(RunningMoments, equalTheSummaryOfTheSameValues) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> time(0.0, 1.5);
  std::vector<double> values(10'000);
  for (double& value : values) value = time(random);
  const RunningMoments moments = momentsOf(values);
  const Summary summary = summarize(values);
  EXPECT_NEAR(moments.mean(), summary.mean, 1e-12 * summary.mean);
  EXPECT_NEAR(moments.deviation(), summary.deviation, 1e-12 * summary.deviation);
  EXPECT_EQ(moments.minimum(), summary.minimum);
}

TEST(RunningMoments, keepTheirDigitsWhenTheMeanIsLarge) {
  // The sum of squares of these values minus n times the squared mean would be 0 or worse.
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(1e9 + (i % 2 == 0 ? 1.0 : -1.0));
  EXPECT_NEAR(momentsOf(values).mean(), 1e9, 1e-6);
  EXPECT_NEAR(momentsOf(values).deviation(), std::sqrt(100'000.0 / 99'999.0), 1e-9);
}

}  // namespace
}  // namespace starling
