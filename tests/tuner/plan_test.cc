#include "tuner/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "decoded_decisions.h"

namespace starling {
namespace {

using testing::HasSubstr;

constexpr std::int32_t kRanks = 4;

Choice choiceOf(std::string_view text) { return parseChoice(text).value(); }

KeyPlan exploringPlan() {
  KeyPlan plan;
  plan.trials = {choiceOf("ring"), choiceOf("slt:segments=64"), choiceOf("prr:tau_ns=12345")};
  plan.trial_calls = 2;
  plan.state = KeyState::kExploring;
  plan.table = {2, 0, 3, 1};
  plan.lateness_ns = {0, 0, 1'500, 20'000'000};
  return plan;
}

Decisions someDecisions() {
  KeyPlan settled;
  settled.incumbent = choiceOf("rabenseifner");
  settled.state = KeyState::kSettled;
  settled.probation_calls = 5;
  return {.next_epoch_length = 12, .updates = {{.key = 0, .plan = exploringPlan()}, {.key = 7, .plan = settled}}};
}

std::vector<std::byte> bufferFor(std::size_t updates) {
  return std::vector<std::byte>(kDecisionHeaderBytes + updates * maximumUpdateBytes(kRanks));
}

std::vector<std::byte> encoded(const Decisions& decisions) {
  std::vector<std::byte> buffer = bufferFor(decisions.updates.size());
  EXPECT_EQ(encodeDecisions(decisions, buffer), decisions.updates.size());
  return buffer;
}

void expectEqual(const KeyPlan& plan, const KeyPlan& expected) {
  EXPECT_EQ(plan.incumbent, expected.incumbent);
  EXPECT_EQ(plan.trials, expected.trials);
  EXPECT_EQ(plan.trial_calls, expected.trial_calls);
  EXPECT_EQ(plan.probation_calls, expected.probation_calls);
  EXPECT_EQ(plan.state, expected.state);
  EXPECT_EQ(plan.table, expected.table);
  EXPECT_EQ(plan.lateness_ns, expected.lateness_ns);
}

// The message with one plan, and what decoding it says.
std::string errorOf(const KeyPlan& plan) {
  const Result<Decisions> decoded = decodeDecisions(encoded({.next_epoch_length = 3, .updates = {{0, plan}}}), kRanks);
  return decoded.status().message();
}

TEST(KeyPlan, triesItsTrialsInTurnAndThenStaysWithTheIncumbent) {
  KeyPlan plan = exploringPlan();
  plan.incumbent = choiceOf("rabenseifner");
  for (std::int64_t call = 0; call < 20; ++call) {
    const PlannedChoice planned = choiceOfCall(plan, call);
    EXPECT_EQ(planned.exploration, call < 6) << "call " << call;
    EXPECT_EQ(planned.choice, call < 6 ? plan.trials[static_cast<std::size_t>(call % 3)] : plan.incumbent)
        << "call " << call;
  }
}

TEST(KeyPlan, returnsToNativeWhenTheIncumbentsProbationIsOver) {
  KeyPlan plan;
  plan.incumbent = choiceOf("rabenseifner");
  plan.probation_calls = 3;
  for (std::int64_t call = 0; call < 20; ++call) {
    EXPECT_EQ(choiceOfCall(plan, call).choice, call < 3 ? plan.incumbent : Choice{}) << "call " << call;
    EXPECT_FALSE(choiceOfCall(plan, call).exploration);
  }
}

TEST(KeyPlan, staysWithTheIncumbentWhenNothingIsToBeTried) {
  KeyPlan plan;
  EXPECT_EQ(choiceOfCall(plan, 0).choice.algorithm, kNativeAlgorithm);
  EXPECT_FALSE(choiceOfCall(plan, 0).exploration);
  plan.trials = {choiceOf("ring")};
  plan.trial_calls = 0;
  EXPECT_EQ(choiceOfCall(plan, 0).choice.algorithm, kNativeAlgorithm);
}

TEST(KeyPlan, namesItsStates) {
  EXPECT_STREQ(keyStateName(KeyState::kObserving), "observing");
  EXPECT_STREQ(keyStateName(KeyState::kExploring), "exploring");
  EXPECT_STREQ(keyStateName(KeyState::kSettled), "settled");
  EXPECT_STREQ(keyStateName(KeyState::kPassesThrough), "passes_through");
}

TEST(Decisions, comeBackAsTheyWereSent) {
  const Decisions sent = someDecisions();
  const Result<Decisions> received = decodeDecisions(encoded(sent), kRanks);
  ASSERT_TRUE(received.isOk()) << received.status().message();
  EXPECT_EQ(received.value().next_epoch_length, 12);
  ASSERT_EQ(received.value().updates.size(), 2U);
  EXPECT_EQ(received.value().updates[0].key, 0);
  EXPECT_EQ(received.value().updates[1].key, 7);
  expectEqual(received.value().updates[0].plan, sent.updates[0].plan);
  expectEqual(received.value().updates[1].plan, sent.updates[1].plan);
}

TEST(Decisions, fitTheirStatedSizeWhenPlansAreAsLargeAsTheyGet) {
  KeyPlan plan = exploringPlan();
  plan.trials.assign(kMaxTrials, choiceOf("ring_segmented:segments=1024,window=64"));
  const Result<Decisions> received = decodeDecisions(encoded({.next_epoch_length = 4, .updates = {{3, plan}}}), kRanks);
  ASSERT_TRUE(received.isOk()) << received.status().message();
  expectEqual(received.value().updates.front().plan, plan);
}

TEST(Decisions, travelWithoutUpdates) {
  const Result<Decisions> received = decodeDecisions(encoded({.next_epoch_length = 256, .updates = {}}), kRanks);
  ASSERT_TRUE(received.isOk());
  EXPECT_EQ(received.value().next_epoch_length, 256);
  EXPECT_TRUE(received.value().updates.empty());
}

TEST(Decisions, sendOnlyAsManyUpdatesAsFit) {
  Decisions decisions;
  for (std::int32_t key = 0; key < 5; ++key) decisions.updates.push_back({key, exploringPlan()});
  std::vector<std::byte> buffer = bufferFor(3);
  ASSERT_EQ(encodeDecisions(decisions, buffer), 3U);
  const Result<Decisions> received = decodeDecisions(buffer, kRanks);
  ASSERT_TRUE(received.isOk());
  ASSERT_EQ(received.value().updates.size(), 3U);
  for (std::int32_t key = 0; key < 3; ++key)
    EXPECT_EQ(received.value().updates[static_cast<std::size_t>(key)].key, key);
}

TEST(Decisions, areRejectedWhenCutShortAnywhere) {
  const Decisions sent = someDecisions();
  const std::vector<std::byte> whole = encoded(sent);
  // The second plan has neither table nor latenesses: the message ends that much before the buffer does.
  const std::size_t used = whole.size() - kRanks * (sizeof(std::int32_t) + sizeof(std::int64_t));
  for (std::size_t length = 0; length < used; ++length) {
    const Result<Decisions> received = decodeDecisions(std::span(whole).first(length), kRanks);
    ASSERT_FALSE(received.isOk()) << length << " of " << used << " bytes";
    EXPECT_THAT(received.status().message(), HasSubstr(length < kDecisionHeaderBytes ? "header" : "damaged"));
  }
  EXPECT_TRUE(decodeDecisions(std::span(whole).first(used), kRanks).isOk());
}

TEST(Decisions, areRejectedWhenTheTableIsNoPermutation) {
  for (const std::vector<std::int32_t>& table :
       {std::vector<std::int32_t>{0, 1, 2, 2}, {0, 1, 2, 4}, {-1, 1, 2, 3}, {0, 0, 0, 0}}) {
    KeyPlan plan = exploringPlan();
    plan.table = table;
    EXPECT_THAT(errorOf(plan), HasSubstr("update 0"));
  }
}

TEST(Decisions, areRejectedWhenAnAlgorithmIsUnknown) {
  KeyPlan plan = exploringPlan();
  plan.incumbent.algorithm = 9999;
  EXPECT_THAT(errorOf(plan), HasSubstr("update 0"));
  plan = exploringPlan();
  plan.trials.back().algorithm = -1;
  EXPECT_THAT(errorOf(plan), HasSubstr("update 0"));
  EXPECT_EQ(errorOf(exploringPlan()), "");
}

TEST(Decisions, areRejectedWhenTheirCountIsImpossible) {
  for (const std::int32_t count : {-1, 3, 1'000'000'000}) {
    std::vector<std::byte> message = encoded(someDecisions());
    std::memcpy(message.data() + sizeof(std::int32_t), &count, sizeof(count));
    EXPECT_FALSE(decodeDecisions(message, kRanks).isOk()) << count << " updates";
  }
}

TEST(Decisions, neverCrashTheReaderWhateverTheBytes) {
  const std::vector<std::byte> whole = encoded(someDecisions());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> damaged = whole;
    damaged[i] ^= std::byte{0xff};
    const Result<Decisions> received = decodeDecisions(damaged, kRanks);
    if (!received.isOk()) continue;  // where the damage is in a figure, it cannot be told
    for (const PlanUpdate& update : received.value().updates) {
      EXPECT_LE(update.plan.trials.size(), kMaxTrials);
      EXPECT_NE(findAlgorithm(update.plan.incumbent.algorithm), nullptr);
      std::vector<std::int32_t> sorted = update.plan.table;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t rank = 0; rank < sorted.size(); ++rank) EXPECT_EQ(sorted[rank], static_cast<std::int32_t>(rank));
    }
  }
}

}  // namespace
}  // namespace starling
