#include "tuner/pending_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace starling {
namespace {

DecisionRecord decisionOfEpoch(std::int64_t epoch) {
  DecisionRecord decision;
  decision.epoch = epoch;
  decision.reason = "It was faster.";
  return decision;
}

PolicyRecord policyFor(const std::string& choice) {
  PolicyRecord policy;
  policy.choice = choice;
  return policy;
}

TEST(PendingDecisions, movesAllInOrderAndForgetsThem) {
  PendingDecisions pending;
  pending.add(decisionOfEpoch(4));
  pending.add(decisionOfEpoch(7));
  EXPECT_EQ(pending.size(), 2U);
  Batch batch;
  batch.decisions.push_back(decisionOfEpoch(1));
  pending.moveTo(batch);
  ASSERT_EQ(batch.decisions.size(), 3U);
  EXPECT_EQ(batch.decisions[1], decisionOfEpoch(4));
  EXPECT_EQ(batch.decisions[2], decisionOfEpoch(7));
  Batch next;
  pending.moveTo(next);
  EXPECT_TRUE(next.isEmpty());
}

TEST(PendingDecisions, keepsTheNewestAndSaysHowManyAreMissing) {
  PendingDecisions pending;
  const auto most = static_cast<std::int64_t>(PendingDecisions::kMaxDecisions);
  for (std::int64_t epoch = 0; epoch < 100; ++epoch) pending.add(decisionOfEpoch(epoch));
  EXPECT_EQ(pending.size(), PendingDecisions::kMaxDecisions);
  Batch batch;
  pending.moveTo(batch);
  ASSERT_EQ(batch.decisions.size(), PendingDecisions::kMaxDecisions);
  EXPECT_EQ(batch.decisions.front().epoch, 100 - most);
  EXPECT_EQ(batch.decisions.back(), decisionOfEpoch(99));
  EXPECT_THAT(batch.decisions.front().reason, testing::StartsWith("It was faster. (" + std::to_string(100 - most) +
                                                                  " older decisions were not stored"));
}

TEST(PendingDecisions, saysNothingOfMissingOnesOnceTheyWereTold) {
  PendingDecisions pending;
  for (std::int64_t epoch = 0; epoch < 100; ++epoch) pending.add(decisionOfEpoch(epoch));
  Batch batch;
  pending.moveTo(batch);
  pending.add(decisionOfEpoch(100));
  Batch next;
  pending.moveTo(next);
  ASSERT_EQ(next.decisions.size(), 1U);
  EXPECT_EQ(next.decisions[0], decisionOfEpoch(100));
}

TEST(PendingDecisions, keepsTheNewestPolicy) {
  PendingDecisions pending;
  pending.replacePolicy(policyFor("ring"));
  pending.replacePolicy(policyFor("native"));
  Batch batch;
  pending.moveTo(batch);
  ASSERT_EQ(batch.policies.size(), 1U);
  EXPECT_EQ(batch.policies[0], policyFor("native"));
  EXPECT_EQ(pending.size(), 0U);
}

}  // namespace
}  // namespace starling
