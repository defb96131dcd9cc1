#include "estimators/cost_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

namespace starling {
namespace {

constexpr double kCommon = 0.16;  // variance

TEST(CostDistribution, hasAnErrorInCommonButForWhatIsApart) {
  CostDistribution costs(kCommon);
  EXPECT_EQ(costs.add(1.0, 0.3, false), 0U);
  EXPECT_EQ(costs.add(2.0, 0.4, false), 1U);
  EXPECT_EQ(costs.add(3.0, 0.5, true), 2U);
  EXPECT_DOUBLE_EQ(costs.variance(0), kCommon + 0.09);
  EXPECT_DOUBLE_EQ(costs.variance(2), 0.25);
  EXPECT_DOUBLE_EQ(costs.varianceBetween(0, 1), 0.09 + 0.16) << "what is common cancels";
  EXPECT_DOUBLE_EQ(costs.varianceBetween(0, 2), kCommon + 0.09 + 0.25);
  costs.shiftCommon(0.5);
  EXPECT_DOUBLE_EQ(costs.cost(1), 2.5);
  EXPECT_DOUBLE_EQ(costs.cost(2), 3.0);
}

// The textbook's two equations, for one number.
TEST(CostDistribution, weighsAMeasurementByItsVariance) {
  CostDistribution costs(0.0);
  costs.add(1.0, 0.5, false);
  costs.update(0, 0.8, 0.75);  // 0.25 of a variance of 1 is the cost's own
  EXPECT_DOUBLE_EQ(costs.cost(0), 1.0 + 0.8 * 0.25);
  EXPECT_DOUBLE_EQ(costs.variance(0), 0.25 - 0.25 * 0.25);
}

TEST(CostDistribution, learnsOfOneCostFromAnother) {
  CostDistribution costs(kCommon);
  costs.add(1.0, 0.3, false);
  costs.add(1.0, 0.3, false);
  costs.update(0, 1.0, 0.75);
  EXPECT_DOUBLE_EQ(costs.cost(0), 1.0 + 0.25);
  EXPECT_DOUBLE_EQ(costs.cost(1), 1.0 + kCommon);
  EXPECT_DOUBLE_EQ(costs.variance(1), 0.25 - kCommon * kCommon);
}

TEST(CostDistribution, learnsOfBothFromADifference) {
  CostDistribution costs(0.0);
  costs.add(1.0, 0.5, false);
  costs.add(1.0, 0.5, false);
  costs.updateDifference(0, 1, 1.0, 0.5);  // its variance is 0.25 + 0.25 + 0.5
  EXPECT_DOUBLE_EQ(costs.cost(0), 1.25);
  EXPECT_DOUBLE_EQ(costs.cost(1), 0.75);
  EXPECT_DOUBLE_EQ(costs.varianceBetween(0, 1), 0.25);
}

TEST(CostDistribution, addsACostThatIsNearlyAnother) {
  CostDistribution costs(kCommon);
  costs.add(1.0, 0.3, false);
  costs.add(1.0, 0.3, true);
  const std::size_t like = costs.addLike(1, 2.0, 0.1);
  EXPECT_NEAR(costs.varianceBetween(1, like), 0.01, 1e-15);
  EXPECT_DOUBLE_EQ(costs.varianceBetween(0, like), costs.varianceBetween(0, 1) + 0.01);
}

TEST(CostDistribution, knowsCostsLessWellAsTimeGoesBy) {
  CostDistribution costs(0.0);
  costs.add(1.0, 0.1, false);
  costs.add(1.0, 0.1, false);
  const double before = costs.variance(0);
  const double between = costs.varianceBetween(0, 1);
  costs.walk(100);
  EXPECT_GT(costs.variance(0) - before, costs.varianceBetween(0, 1) - between) << "they wander together above all";
  EXPECT_GT(costs.varianceBetween(0, 1), between);
  costs.walk(100'000'000);
  EXPECT_NEAR(costs.variance(0), 1.0, 1e-12) << "but not without end";
}

TEST(CostDistribution, replacesWhatWasKnown) {
  CostDistribution costs(kCommon);
  costs.add(1.0, 0.3, false);
  costs.add(1.0, 0.3, false);
  costs.replace(0, 5.0, 0.04);
  EXPECT_DOUBLE_EQ(costs.cost(0), 5.0);
  EXPECT_DOUBLE_EQ(costs.varianceBetween(0, 1), 0.04 + kCommon + 0.09) << "nothing is common any more";
}

}  // namespace
}  // namespace starling
