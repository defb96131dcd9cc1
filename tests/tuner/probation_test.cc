#include "tuner/probation.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(Probation, isSampledAfterThreeStampedCalls) {
  Probation probation;
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(probation.isSampled());
    probation.count(true);
    probation.observe();
  }
  EXPECT_TRUE(probation.isSampled());
}

TEST(Probation, isJudgedByFewerSamplesOnceItsCallsAreUsedUp) {
  Probation probation;
  probation.observe();
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(probation.samplesToJudge(3), 3U);
    EXPECT_FALSE(probation.isOver(3));
    probation.count(true);
  }
  EXPECT_EQ(probation.samplesToJudge(3), 1U);
  EXPECT_TRUE(probation.isOver(3));
  EXPECT_EQ(probation.samplesToJudge(0), 3U) << "without a limit there are more calls to come";
}

TEST(Probation, keepsSamplesWhenCallsAreCountedAnew) {
  Probation probation;
  for (int call = 0; call < 3; ++call) probation.count(true);
  probation.observe();
  probation.restartCalls();
  EXPECT_FALSE(probation.isOver(3));
  EXPECT_FALSE(probation.isSampled());
  probation.observe();
  probation.observe();
  EXPECT_TRUE(probation.isSampled());
}

TEST(Probation, isOverWhenTheKeysCallsDoNotRunTheIncumbent) {
  Probation probation;
  for (int call = 0; call < 31; ++call) probation.count(false);
  EXPECT_FALSE(probation.isOver(3));
  EXPECT_FALSE(probation.neverRuns());
  probation.count(false);
  EXPECT_TRUE(probation.isOver(3));
  EXPECT_TRUE(probation.neverRuns());
  probation.count(true);
  EXPECT_FALSE(probation.neverRuns());
}

}  // namespace
}  // namespace starling
