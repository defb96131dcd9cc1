#include "tuner/first_trials.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace starling {
namespace {

constexpr KeyShape kShape{.ranks = 8, .size_class = 10};
constexpr RowForm kRing{3};
constexpr RowForm kDirect{4};
constexpr RowForm kSlt{5};
constexpr std::int64_t kKey = 1;
constexpr std::int64_t kOther = 2;
constexpr std::int64_t kCommunicator = 1;

TEST(FirstTrials, areUnderWayUntilTheyAreTold) {
  FirstTrials trials;
  EXPECT_FALSE(trials.isUnderWay(kShape, kRing));
  trials.begin(kShape, kRing, 0.5);
  EXPECT_TRUE(trials.isUnderWay(kShape, kRing));
  EXPECT_FALSE(trials.isUnderWay(kShape, kDirect));
  EXPECT_TRUE(trials.findings(kOther, kShape).empty());
  trials.tell(kKey, kShape, {.row = kRing, .off = 0.5, .deviation = 0.1});
  EXPECT_FALSE(trials.isUnderWay(kShape, kRing));
  ASSERT_EQ(trials.findings(kOther, kShape).size(), 1U);
  EXPECT_EQ(trials.findings(kOther, kShape).front().residual.off, 0.5);
}

TEST(FirstTrials, areKnownToKeysOfTheVeryShape) {
  FirstTrials trials;
  EXPECT_FALSE(trials.areKnown(kShape));
  trials.begin(kShape, kRing, 0.5);
  EXPECT_TRUE(trials.areKnown(kShape));
  EXPECT_FALSE(trials.areKnown({8, 11}));
}

TEST(FirstTrials, countHowOftenNativeWasSeenInAShape) {
  FirstTrials trials;
  EXPECT_EQ(trials.nativeSeen(kShape), 0);
  for (int call = 0; call < 3; ++call) trials.noteNative(kShape);
  trials.noteNative({8, 11});
  EXPECT_EQ(trials.nativeSeen(kShape), 3);
  EXPECT_EQ(trials.nativeSeen({8, 11}), 1);
  for (std::int32_t ranks = 100; ranks < 1000; ++ranks) trials.noteNative({ranks, 10});
  EXPECT_EQ(trials.nativeSeen(kShape), 0) << "what is kept is bounded";
}

TEST(FirstTrials, concernKeysOfAboutThatSizeOnAsManyRanks) {
  FirstTrials trials;
  trials.begin(kShape, kRing, 0.5);
  EXPECT_TRUE(trials.isUnderWay({8, 12}, kRing));
  EXPECT_FALSE(trials.isUnderWay({8, 13}, kRing));
  EXPECT_FALSE(trials.isUnderWay({9, 10}, kRing));
  trials.tell(kKey, kShape, {.row = kRing, .off = 0.5});
  trials.tell(kKey, {8, 12}, {.row = kRing, .off = 0.7});
  const auto findings = trials.findings(kOther, {8, 11});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(trials.findings(kOther, {8, 12}).front().distance, 0) << "the nearest first";
  EXPECT_EQ(trials.findings(kOther, {8, 12}).front().residual.off, 0.7);
  EXPECT_EQ(trials.findings(kOther, {8, 12}).back().distance, 2);
  EXPECT_TRUE(trials.findings(kOther, {9, 10}).empty());
}

TEST(FirstTrials, addUpWhatIsAtStake) {
  FirstTrials trials;
  trials.noteDecision(kCommunicator);
  EXPECT_EQ(trials.excessUnderWay(kShape), 0.0);
  trials.begin(kShape, kRing, 0.5);
  trials.begin({8, 12}, kDirect, 0.25);
  trials.begin({8, 14}, kSlt, 4.0);
  trials.begin({9, 10}, kSlt, 4.0);
  EXPECT_EQ(trials.excessUnderWay(kShape), 0.75) << "of keys that are alike";
  trials.tell(kKey, kShape, {.row = kRing});
  EXPECT_EQ(trials.excessUnderWay(kShape), 0.25);
  for (int decision = 0; decision < 4; ++decision) trials.noteDecision(kCommunicator);
  EXPECT_EQ(trials.excessUnderWay(kShape), 0.0) << "it was never made";
}

TEST(FirstTrials, areNotWaitedForLong) {
  FirstTrials trials;
  trials.noteDecision(kCommunicator);
  trials.begin(kShape, kRing, 0.5);
  for (int decision = 0; decision < 4; ++decision) trials.noteDecision(kCommunicator);
  EXPECT_FALSE(trials.isUnderWay(kShape, kRing)) << "it was never made";
}

// Each of them decides as often as the one would alone.
TEST(FirstTrials, areWaitedForAsLongWhereCommunicatorsTakeTurns) {
  FirstTrials trials;
  const auto decide = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (std::int64_t communicator = 1; communicator <= 5; ++communicator) trials.noteDecision(communicator);
    }
  };
  decide(1);
  trials.begin(kShape, kRing, 0.5);
  decide(3);
  EXPECT_TRUE(trials.isUnderWay(kShape, kRing));
  decide(1);
  EXPECT_FALSE(trials.isUnderWay(kShape, kRing));
  trials.tell(kKey, kShape, {.row = kRing});
  decide(15);
  EXPECT_EQ(trials.findings(kOther, kShape).size(), 1U);
  for (std::int64_t communicator = 1; communicator <= 5000; ++communicator) trials.noteDecision(communicator);
  EXPECT_TRUE(trials.findings(kOther, kShape).empty()) << "of many no more are told apart";
}

TEST(FirstTrials, areHeardOfByOthersWhileTheyAreNews) {
  FirstTrials trials;
  trials.noteDecision(kCommunicator);
  trials.tell(kKey, kShape, {.row = kRing});
  EXPECT_EQ(trials.findings(kOther, kShape).size(), 1U);
  EXPECT_TRUE(trials.findings(kKey, kShape).empty());
  for (int decision = 0; decision < 16; ++decision) trials.noteDecision(kCommunicator);
  EXPECT_TRUE(trials.findings(kOther, kShape).empty());
}

TEST(FirstTrials, areBounded) {
  FirstTrials trials;
  for (std::int32_t ranks = 1; ranks <= 1000; ++ranks) trials.tell(kKey, {ranks, 10}, {.row = kRing});
  std::size_t known = 0;
  for (std::int32_t ranks = 1; ranks <= 1000; ++ranks) known += trials.findings(kOther, {ranks, 10}).size();
  EXPECT_EQ(known, FirstTrials::kMaxKept);
  EXPECT_FALSE(trials.findings(kOther, {1000, 10}).empty()) << "the latest";
}

}  // namespace
}  // namespace starling
