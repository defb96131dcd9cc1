#include "tuner/key_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

using testing::HasSubstr;

constexpr LocalSite kLine = 0x4010a0;
const Signature kVector = doubles(4096);

TunerSettings settingsOf(const CostModel& model = SimulatedMachine{}.model) {
  TunerSettings settings;
  settings.model = model;
  return settings;
}

// The fastest of native and all that was tried, in truth; native where the gain is within the tuner's margin.
Choice fastestOf(const SimulatedCommunicator& communicator, const Signature& signature, std::size_t ranks) {
  const std::vector<Seconds> on_time(ranks);
  Choice fastest;
  for (const PlannedChoice& tried : communicator.choices()) {
    if (communicator.timeOf(tried.choice, {}, signature, on_time) <
        communicator.timeOf(fastest, {}, signature, on_time)) {
      fastest = tried.choice;
    }
  }
  const Seconds native = communicator.timeOf({}, {}, signature, on_time);
  const bool beats_native = communicator.timeOf(fastest, {}, signature, on_time) < 0.97 * native;
  return beats_native ? fastest : Choice{};
}

std::vector<double> constant(std::size_t n, double value) { return std::vector<double>(n, value); }

TEST(ComparedTime, isTheMeanExitAfterTheLastArrival) {
  const std::vector<Seconds> arrivals = {{1.0}, {3.0}, {2.0}};
  const std::vector<Seconds> exits = {{4.0}, {6.0}, {8.0}};
  EXPECT_DOUBLE_EQ(comparedTime({{}, false, arrivals, exits}, true).value, 3.0);
}

TEST(ComparedTime, isTheMeanElapsedTimeWhenClocksDisagree) {
  const std::vector<Seconds> arrivals = {{101.0}, {3.0}, {-48.0}};
  const std::vector<Seconds> exits = {{104.0}, {6.0}, {-42.0}};
  EXPECT_DOUBLE_EQ(comparedTime({{}, false, arrivals, exits}, false).value, 4.0);
}

TEST(CompareTimes, findsNothingFasterWithoutTimes) {
  EXPECT_FALSE(compareTimes({}, constant(3, 1.0)).faster);
  EXPECT_FALSE(compareTimes(constant(3, 1.0), {}).faster);
}

TEST(CompareTimes, asksForMoreThanThreePercentEvenWithoutScatter) {
  const std::vector<double> incumbent = constant(12, 100.0);
  EXPECT_FALSE(compareTimes(incumbent, constant(3, 97.1)).faster);
  EXPECT_TRUE(compareTimes(incumbent, constant(3, 96.9)).faster);
  EXPECT_FALSE(compareTimes(incumbent, constant(3, 103.1)).faster) << "slower is not faster";
  EXPECT_DOUBLE_EQ(compareTimes(incumbent, constant(3, 90.0)).margin, 3.0);
}

TEST(CompareTimes, asksForMoreThanTwiceTheStandardErrorOfTheDifference) {
  // Median 100 and median distance 10, hence a robust deviation of 14.826.
  const std::vector<double> incumbent = {80.0, 90.0, 100.0, 110.0, 120.0};
  const double margin = 2.0 * 14.826 * std::sqrt(1.0 / 5.0 + 1.0 / 4.0);
  EXPECT_NEAR(compareTimes(incumbent, constant(4, 50.0)).margin, margin, 1e-9);
  EXPECT_FALSE(compareTimes(incumbent, constant(4, 100.1 - margin)).faster);
  EXPECT_TRUE(compareTimes(incumbent, constant(4, 99.9 - margin)).faster);
}

TEST(CompareTimes, asksForLessWhenMoreWasMeasured) {
  const std::vector<double> few = {90.0, 100.0, 110.0};
  std::vector<double> many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), few.begin(), few.end());
  EXPECT_LT(compareTimes(many, constant(30, 80.0)).margin, compareTimes(few, constant(3, 80.0)).margin);
}

