#include "tuner/plan_transition.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(PlanTransition, waitsForForceAndThenForTheFirstCallOfItsTrials) {
  PlanTransition transition;
  EXPECT_FALSE(transition.awaitsForce());
  transition.begin(true);
  EXPECT_TRUE(transition.awaitsForce());
  EXPECT_FALSE(transition.awaitsCall()) << "calls still follow the plan before";
  EXPECT_FALSE(transition.takeForce()) << "ranks stay as they are";
  EXPECT_FALSE(transition.awaitsForce());
  EXPECT_TRUE(transition.awaitsCall());
  transition.noteCall();
  EXPECT_FALSE(transition.awaitsCall());
  transition.begin(false);
  transition.takeForce();
  EXPECT_FALSE(transition.awaitsCall()) << "there are no trials";
}

TEST(PlanTransition, followsTheFormerPlanForOneEpochMore) {
  PlanTransition transition;
  transition.begin(false);
  transition.takeForce();
  EXPECT_TRUE(transition.mayFollowFormer());
  EXPECT_FALSE(transition.isOutdated());
  transition.noteEpoch();
  EXPECT_FALSE(transition.mayFollowFormer());
  transition.noteEpoch();
  EXPECT_FALSE(transition.mayFollowFormer());
}

TEST(PlanTransition, makesThatEpochOutdatedWhereRanksAreArrangedAnew) {
  PlanTransition transition;
  transition.setRearranges(true);
  EXPECT_TRUE(transition.rearranges());
  transition.begin(false);
  EXPECT_TRUE(transition.takeForce());
  EXPECT_FALSE(transition.rearranges()) << "the next plan may leave them so";
  EXPECT_TRUE(transition.isOutdated());
  transition.noteEpoch();
  EXPECT_FALSE(transition.isOutdated());
  transition.disregardEpoch();
  EXPECT_TRUE(transition.isOutdated());
}

}  // namespace
}  // namespace starling
