#include "tuner/rooted/period_mean.h"

#include <gtest/gtest.h>

#include <limits>

namespace starling {
namespace {

TEST(PeriodMean, isTheMeanOfOnePeriodAlone) {
  PeriodMean mean;
  EXPECT_EQ(mean.take(), 0);
  mean.add(10);
  mean.add(20);
  EXPECT_EQ(mean.take(), 15);
  mean.add(7);
  EXPECT_EQ(mean.take(), 7);
  EXPECT_EQ(mean.take(), 0);
}

TEST(PeriodMean, ofLateStampsDoesNotOverflow) {
  constexpr std::int64_t kLate = std::numeric_limits<std::int64_t>::max() - 100'000;
  PeriodMean mean;
  for (int i = 0; i < 65536; ++i) mean.add(kLate + i % 2);
  EXPECT_EQ(mean.take(), kLate);
}

}  // namespace
}  // namespace starling