TEST(CompareTimes, isNotMovedByOneOutlier) {
  const Comparison comparison =
      compareTimes(std::vector<double>{100.0, 101.0, 99.0, 100.0, 5000.0}, std::vector<double>{80.0, 81.0, 9000.0});
  EXPECT_DOUBLE_EQ(comparison.incumbent, 100.0);
  EXPECT_DOUBLE_EQ(comparison.challenger, 81.0);
  EXPECT_TRUE(comparison.faster);
}

TEST(CompareTimes, takesTheSmallerOfTwoBecauseAFirstCallOpensConnections) {
  EXPECT_DOUBLE_EQ(compareTimes(constant(5, 100.0), std::vector<double>{300.0, 80.0}).challenger, 80.0);
}

// How often one challenger is found faster than twelve calls of an incumbent that is as fast.
double shareFoundFaster(std::size_t challenger_calls, double scatter, unsigned seed) {
  constexpr int kRepetitions = 4000;
  std::mt19937 random(seed);
  std::lognormal_distribution<double> time(0.0, scatter);
  int found = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    std::vector<double> incumbent(12);
    std::vector<double> challenger(challenger_calls);
    for (double& one : incumbent) one = time(random);
    for (double& one : challenger) one = time(random);
    found += compareTimes(incumbent, challenger).faster ? 1 : 0;
  }
  return static_cast<double>(found) / kRepetitions;
}

TEST(CompareTimes, seldomFindsAChallengerFasterThatIsNot) {
  constexpr unsigned kSeed = 20;
  for (const double scatter : {0.02, 0.1, 0.3}) {
    for (const std::size_t calls : {3, 4, 8}) {
      EXPECT_LT(shareFoundFaster(calls, scatter, kSeed), 0.10) << calls << " calls, seed " << kSeed;
    }
    // The smaller of two is low by itself.
    EXPECT_LT(shareFoundFaster(2, scatter, kSeed), 0.25) << "seed " << kSeed;
  }
}

TEST(KeyTuner, decidesNothingUntilItsPlanTookForce) {
  const TunerSettings settings = settingsOf();
  KeyTuner key(settings, {.ranks = 2, .count = 4096}, Bytes{8}, true, std::nullopt);
  const std::vector<Seconds> arrivals(2);
  const std::vector<Seconds> exits(2, Seconds{1e-3});
  const auto makeCall = [&](const Choice& choice, bool exploration) {
    key.count(choice, exploration);
    key.observe({choice, exploration, arrivals, exits});
  };
  for (int call = 0; call < 2; ++call) makeCall(Choice{}, false);
  EXPECT_FALSE(key.decide()) << "native was seen twice only";
  makeCall(Choice{}, false);
  const std::optional<KeyTuner::Decision> proposal = key.decide();
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->plan.state, KeyState::kExploring);
  for (int i = 0; i < 2; ++i) {
    for (const Choice& trial : proposal->plan.trials) makeCall(trial, true);
  }
  EXPECT_FALSE(key.decide());
  key.planTookForce();
  ASSERT_TRUE(key.decide());
  EXPECT_EQ(key.state(), KeyState::kSettled);
}

TEST(KeyTuner, settlesWithinThirtyCalls) {
  SimulatedCommunicator communicator(8, settingsOf(), {});
  communicator.calls(30, kLine, kVector);
  EXPECT_EQ(communicator.tuner().key(0).state(), KeyState::kSettled);
  EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled) << "and all ranks know";
  EXPECT_EQ(communicator.explorationCalls(), 8) << "four candidates, two calls each";
}

