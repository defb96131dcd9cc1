#include "tuner/communicator_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../kept_messages.h"
#include "hand_fed_tuner.h"
#include "simulated_communicator.h"

namespace starling {
namespace {

using testing::Each;
using testing::Le;

constexpr LocalSite kLineA = 41;
constexpr LocalSite kLineB = 42;
const Signature kSmall = doubles(8);

TEST(CommunicatorTuner, keepsEpochsShortWhileExploringAndDoublesThemThenToTheLongest) {
  Options options;
  options.longest_epoch = 64;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.calls(400, kLineA, kVector);
  const std::vector<std::int32_t>& lengths = communicator.epochLengths();
  const std::vector<std::int32_t> first(lengths.begin(), lengths.begin() + 8);
  EXPECT_EQ(first, (std::vector<std::int32_t>{4, 2, 4, 4, 4, 4, 4, 4})) << "until the key is settled";
  EXPECT_NEAR(lengths.back(), 20, 1) << "an agreement takes 2% of the time of so many calls";
}

TEST(CommunicatorTuner, triesNothingInShortCallsThatAnAgreementDisturbs) {
  for (const Signature& vector : {doubles(8), doubles(1 << 20)}) {
    SimulatedCommunicator communicator(kRanks, settingsOf({}), {});
    communicator.calls(60, kLineA, vector);
    int trials_first = 0;
    std::size_t begin = 0;
    for (const std::int32_t length : communicator.epochLengths()) {
      if (communicator.choices()[begin].exploration) ++trials_first;
      begin += static_cast<std::size_t>(length);
    }
    EXPECT_GT(communicator.explorationCalls(), 0);
    if (vector.count == 8)
      EXPECT_EQ(trials_first, 0);
    else
      EXPECT_GT(trials_first, 0) << "calls that take milliseconds are not disturbed";
  }
}

TEST(CommunicatorTuner, keepsEpochsShorterTheLongerCallsTake) {
  std::vector<std::int32_t> longest;
  for (const std::int64_t count : {8, 4096, 1 << 20}) {
    SimulatedMachine machine;
    machine.native_factor = 0.2;  // native stays
    SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
    communicator.calls(2000, kLineA, doubles(count));
    EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
    longest.push_back(communicator.epochLengths().back());
  }
  EXPECT_GT(longest[0], 100);
  EXPECT_LT(longest[1], longest[0]);
  EXPECT_EQ(longest[2], 8);
}

TEST(CommunicatorTuner, watchesAChoiceOfItsOwnInShorterEpochs) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {.native_factor = 3.0});
  communicator.calls(1000, kLineA, kSmall);
  EXPECT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(communicator.epochLengths().back(), 32);
}

TEST(CommunicatorTuner, tellsWhatItDecidesWhereItIsAskedTo) {
  const KeptMessages messages;
  for (const LogLevel level : {LogLevel::kWarning, LogLevel::kInfo}) {
    setLogLevel(level);
    EXPECT_EQ(messages.all(), std::vector<std::string>{});
    SimulatedCommunicator communicator(kRanks, settingsOf(), {.native_factor = 3.0});
    communicator.calls(200, kLineA, kSmall);
  }
  setLogLevel(LogLevel::kWarning);
  EXPECT_THAT(messages.all(), testing::Contains(testing::HasSubstr("takes the place of native")));
}

TEST(CommunicatorTuner, neverExceedsTheLongestEpoch) {
  Options options;
  options.longest_epoch = 5;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.calls(200, kLineA, kVector);
  EXPECT_THAT(communicator.epochLengths(), Each(Le(5)));
  EXPECT_EQ(communicator.epochLengths().back(), 5);
}

TEST(CommunicatorTuner, doublesEpochsInObserveMode) {
  Options options;
  options.mode = Mode::kObserve;
  options.longest_epoch = 32;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.calls(120, kLineA, kVector);
  EXPECT_EQ(communicator.epochLengths().back(), 32);
}

