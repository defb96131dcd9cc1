#include "algos/link_costs.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(LinkCosts, addUpPerMessageAndByte) {
  constexpr LinkCosts kCosts{.alpha_ns = 100, .beta_ps = 2000, .gamma_ps = 500};
  EXPECT_EQ(transferNs(kCosts, 0), 100);
  EXPECT_EQ(transferNs(kCosts, 1000), 2100);
  EXPECT_EQ(mergeNs(kCosts, 1000), 2600);
}

TEST(BestSegments, isWhereTheCostIsLeast) {
  constexpr LinkCosts kCosts{.alpha_ns = 1000, .beta_ps = 1000};
  constexpr std::int64_t kBytes = 1'000'000;
  constexpr std::int64_t kOthers = 10;
  const auto cost = [&](std::int64_t segments) {
    return static_cast<double>(segments + kOthers) *
           (1000.0 + static_cast<double>(kBytes) / static_cast<double>(segments));
  };
  const std::int64_t best = bestSegments(kCosts, kBytes, kOthers);
  EXPECT_EQ(best, 100);
  EXPECT_LE(cost(best), cost(best - 10));
  EXPECT_LE(cost(best), cost(best + 10));
}

TEST(BestSegments, areNeverTooShortNorMoreThanTagsAllow) {
  EXPECT_EQ(bestSegments({.alpha_ns = 0, .beta_ps = 1'000'000'000}, 3, 1000), 1);
  EXPECT_EQ(bestSegments({.alpha_ns = 0, .beta_ps = 1'000'000'000}, 3 * kShortestSegment, 1000), 3);
  EXPECT_EQ(bestSegments({.alpha_ns = 0, .beta_ps = 1'000'000'000}, 1 << 30, 1000), kMaxSegments);
  EXPECT_EQ(bestSegments({.alpha_ns = 1000, .beta_ps = 1}, 100, 1000), 1);
  EXPECT_EQ(bestSegments({}, 1 << 20, 0), 1);
}

}  // namespace
}  // namespace starling
