#include "tuner/trial_budget.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(TrialBudget, grantsWhatTheFirstCallsTakeAndThenAShare) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  EXPECT_DOUBLE_EQ(budget.left(), 20.0);
  budget.charge(5.0);
  EXPECT_DOUBLE_EQ(budget.left(), 15.0);
  budget.count(TrialBudget::kGrantedCalls);
  EXPECT_LT(budget.left(), 1.0) << "what was granted lapses";
  budget.count(100);
  EXPECT_NEAR(budget.left(), 2.0, 0.5);
  budget.count(1'000'000);
  EXPECT_DOUBLE_EQ(budget.left(), 20.0) << "no more is saved";
}

TEST(TrialBudget, grantsLessWhereAnEarlierRunHasLearned) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedOnceLearned);
  EXPECT_DOUBLE_EQ(budget.left(), TrialBudget::kGrantedOnceLearned);
  budget.count(200);
  budget.reopen();
  EXPECT_DOUBLE_EQ(budget.left(), 20.0) << "what has changed is learned anew";
}

TEST(TrialBudget, letsCallsPayForATrialThatTookFarMore) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.charge(50.0);
  EXPECT_EQ(budget.left(), 0.0);
  budget.count(1400);
  EXPECT_EQ(budget.left(), 0.0);
  budget.count(200);
  EXPECT_GT(budget.left(), 0.0);
  budget.charge(1e9);
  budget.count(9'000);
  EXPECT_EQ(budget.left(), 0.0);
  budget.count(2'000);
  EXPECT_GT(budget.left(), 0.0) << "however long the call was interrupted";
  budget.charge(-1e9);
  EXPECT_LE(budget.left(), 20.0);
}

TEST(TrialBudget, reopensAfterTwiceAsManyCallsEachTimeWhereTheChoiceStays) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  std::int64_t latest = 0;
  for (const std::int64_t wait : {64, 128, 256}) {
    while (!budget.mayReopen()) budget.count(1);
    budget.reopen();
    latest = budget.calls();
    budget.count(wait - 1);
    EXPECT_FALSE(budget.mayReopen()) << wait;
    budget.count(1);
    EXPECT_TRUE(budget.mayReopen()) << wait;
  }
  budget.reopen();
  budget.noteNewChoice();
  budget.count(32);
  EXPECT_TRUE(budget.mayReopen()) << "it was right to reopen";
  EXPECT_GT(budget.calls(), latest);
}

TEST(TrialBudget, grantsNothingAnewSoonAfterTheLatestGrant) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.count(TrialBudget::kGrantedCalls);
  budget.charge(20.0);
  budget.count(20);
  budget.reopen();
  EXPECT_EQ(budget.left(), 0.0);
  budget.count(100);
  EXPECT_EQ(budget.left(), 0.0);
  budget.reopen();
  EXPECT_GT(budget.left(), 0.0);
}

TEST(TrialBudget, exploresForSomeCalls) {
  TrialBudget budget;
  EXPECT_FALSE(budget.isExploring());
  budget.begin(TrialBudget::kGrantedCalls);
  EXPECT_TRUE(budget.isExploring());
  budget.count(TrialBudget::kExploredCalls);
  EXPECT_FALSE(budget.isExploring());
  budget.count(100);
  budget.reopen();
  EXPECT_TRUE(budget.isExploring());
  EXPECT_GT(budget.left(), 15.0);
}

TEST(TrialBudget, exploresBrieflyAfterTwiceAsManyCallsEachTimeAndLeavesTheRightToReopen) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.count(200);
  const double left = budget.left();
  for (const std::int64_t wait : {64, 128, 256}) {
    ASSERT_TRUE(budget.mayExploreBriefly()) << wait;
    budget.exploreBriefly();
    EXPECT_TRUE(budget.isExploring());
    EXPECT_TRUE(budget.mayReopen()) << "something may really have changed";
    budget.count(TrialBudget::kBrieflyExplored);
    EXPECT_FALSE(budget.isExploring());
    budget.count(wait - TrialBudget::kBrieflyExplored - 1);
    EXPECT_FALSE(budget.mayExploreBriefly()) << wait;
    budget.count(1);
  }
  EXPECT_NEAR(budget.left(), left + TrialBudget::kShare * (64 + 128 + 256), 1e-9) << "nothing is granted";
}

