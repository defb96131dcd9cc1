#include "tuner/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
  plan.state = KeyState::kExploring;
  plan.placed = {{.rank = 3, .place = 2, .lateness_ns = 1'500}, {.rank = 1, .place = 3, .lateness_ns = 20'000'000}};
  return plan;
}

Decisions someDecisions() {
  KeyPlan settled;
  settled.incumbent = choiceOf("rabenseifner");
  settled.state = KeyState::kSettled;
  settled.limit = {.slow_ns = 123'456'789, .cold = 2, .every = 3, .known = 1};
  settled.cycle = {.period = 50, .special = std::uint64_t{1} << 49};
  return {.next_epoch_length = 12, .updates = {{.key = 0, .plan = exploringPlan()}, {.key = 7, .plan = settled}}};
}

std::vector<std::byte> encoded(const Decisions& decisions) {
  std::vector<std::byte> buffer(kLeastDecisionBytes);
  EXPECT_EQ(encodeDecisions(decisions, buffer), decisions.updates.size());
  return buffer;
}

void expectEqual(const KeyPlan& plan, const KeyPlan& expected) {
  EXPECT_EQ(plan.incumbent, expected.incumbent);
  EXPECT_EQ(plan.trials, expected.trials);
  EXPECT_EQ(plan.state, expected.state);
  EXPECT_EQ(plan.limit, expected.limit);
  EXPECT_EQ(plan.placed, expected.placed);
  EXPECT_EQ(plan.cycle, expected.cycle);
}

// The message with one plan, and what decoding it says.
std::string errorOf(const KeyPlan& plan) {
  const Result<Decisions> decoded = decodeDecisions(encoded({.next_epoch_length = 3, .updates = {{0, plan}}}), kRanks);
  return decoded.status().message();
}

TEST(KeyPlan, triesItsTrialsOnceEachAndThenStaysWithTheIncumbent) {
  KeyPlan plan = exploringPlan();
  plan.incumbent = choiceOf("rabenseifner");
  for (std::int64_t call = 0; call < 20; ++call) {
    const PlannedChoice planned = choiceOfCall(plan, call);
    EXPECT_EQ(planned.exploration, call < 3) << "call " << call;
    EXPECT_EQ(planned.choice, call < 3 ? plan.trials[static_cast<std::size_t>(call)] : plan.incumbent)
        << "call " << call;
  }
}

TEST(KeyPlan, doesNotExploreWhereTheIncumbentStandsBeforeTheTrials) {
  KeyPlan plan = exploringPlan();
  plan.incumbent = choiceOf("rabenseifner");
  plan.trials.insert(plan.trials.begin(), plan.incumbent);
  EXPECT_EQ(choiceOfCall(plan, 0).choice, plan.incumbent);
  EXPECT_FALSE(choiceOfCall(plan, 0).exploration);
  EXPECT_TRUE(choiceOfCall(plan, 1).exploration);
}

TEST(KeyPlan, staysWithTheIncumbentWhenNothingIsToBeTried) {
  const KeyPlan plan;
  EXPECT_EQ(choiceOfCall(plan, 0).choice.algorithm, kNativeAlgorithm);
  EXPECT_FALSE(choiceOfCall(plan, 0).exploration);
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

// A choice whose parameters all have their greatest values.
Choice greatest(const Algorithm& algorithm) {
  Choice choice{algorithm.id, {}};
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) choice.parameters[i] = algorithm.parameters[i].maximum;
  return choice;
}

TEST(Decisions, fitTheLeastMessageHoweverLargeTheirChoicesAre) {
  for (const Algorithm& algorithm : catalogue()) {
    KeyPlan plan = exploringPlan();
    plan.incumbent = greatest(algorithm);
    plan.trials.assign(kMaxTrials, greatest(algorithm));
    plan.limit = {.slow_ns = std::int64_t{1} << 40, .every = 32, .known = 1 << 20};
    plan.placed.clear();
    plan.cycle = {.period = Cycle::kLongest, .special = ~std::uint64_t{1}};
    const Result<Decisions> received =
        decodeDecisions(encoded({.next_epoch_length = 1 << 20, .updates = {{1 << 20, plan}}}), 1 << 20);
    ASSERT_TRUE(received.isOk()) << algorithm.name << ": " << received.status().message();
    expectEqual(received.value().updates.front().plan, plan);
  }
}

TEST(Decisions, leaveOutTheRanksThatAreLeastLateWhereNotAllFit) {
  KeyPlan plan = exploringPlan();
  plan.placed.clear();
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(kMostPlaced); ++i) {
    plan.placed.push_back({.rank = 3000 + i, .place = 10'208 + i, .lateness_ns = 1'000'000'000 + i});
  }
  const Result<Decisions> received = decodeDecisions(encoded({.next_epoch_length = 3, .updates = {{0, plan}}}), 10'240);
  ASSERT_TRUE(received.isOk()) << received.status().message();
  const std::vector<PlacedRank>& placed = received.value().updates.front().plan.placed;
  ASSERT_GE(placed.size(), 16U);
  ASSERT_LT(placed.size(), plan.placed.size());
  EXPECT_TRUE(std::equal(placed.rbegin(), placed.rend(), plan.placed.rbegin()));
}

TEST(Decisions, travelWithoutUpdates) {
  const Result<Decisions> received = decodeDecisions(encoded({.next_epoch_length = 256, .updates = {}}), kRanks);
  ASSERT_TRUE(received.isOk());
  EXPECT_EQ(received.value().next_epoch_length, 256);
  EXPECT_TRUE(received.value().updates.empty());
}

TEST(Decisions, sendOnlyAsManyUpdatesAsFit) {
  Decisions decisions;
  for (std::int32_t key = 0; key < 50; ++key) decisions.updates.push_back({key, exploringPlan()});
  std::vector<std::byte> buffer(kLeastDecisionBytes);
  const std::size_t sent = encodeDecisions(decisions, buffer);
  EXPECT_GT(sent, 3U);
  ASSERT_LT(sent, 50U);
  const Result<Decisions> received = decodeDecisions(buffer, kRanks);
  ASSERT_TRUE(received.isOk());
  ASSERT_EQ(received.value().updates.size(), sent);
  for (std::size_t i = 0; i < sent; ++i) EXPECT_EQ(received.value().updates[i].key, static_cast<std::int32_t>(i));
}

TEST(Decisions, areRejectedWhenCutShortAnywhere) {
  const std::vector<std::byte> whole = encoded(someDecisions());
  bool was_read = false;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Result<Decisions> received = decodeDecisions(std::span(whole).first(length), kRanks);
    ASSERT_FALSE(was_read && !received.isOk()) << length;
    was_read = received.isOk();
    if (was_read) continue;
    EXPECT_THAT(received.status().message(), HasSubstr(length < 2 ? "header" : "damaged"));
  }
  EXPECT_TRUE(was_read);
}