TEST(CommunicatorTuner, shortensEpochsAgainWhenANewKeyAppears) {
  Options options;
  options.longest_epoch = 32;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.calls(200, kLineA, kVector);
  ASSERT_GT(communicator.epochLengths().back(), 4 * kShortEpoch);
  const auto epochs_before = static_cast<std::ptrdiff_t>(communicator.epochLengths().size());
  communicator.calls(200, kLineB, kSmall);
  const std::vector<std::int32_t>& lengths = communicator.epochLengths();
  EXPECT_EQ(*std::min_element(lengths.begin() + epochs_before, lengths.end()), kShortEpoch);
  EXPECT_EQ(lengths[static_cast<std::size_t>(epochs_before) + 1], kShortEpoch) << "at once";
  EXPECT_EQ(communicator.keys().entry(1).plan.state, KeyState::kSettled);
}

TEST(CommunicatorTuner, settlesTwoSitesOfEqualSizeApart) {
  // Before B the last rank is late, before A none is.
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  bool late = false;
  communicator.setPattern([&late](std::mt19937& random) {
    return late ? lastRankLate(random) : std::vector<Seconds>(static_cast<std::size_t>(kRanks));
  });
  const Signature large = doubles(1 << 16);
  for (int call = 0; call < 200; ++call) {
    late = call % 2 == 1;
    communicator.call(late ? kLineB : kLineA, large);
  }
  ASSERT_EQ(communicator.keys().size(), 2);
  const KeyPlan& balanced = communicator.keys().entry(0).plan;
  const KeyPlan& imbalanced = communicator.keys().entry(1).plan;
  EXPECT_EQ(balanced.state, KeyState::kSettled);
  EXPECT_EQ(imbalanced.state, KeyState::kSettled);
  EXPECT_NE(balanced.incumbent.algorithm, imbalanced.incumbent.algorithm);
  EXPECT_TRUE(balanced.placed.empty());
  EXPECT_FALSE(imbalanced.placed.empty());
}

TEST(CommunicatorTuner, letsFewOfManyKeysThatAreAlikeTryWhatIsFarSlowerThanPredicted) {
  SimulatedMachine machine;
  machine.others_factor = 30.0;
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  for (int round = 0; round < 20; ++round) {
    for (LocalSite line = 1; line <= 40; ++line) communicator.call(line, kVector);
  }
  std::map<std::int32_t, int> trials;
  for (const PlannedChoice& made : communicator.choices()) {
    if (made.exploration) ++trials[made.choice.algorithm];
  }
  EXPECT_FALSE(trials.empty());
  for (const auto& [algorithm, times] : trials) EXPECT_LE(times, 8) << formatChoice({algorithm, {}});
}

TEST(CommunicatorTuner, letsAKeyThatAppearsLearnForItself) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {.native_factor = 3.0});
  communicator.calls(200, kLineA, kVector);
  ASSERT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  const std::size_t before = communicator.choices().size();
  communicator.calls(120, kLineB, kVector);
  EXPECT_EQ(communicator.choices()[before].choice, communicator.keys().entry(0).plan.incumbent) << "its twin's";
  ASSERT_EQ(communicator.keys().size(), 2);
  EXPECT_EQ(communicator.keys().entry(1).plan.state, KeyState::kSettled);
  EXPECT_GT(communicator.explorationCalls(), 8) << "it has trials of its own";
}

TEST(CommunicatorTuner, forgetsKeysThatAreCalledNoMore) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  for (LocalSite site = 1; site <= 20; ++site) communicator.calls(8, kLineB + site, kSmall);
  communicator.calls(1000, kLineA, kVector);
  const std::int64_t updates = communicator.updates();
  communicator.calls(1000, kLineA, kVector);
  EXPECT_LE(communicator.updates() - updates, 40) << "one trial of one key at a time";
}

TEST(CommunicatorTuner, letsAKeyThatPassesThroughFollowNobody) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {.native_factor = 3.0});
  communicator.calls(200, kLineA, kVector);
  for (int call = 0; call < 60; ++call) communicator.call(kLineB, kVector, false);
  ASSERT_EQ(communicator.keys().size(), 2);
  EXPECT_GT(communicator.keys().entry(1).plans, 0);
  EXPECT_EQ(communicator.keys().next(communicator.keys().entry(1).key).planned.choice.algorithm, kNativeAlgorithm);
}