TEST(KeyTuner, picksTheFastestOfWhatItTried) {
  // The last two models are far from the truth, so that the candidates come in a wrong order.
  const CostModel truth = SimulatedMachine{}.model;
  CostModel no_latency = truth;
  no_latency.alpha = {1e-9};
  CostModel slow_wire = truth;
  slow_wire.beta = 1e-7;
  int faster_than_native = 0;
  for (const CostModel& belief : {truth, no_latency, slow_wire}) {
    for (const std::int32_t ranks : {3, 8}) {
      for (const std::int64_t count : {8, 1000, 40'000}) {
        SimulatedCommunicator communicator(ranks, settingsOf(belief), {});
        communicator.calls(40, kLine, doubles(count));
        const Choice fastest = fastestOf(communicator, doubles(count), static_cast<std::size_t>(ranks));
        EXPECT_EQ(formatChoice(communicator.keys().entry(0).plan.incumbent), formatChoice(fastest))
            << ranks << " ranks, " << count << " elements";
        faster_than_native += fastest.algorithm != kNativeAlgorithm ? 1 : 0;
      }
    }
  }
  EXPECT_GT(faster_than_native, 9) << "or the test shows nothing";
}

TEST(KeyTuner, staysOnNativeWhenNothingIsFaster) {
  SimulatedMachine machine;
  machine.native_factor = 0.05;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  communicator.calls(100, kLine, kVector);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  EXPECT_EQ(plan.state, KeyState::kSettled);
  EXPECT_EQ(plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(communicator.tuner().key(0).gain(), 1.0);
  EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("native stays"));
}

TEST(KeyTuner, staysOnNativeWhenTheGainIsWithinTheMargin) {
  // Native is what would be tried first, and two percent slower.
  SimulatedMachine machine;
  machine.native = choiceOf("recursive_doubling");
  machine.native_factor = 1.02;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  communicator.calls(40, kLine, doubles(8));
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  machine.native_factor = 1.2;
  SimulatedCommunicator with_slow_native(8, settingsOf(), machine);
  with_slow_native.calls(40, kLine, doubles(8));
  EXPECT_EQ(with_slow_native.keys().entry(0).plan.incumbent, choiceOf("recursive_doubling"));
}

TEST(KeyTuner, explainsItsChoiceByFigures) {
  SimulatedMachine machine;
  machine.native_factor = 4.0;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  communicator.calls(30, kLine, kVector);
  const KeyTuner& key = communicator.tuner().key(0);
  EXPECT_THAT(key.settledReason(), HasSubstr(formatChoice(key.plan().incumbent) + " is faster than native by "));
  EXPECT_THAT(key.settledReason(), HasSubstr("Median post-arrival time: native "));
  ASSERT_TRUE(key.gain());
  const std::vector<Seconds> on_time(8);
  const double in_truth = communicator.timeOf(Choice{}, {}, kVector, on_time) /
                          communicator.timeOf(key.plan().incumbent, {}, kVector, on_time);
  EXPECT_NEAR(*key.gain(), in_truth, 1e-6);
}

TEST(KeyTuner, givesUpAChosenPlanThatTurnsOutSlowerThanNative) {
  SimulatedCommunicator communicator(8, settingsOf(), {});
  communicator.calls(40, kLine, kVector);
  ASSERT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  communicator.machine().others_factor = 5.0;
  communicator.calls(200, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
  EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("back to native"));
}

TEST(KeyTuner, keepsAChosenPlanThatIsOnlyALittleSlowerNow) {
  SimulatedMachine machine;
  machine.native = choiceOf("recursive_doubling");
  machine.native_factor = 1.2;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  communicator.calls(40, kLine, doubles(8));
  communicator.machine().others_factor = 1.2 * 1.08;
  communicator.calls(300, kLine, doubles(8));
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent, choiceOf("recursive_doubling"));
}

TEST(KeyTuner, comparesMeanElapsedTimesWhenClocksDisagree) {
  TunerSettings settings = settingsOf();
  settings.clocks_agree = false;
  SimulatedMachine machine;
  machine.clock_offsets = {{0.0}, {1e3}, {-5e3}, {7.0}};
  SimulatedCommunicator communicator(4, settings, machine);
  communicator.calls(40, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent, fastestOf(communicator, kVector, 4));
  EXPECT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("mean elapsed time"));
  EXPECT_TRUE(communicator.keys().entry(0).plan.table.empty());
  EXPECT_TRUE(communicator.tuner().drain().arrivals.empty());
}

}  // namespace
}  // namespace starling