TEST(Decisions, areRejectedWhenPlacesAreNone) {
  const std::vector<std::vector<PlacedRank>> bad = {{{4, 0, 0}},           {{-1, 0, 0}}, {{0, 4, 0}},
                                                    {{0, -1, 0}},          {{0, 1, -1}}, {{0, 1, 0}, {0, 2, 0}},
                                                    {{0, 1, 0}, {2, 1, 0}}};
  for (const std::vector<PlacedRank>& placed : bad) {
    KeyPlan plan = exploringPlan();
    plan.placed = placed;
    EXPECT_THAT(errorOf(plan), HasSubstr("update 0"));
  }
}

TEST(Decisions, areRejectedWhenACycleIsNotSound) {
  const std::vector<Cycle> bad = {{1, 1}, {-2, 1}, {65, 1}, {4, 0}, {4, 0b1111}, {4, 0b10001}, {1 << 20, 1}};
  for (const Cycle& cycle : bad) {
    KeyPlan plan = exploringPlan();
    plan.cycle = cycle;
    EXPECT_THAT(errorOf(plan), HasSubstr("update 0")) << cycle.period;
  }
  KeyPlan plan = exploringPlan();
  plan.cycle = {Cycle::kLongest, std::uint64_t{1} << 63};
  EXPECT_EQ(errorOf(plan), "");
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
  for (const int count : {1, 6, 126}) {  // -1, 3, 63
    std::vector<std::byte> message = encoded(someDecisions());
    message[1] = static_cast<std::byte>(count);
    EXPECT_FALSE(decodeDecisions(message, kRanks).isOk()) << count;
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
      EXPECT_TRUE(isPlacement(update.plan.placed, kRanks));
      EXPECT_TRUE(update.plan.cycle.isSound());
    }
  }
}

}  // namespace
}  // namespace starling