TEST(TrialBudget, givesKeysThatShareItAsManyCallsEachAndOneGrant) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.count(10);
  budget.noteKeys(3);
  EXPECT_NEAR(budget.left(), 20.0, 1e-9);
  budget.count(3 * TrialBudget::kGrantedCalls - 11);
  EXPECT_NEAR(budget.left(), 20.0, 1e-9) << "not lapsed yet";
  budget.count(1);
  EXPECT_LT(budget.left(), 1.0);
  budget.count(3 * (TrialBudget::kExploredCalls - TrialBudget::kGrantedCalls) - 1);
  EXPECT_TRUE(budget.isExploring());
  budget.noteKeys(1);
  budget.count(1);
  EXPECT_FALSE(budget.isExploring());
  budget.noteKeys(4);
  EXPECT_FALSE(budget.isExploring()) << "nothing begins because a key comes";
  budget.reopen();
  for (int i = 0; i < 100; ++i) {
    budget.noteKeys(1);
    budget.noteKeys(2);
  }
  budget.count(4 * TrialBudget::kExploredCalls);
  EXPECT_FALSE(budget.isExploring()) << "however often a key comes and goes";
  budget.noteKeys(1000);
  budget.reopen();
  budget.count(TrialBudget::kMostTimes * TrialBudget::kExploredCalls);
  EXPECT_FALSE(budget.isExploring()) << "however many keys there are";
}

TEST(TrialBudget, keepsWhatCommunicatorsThatLiveForFewCallsCouldNotUse) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.charge(5.0);
  for (int communicator = 0; communicator < TrialBudget::kMostTimes; ++communicator) {
    budget.count(TrialBudget::kGrantedCalls);
    EXPECT_LT(budget.left(), 1.0) << communicator;
    budget.noteCommunicator();
    EXPECT_NEAR(budget.left(), 15.0, 2.0) << communicator;
    EXPECT_TRUE(budget.isExploring());
  }
  budget.count(TrialBudget::kGrantedCalls);
  budget.noteCommunicator();
  EXPECT_LT(budget.left(), 1.0) << "however many there are";
  budget.count(2 * TrialBudget::kGrantedCalls);
  EXPECT_FALSE(budget.isExploring());
}

TEST(TrialBudget, countsATrialThatIsSeenWhenWhatWasGrantedHasLapsed) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.count(TrialBudget::kGrantedCalls);
  budget.charge(12.0);
  budget.noteCommunicator();
  EXPECT_NEAR(budget.left(), 8.0, 1.0);
}

TEST(TrialBudget, keepsWhatFourSitesOfACommunicatorCouldNotUseForAllOfThem) {
  TrialBudget budget;
  budget.begin(TrialBudget::kGrantedCalls);
  budget.noteKeys(4);
  budget.count(TrialBudget::kGrantedCalls);
  budget.noteKeys(0);
  budget.noteCommunicator();
  budget.noteKeys(4);
  budget.count(4 * TrialBudget::kGrantedCalls - 1);
  EXPECT_GT(budget.left(), 10.0);
}

TEST(TrialBudget, keepsNothingForTheNextCommunicatorWhereExplorationWasOverOrAnEarlierRunHasLearned) {
  TrialBudget lasting;
  lasting.begin(TrialBudget::kGrantedCalls);
  lasting.count(TrialBudget::kExploredCalls);
  TrialBudget learned;
  learned.begin(TrialBudget::kGrantedOnceLearned);
  learned.count(TrialBudget::kGrantedCalls);
  for (TrialBudget* budget : {&lasting, &learned}) {
    budget->noteCommunicator();
    EXPECT_LT(budget->left(), 2.0);
  }
  EXPECT_FALSE(lasting.isExploring());
}

}  // namespace
}  // namespace starling
