#include "tuner/cost_priors.h"

#include <gtest/gtest.h>

#include <array>

namespace starling {
namespace {

constexpr std::array kSlower{CostResidual{.row = {3}, .off = 0.5, .deviation = 0.1}};
constexpr std::array kFaster{CostResidual{.row = {3}, .off = -0.5, .deviation = 0.1}};

TEST(CostPriors, knowNothingAtFirst) { EXPECT_EQ(CostPriors().find({4, 10}), nullptr); }

TEST(CostPriors, findTheNearestSizeClassOfAsManyRanks) {
  CostPriors priors;
  priors.learn({4, 10}, kSlower);
  priors.learn({4, 12}, kFaster);
  EXPECT_EQ(priors.find({4, 10})->residuals.front().off, 0.5);
  EXPECT_EQ(priors.find({4, 13})->residuals.front().off, -0.5);
  EXPECT_EQ(priors.find({4, 13})->shape.size_class, 12);
  EXPECT_EQ(priors.find({4, 15}), nullptr);
  EXPECT_EQ(priors.find({5, 10}), nullptr);
  EXPECT_EQ(priors.find({4, 10, 7}), nullptr) << "on other nodes";
}

TEST(CostPriors, keepTheLatestOfAShape) {
  CostPriors priors;
  priors.learn({4, 10}, kSlower);
  priors.learn({4, 10}, kFaster);
  EXPECT_EQ(priors.find({4, 10})->residuals.front().off, -0.5);
}

TEST(CostPriors, haveWhatAnEarlierRunFoundUntilThisOneHasFoundSomething) {
  CostPriors priors;
  priors.learnOfEarlierRun({4, 10}, kSlower);
  priors.learnOfEarlierRun({4, 10}, kFaster);
  EXPECT_EQ(priors.find({4, 10})->residuals.front().off, 0.5) << "the first";
  EXPECT_TRUE(priors.find({4, 10})->is_of_earlier_run);
  priors.learn({4, 10}, kFaster);
  EXPECT_EQ(priors.find({4, 10})->residuals.front().off, -0.5);
  EXPECT_FALSE(priors.find({4, 10})->is_of_earlier_run);
  priors.learnOfEarlierRun({4, 10}, kSlower);
  EXPECT_FALSE(priors.find({4, 10})->is_of_earlier_run);
}

TEST(CostPriors, areBounded) {
  CostPriors priors;
  for (std::int32_t ranks = 2; ranks < 1000; ++ranks) priors.learn({ranks, 10}, kSlower);
  for (std::int32_t ranks = 1000; ranks < 2000; ++ranks) priors.learnOfEarlierRun({ranks, 10}, kSlower);
  std::size_t known = 0;
  for (std::int32_t ranks = 2; ranks < 2000; ++ranks) known += priors.find({ranks, 10}) == nullptr ? 0 : 1;
  EXPECT_EQ(known, CostPriors::kMaxShapes);
  EXPECT_NE(priors.find({999, 10}), nullptr) << "the latest";
}

}  // namespace
}  // namespace starling