TEST(CommunicatorTuner, watchesKeysThatPassThrough) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  for (int call = 0; call < 60; ++call) communicator.call(kLineA, kVector, false);
  EXPECT_EQ(communicator.tuner().key(0).state(), KeyState::kPassesThrough);
  EXPECT_EQ(communicator.updates(), 1) << "it has no twin";
  EXPECT_GT(communicator.epochLengths().back(), 8);
  const Batch batch = communicator.tuner().drain();
  ASSERT_EQ(batch.keys.size(), 1U);
  EXPECT_EQ(batch.keys[0].state, "passes_through");
  EXPECT_EQ(batch.keys[0].choice, "native");
  EXPECT_FALSE(batch.observations.empty());
}

TEST(CommunicatorTuner, sendsNoMoreUpdatesThanTheLimitAndTheOthersNext) {
  HandFed fed(12);
  for (std::int32_t key = 0; key < 12; ++key) {
    for (int call = 0; call < 3; ++call) fed.add(key, {}, -1);
  }
  fed.digest();
  EXPECT_EQ(fed.tuner().decide(8).updates.size(), 8U);
  fed.tuner().tookForce();
  const Decisions rest = fed.tuner().decide(8);
  ASSERT_GE(rest.updates.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rest.updates[i].key, static_cast<std::int32_t>(8 + i));
}

TEST(CommunicatorTuner, asksOnlyKeysOfWhichSomethingIsNew) {
  constexpr int kKeys = 1000;
  HandFed fed(kKeys);
  static_cast<void>(fed.tuner().decide(8));
  EXPECT_EQ(fed.tuner().keysToAsk(), 0U) << "no key was called yet";
  for (const std::int32_t key : {7, 8, 7}) fed.add(key, {}, -1);
  fed.digest();
  EXPECT_EQ(fed.tuner().keysToAsk(), 2U);
}

// Keys that take turns are called seldom, and would use what one of them has found a whole turn later.
TEST(CommunicatorTuner, asksKeysThatAreAlikeWhenATrialWasSeenThoughTheyWereNotCalled) {
  HandFed few(5);
  static_cast<void>(few.tuner().decide(8));
  few.add(3, {choiceOf("ring"), true}, 3);
  few.digest();
  EXPECT_EQ(few.tuner().keysToAsk(), 5U);
  HandFed many(1000);
  static_cast<void>(many.tuner().decide(8));
  constexpr std::size_t kMost = 32;  // beside the key itself
  many.add(7, {choiceOf("ring"), true}, 7);
  many.digest();
  EXPECT_EQ(many.tuner().keysToAsk(), 1 + kMost) << "this is done in a call";
  for (int trial = 0; trial < 5; ++trial) many.add(7, {choiceOf("slt"), true}, 7);
  many.digest();
  EXPECT_EQ(many.tuner().keysToAsk(), 1 + 2 * kMost) << "each in its turn";
}

TEST(CommunicatorTuner, countsATrialForTheKeyWhosePlanItRan) {
  HandFed fed(2);
  const PlannedChoice trial{choiceOf("ring"), true};
  const PlannedChoice incumbent{choiceOf("slt"), false};
  fed.add(1, trial, 0);      // mispredicted: the call belongs to key 1
  fed.add(1, incumbent, 0);  // no trial: belongs where it was called
  fed.digest();
  const Batch batch = fed.tuner().drain();
  ASSERT_EQ(batch.observations.size(), 2U);
  EXPECT_EQ(batch.observations[0].key.site, "line0");
  EXPECT_EQ(batch.observations[0].choice, "ring");
  EXPECT_TRUE(batch.observations[0].exploration);
  EXPECT_EQ(batch.observations[1].key.site, "line1");
  EXPECT_EQ(batch.observations[1].choice, "slt");
  ASSERT_EQ(batch.keys.size(), 2U);
  EXPECT_EQ(batch.keys[0].calls, 0) << "the calls are those of the site that made them";
  EXPECT_FALSE(batch.keys[0].seconds.has_value());
  EXPECT_EQ(batch.keys[1].calls, 2);
  EXPECT_EQ(batch.keys[1].exploration_calls, 1);
  EXPECT_EQ(batch.keys[1].bytes, kVector.bytes());
  EXPECT_NEAR(batch.keys[1].seconds.value(), 2 * (1e-3 - 1.5e-6), 1e-12);
}

}  // namespace
}  // namespace starling
