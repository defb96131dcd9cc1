#include "late_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::HasSubstr;

TEST(LateRank, isRankAndDuration) {
  const LateRank late = parseLateRank("3:50ms").value();
  EXPECT_EQ(late.rank, 3);
  EXPECT_DOUBLE_EQ(late.lateness.value, 0.05);
  EXPECT_THAT(parseLateRank("50ms").status().message(), HasSubstr("RANK:DURATION"));
  EXPECT_THAT(parseLateRank("-1:50ms").status().message(), HasSubstr("RANK:DURATION"));
  EXPECT_THAT(parseLateRank("3:50").status().message(), HasSubstr("has no unit"));
}

}  // namespace
}  // namespace starling::cli
