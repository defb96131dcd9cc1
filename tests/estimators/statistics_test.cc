#include "estimators/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace starling {
namespace {

TEST(Statistics, summaryIsZeroWhenNothingWasMeasured) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.n, 0U);
  EXPECT_EQ(summary.mean, 0.0);
  EXPECT_EQ(summary.deviation, 0.0);
  EXPECT_EQ(summary.minimum, 0.0);
  EXPECT_EQ(summary.median, 0.0);
  EXPECT_EQ(summary.maximum, 0.0);
}

TEST(Statistics, deviationIsZeroWhenThereIsOneValue) {
  const std::array values{3.5};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.n, 1U);
  EXPECT_EQ(summary.mean, 3.5);
  EXPECT_EQ(summary.deviation, 0.0);
  EXPECT_EQ(summary.minimum, 3.5);
  EXPECT_EQ(summary.median, 3.5);
  EXPECT_EQ(summary.maximum, 3.5);
}

TEST(Statistics, summaryEqualsHandComputedValues) {
  // Sum 40, squares about the mean 5: 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32.
  const std::array values{9.0, 2.0, 4.0, 5.0, 4.0, 7.0, 4.0, 5.0};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.n, 8U);
  EXPECT_DOUBLE_EQ(summary.mean, 5.0);
  EXPECT_DOUBLE_EQ(summary.deviation, std::sqrt(32.0 / 7.0));
  EXPECT_EQ(summary.minimum, 2.0);
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_EQ(summary.maximum, 9.0);
}

TEST(Statistics, deviationKeepsItsDigitsWhenTheMeanIsLarge) {
  const std::array values{1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0};
  EXPECT_NEAR(summarize(values).deviation, std::sqrt(30.0), 1e-9);
}

TEST(Statistics, quantileInterpolatesBetweenOrderStatistics) {
  const std::array values{40.0, 10.0, 30.0, 20.0};
  EXPECT_DOUBLE_EQ(quantile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 25.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 37.0);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0), 40.0);
}

TEST(Statistics, everyQuantileIsTheValueWhenThereIsOne) {
  const std::array values{7.0};
  for (double q : {0.0, 0.3, 1.0}) EXPECT_EQ(quantile(values, q), 7.0);
}

TEST(Statistics, robustDeviationEqualsHandComputedValue) {
  // Median 3, distances 2 1 0 1 6, their median 1.
  const std::array values{1.0, 2.0, 3.0, 4.0, 9.0};
  EXPECT_DOUBLE_EQ(robustDeviation(values), 1.4826);
}

TEST(Statistics, robustDeviationStaysWhenOneOutlierGrows) {
  std::vector<double> values{1.0, 1.1, 0.9, 1.05, 0.95, 1.02, 2.0};
  const double before = robustDeviation(values);
  values.back() = 1e6;
  EXPECT_DOUBLE_EQ(robustDeviation(values), before);
  EXPECT_GT(summarize(values).deviation, 1e5);
}

TEST(Statistics, robustDeviationIsZeroWhenNothingWasMeasured) { EXPECT_EQ(robustDeviation({}), 0.0); }

TEST(Statistics, confidenceIsInfiniteWhenThereAreFewerThanTwoValues) {
  EXPECT_TRUE(std::isinf(confidenceHalfWidth({})));
  EXPECT_TRUE(std::isinf(confidenceHalfWidth(summarize(std::array{1.0}))));
}

TEST(Statistics, confidenceIsZeroWhenAllValuesAreEqual) {
  EXPECT_EQ(confidenceHalfWidth(summarize(std::array{2.0, 2.0, 2.0})), 0.0);
}

// Quantiles of printed tables of Student's t (0.975).
TEST(Statistics, confidenceFollowsStudentsT) {
  struct Row {
    std::size_t n;
    double quantile;
  };
  constexpr Row kRows[] = {{2, 12.7062}, {3, 4.3027},  {6, 2.5706},  {11, 2.2281},  {12, 2.2010},
                           {21, 2.0860}, {31, 2.0423}, {61, 2.0003}, {121, 1.9799}, {1000001, 1.9600}};
  for (const Row& row : kRows) {
    Summary summary;
    summary.n = row.n;
    summary.deviation = std::sqrt(static_cast<double>(row.n));
    EXPECT_NEAR(confidenceHalfWidth(summary), row.quantile, 2e-4) << "n = " << row.n;
  }
}

}  // namespace
}  // namespace starling
