#include "tuner/cost_priors.h"

#include <gtest/gtest.h>

#include <array>

namespace starling {
namespace {

constexpr std::array kSlower{CostResidual{.row = {3}, .off = 0.5, .deviation = 0.1}};
constexpr std::array kFaster{CostResidual{.row = {3}, .off = -0.5, .deviation = 0.1}};

TEST(CostPriors, knowNothingAtFirst) {
  std::int32_t distance = 0;
  EXPECT_TRUE(CostPriors().find({4, 10}, distance).empty());
}

TEST(CostPriors, findTheNearestSizeClassOfAsManyRanks) {
  CostPriors priors;
  priors.learn({4, 10}, kSlower);
  priors.learn({4, 12}, kFaster);
  std::int32_t distance = -1;
  EXPECT_EQ(priors.find({4, 10}, distance).front().off, 0.5);
  EXPECT_EQ(distance, 0);
  EXPECT_EQ(priors.find({4, 13}, distance).front().off, -0.5);
  EXPECT_EQ(distance, 1);
  EXPECT_TRUE(priors.find({4, 15}, distance).empty());
  EXPECT_TRUE(priors.find({5, 10}, distance).empty());
  EXPECT_TRUE(priors.find({4, 10, 7}, distance).empty()) << "on other nodes";
}

TEST(CostPriors, keepTheLatestOfAShape) {
  CostPriors priors;
  priors.learn({4, 10}, kSlower);
  priors.learn({4, 10}, kFaster);
  std::int32_t distance = 0;
  EXPECT_EQ(priors.find({4, 10}, distance).front().off, -0.5);
}

TEST(CostPriors, areBounded) {
  CostPriors priors;
  for (std::int32_t ranks = 2; ranks < 1000; ++ranks) priors.learn({ranks, 10}, kSlower);
  std::int32_t distance = 0;
  std::size_t known = 0;
  for (std::int32_t ranks = 2; ranks < 1000; ++ranks) known += priors.find({ranks, 10}, distance).empty() ? 0 : 1;
  EXPECT_EQ(known, CostPriors::kMaxShapes);
  EXPECT_FALSE(priors.find({999, 10}, distance).empty()) << "the latest";
}

}  // namespace
}  // namespace starling
