#include "tuner/key_tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  return beats_native ? fastest : kNativeChoice;
}

TEST(KeyTuner, decidesNothingUntilItsPlanTookForce) {
  const TunerSettings settings = settingsOf();
  KeyTuner key(settings, {.ranks = 2, .count = 4096}, Bytes{8}, {}, true, std::nullopt);
  const std::vector<Seconds> arrivals(2);
  const std::vector<Seconds> exits(2, Seconds{1e-3});
  const auto makeCall = [&](const Choice& choice, bool exploration) {
    key.count({choice, exploration});
    key.observe({choice, exploration}, timesOf(gym::summaryOf(arrivals, exits), true));
  };
  for (int call = 0; call < 2; ++call) makeCall(kNativeChoice, false);
  EXPECT_FALSE(key.decide()) << "native was seen twice only";
  makeCall(kNativeChoice, false);
  const std::optional<KeyTuner::Decision> proposal = key.decide();
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->plan.state, KeyState::kExploring);
  ASSERT_FALSE(proposal->plan.trials.empty());
  for (const Choice& trial : proposal->plan.trials) makeCall(trial, true);
  EXPECT_FALSE(key.decide());
  key.planTookForce();
  EXPECT_FALSE(key.decide()) << "its trials come first";
  makeCall(kNativeChoice, false);
  EXPECT_TRUE(key.decide());
}

TEST(KeyTuner, statesNoGainOfCallsThatACoarseClockSeesNothingOf) {
  TunerSettings settings = settingsOf();
  settings.options.algorithm = "ring";
  KeyTuner key(settings, {.ranks = 2, .count = 1}, Bytes{8}, {}, true, std::nullopt);
  const std::vector<Seconds> arrivals(2);
  const auto makeCalls = [&](const Choice& choice, Seconds time) {
    for (int call = 0; call < 4; ++call) {
      key.observe({choice, false}, timesOf(gym::summaryOf(arrivals, std::vector(2, time)), true));
    }
  };
  makeCalls(kNativeChoice, Seconds{});
  ASSERT_TRUE(key.decide());
  key.planTookForce();
  ASSERT_EQ(key.plan().incumbent, choiceOf("ring"));
  key.decide();
  makeCalls(choiceOf("ring"), Seconds{1e-6});
  EXPECT_FALSE(key.gain());
  EXPECT_FALSE(key.gainError());
}

// A call through shared memory that finds nothing in the caches takes hundred times as long as the next.
TEST(KeyTuner, statesNoGainOfColdCallsAndTriesOnAfterThem) {
  TunerSettings settings = settingsOf();
  settings.topology = {.nodes = {0, 0}, .shares_memory = true};
  settings.model.node_alpha = {2e-7};
  settings.model.node_beta = 1e-11;
  KeyTuner key(settings, {.ranks = 2, .count = 1}, Bytes{8}, {.site = "line"}, true, std::nullopt);
  const Choice node = choiceOf("node");
  const std::vector<Seconds> arrivals(2);
  int node_calls = 0;
  const auto makeCall = [&](const PlannedChoice& planned) {
    const bool is_node = planned.choice == node;
    if (is_node) ++node_calls;
    const Seconds time = !is_node ? Seconds{2e-5} : node_calls <= 3 ? Seconds{2e-4} : Seconds{2e-6};
    key.count(planned);
    key.observe(planned, timesOf(gym::summaryOf(arrivals, std::vector(2, time)), true));
  };
  for (int epoch = 0; epoch < 60; ++epoch) {
    const KeyPlan plan = key.plan();
    for (int call = 0; call < 4; ++call) {
      makeCall(choiceOfCall(plan, call));
      const bool is_all_cold = plan.incumbent == node && node_calls <= 3;
      EXPECT_FALSE(is_all_cold && key.gain()) << "epoch " << epoch;
    }
    if (key.decide(true, 4)) key.planTookForce();
  }
  EXPECT_EQ(key.plan().incumbent, node);
  ASSERT_TRUE(key.gain());
  EXPECT_NEAR(*key.gain(), 10.0, 1e-6) << "the three cold calls are not among those that are compared";
  EXPECT_GT(key.gainError().value(), 0.0) << "native was not called lately";
  EXPECT_LT(key.gainError().value(), 1.5) << "all others take the same time";
  const auto known = settings.shared->latest.latestOn(shapeOn(settings.topology, 2, 0), 1);
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known.front().get().runs.choice, node);
  EXPECT_EQ(known.front().get().runs.limit.cold, 3) << "its first calls on another communicator are cold again";
}

TEST(KeyTuner, settlesWithinFortyCallsWhereTheGainIsClear) {
  SimulatedMachine machine;
  machine.native_factor = 3.0;
  SimulatedCommunicator clear(8, settingsOf(), machine);
  clear.calls(40, kLine, kVector);
  EXPECT_EQ(clear.tuner().key(0).state(), KeyState::kSettled);
  EXPECT_EQ(clear.keys().entry(0).plan.state, KeyState::kSettled) << "and all ranks know";
  EXPECT_NE(clear.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_LE(clear.explorationCalls(), 12);
}

TEST(KeyTuner, triesHoweverLateItsFirstPlanComes) {
  TunerSettings settings = settingsOf();
  settings.options.minimum_calls = 30;
  SimulatedMachine machine;
  machine.native_factor = 3.0;
  SimulatedCommunicator communicator(8, settings, machine);
  communicator.calls(150, kLine, kVector);
  EXPECT_GT(communicator.explorationCalls(), 0);
  EXPECT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
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
        communicator.calls(600, kLine, doubles(count));
        const Choice fastest = fastestOf(communicator, doubles(count), static_cast<std::size_t>(ranks));
        const Choice chosen = communicator.keys().entry(0).plan.incumbent;
        const std::vector<Seconds> on_time(static_cast<std::size_t>(ranks));
        EXPECT_LE(communicator.timeOf(chosen, {}, doubles(count), on_time).value,
                  1.05 * communicator.timeOf(fastest, {}, doubles(count), on_time).value)
            << formatChoice(chosen) << " in place of " << formatChoice(fastest) << ", " << ranks << " ranks, " << count
            << " elements";
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
  EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("stays"));
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
  EXPECT_THAT(key.settledReason(), HasSubstr(formatChoice(key.plan().incumbent) + " ("));
  EXPECT_THAT(key.settledReason(), HasSubstr(" expected, n="));
  ASSERT_TRUE(key.gain());
  const std::vector<Seconds> on_time(8);
  const double in_truth = communicator.timeOf(kNativeChoice, {}, kVector, on_time) /
                          communicator.timeOf(key.plan().incumbent, {}, kVector, on_time);
  EXPECT_NEAR(*key.gain(), in_truth, 1e-4) << "stamps are whole nanoseconds";
}

struct ToldGain {
  double gain = 0.0;
  double error = 0.0;
};

// What is told where native takes so many times what was predicted, and then, when it is no longer called, where all
// take `slower` times as long as before.
std::array<ToldGain, 2> toldBeforeAndAfter(double native_factor, double slower) {
  SimulatedMachine machine;
  machine.native_factor = native_factor;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  const auto told = [&](int calls) {
    communicator.calls(calls, kLine, kVector);
    const KeyTuner& key = communicator.tuner().key(0);
    EXPECT_NE(key.plan().incumbent.algorithm, kNativeAlgorithm);
    return ToldGain{key.gain().value(), key.gainError().value()};
  };
  const ToldGain before = told(60);
  communicator.machine().native_factor *= slower;
  communicator.machine().others_factor *= slower;
  return {before, told(100)};
}

// As where other programs have left the machine: native was called before, the choice since.
TEST(KeyTuner, takesLittleOfAMachineThatBecomesFasterForAGain) {
  const auto [before, after] = toldBeforeAndAfter(2.0, 0.25);
  EXPECT_LT(after.gain, 2.5 * before.gain) << "of the factor of 4";
  EXPECT_GT(2.0 * after.error, after.gain - before.gain) << "which the error covers";
}

// As where the machine has other things to do since: native, which is as slow now, is not known to be.
TEST(KeyTuner, promisesNoMoreThanWasMeasuredWhereTheMachineBecomesSlower) {
  const auto [before, after] = toldBeforeAndAfter(4.0, 2.0);
  EXPECT_LE(after.gain, 1.05 * before.gain);
  EXPECT_GT(after.error, before.error);
  EXPECT_GT(after.gain + 2.0 * after.error, before.gain) << "which the error covers";
}

TEST(KeyTuner, givesUpAChosenPlanThatTurnsOutSlowerThanNative) {
  SimulatedCommunicator communicator(8, settingsOf(), {});
  communicator.calls(40, kLine, kVector);
  ASSERT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  communicator.machine().others_factor = 5.0;
  communicator.calls(200, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
  EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("native"));
}

TEST(KeyTuner, staysWithinATenthOfNativeWhenItsChoiceBecomesALittleSlower) {
  SimulatedMachine machine;
  machine.native = choiceOf("recursive_doubling");
  machine.native_factor = 1.2;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  communicator.calls(40, kLine, doubles(8));
  communicator.machine().others_factor = 1.2 * 1.08;
  communicator.calls(300, kLine, doubles(8));
  const Choice chosen = communicator.keys().entry(0).plan.incumbent;
  const std::vector<Seconds> on_time(8);
  EXPECT_LE(communicator.timeOf(chosen, {}, doubles(8), on_time).value,
            1.1 * communicator.timeOf(kNativeChoice, {}, doubles(8), on_time).value);
}

TEST(KeyTuner, doesNotExploreAnewWhereItsChoiceHasBecomeFaster) {
  SimulatedMachine machine;
  machine.native_factor = 0.05;
  SimulatedCommunicator communicator(8, settingsOf(), machine);
  communicator.calls(90, kLine, kVector);
  ASSERT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  static_cast<void>(communicator.tuner().drain());
  communicator.machine().native_factor = 0.02;
  communicator.calls(600, kLine, kVector);
  for (const DecisionRecord& told : communicator.tuner().drain().decisions) {
    EXPECT_THAT(told.reason, Not(HasSubstr("has changed")));
  }
  communicator.machine().native_factor = 0.05;
  communicator.calls(600, kLine, kVector);
  const std::vector<DecisionRecord> told = communicator.tuner().drain().decisions;
  ASSERT_FALSE(told.empty()) << "or the test shows nothing";
  EXPECT_THAT(told.front().reason, HasSubstr("has changed"));
}

SimulatedCommunicator onClocksThatDisagree() {
  TunerSettings settings = settingsOf();
  settings.stamps_compare = false;
  SimulatedMachine machine;
  machine.clock_offsets = {{0.0}, {1e3}, {-5e3}, {7.0}};
  return {4, settings, machine};
}

TEST(KeyTuner, comparesTheShortestTimeOfARankWhenClocksDisagree) {
  SimulatedCommunicator communicator = onClocksThatDisagree();
  communicator.calls(40, kLine, kVector);
  const std::vector<Seconds> on_time(4);
  const auto time_of = [&](const Choice& choice) { return communicator.timeOf(choice, {}, kVector, on_time).value; };
  const Choice chosen = communicator.keys().entry(0).plan.incumbent;
  EXPECT_LE(time_of(chosen), 1.05 * time_of(fastestOf(communicator, kVector, 4))) << formatChoice(chosen);
  EXPECT_NE(chosen.algorithm, kNativeAlgorithm);
  EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("n="));
  EXPECT_TRUE(placementIn(communicator).table.empty()) << "nobody is late by more than calls take";
}

TEST(KeyTuner, followsALateRankWhenClocksDisagree) {
  SimulatedCommunicator communicator = onClocksThatDisagree();
  communicator.setPattern([](std::mt19937&) { return std::vector<Seconds>{{}, {0.5}, {}, {}}; });
  communicator.calls(40, kLine, kVector);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  ASSERT_FALSE(plan.placed.empty());
  const auto latest = std::ranges::max_element(plan.placed, {}, &PlacedRank::lateness_ns);
  EXPECT_EQ(latest->rank, 1);
  EXPECT_NEAR(1e-9 * static_cast<double>(latest->lateness_ns), 0.5, 0.05);
}

TEST(KeyTuner, triesWhatAnotherKeyHasFoundThoughItHasSettled) {
  constexpr std::int32_t kRanks = 8;
  const Choice found = choiceOf("binary_tree");
  for (const bool is_told : {false, true}) {
    const TunerSettings settings = settingsOf();
    SimulatedMachine machine;
    machine.native_factor = 0.3;
    SimulatedCommunicator communicator(kRanks, settings, machine);
    communicator.calls(60, kLine, kVector);
    ASSERT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
    const KeyShape shape = shapeOn({}, kRanks, sizeClass(kVector.bytes()));
    constexpr std::int64_t kOther = 99;
    if (is_told) settings.shared->first_trials.tell(kOther, shape, {formOf(found), -5.0, 0.05});
    communicator.calls(400, kLine, kVector);
    const auto ran = [&](const PlannedChoice& call) { return call.choice.algorithm == found.algorithm; };
    EXPECT_EQ(std::ranges::any_of(communicator.choices(), ran), is_told);
  }
}

}  // namespace
}  // namespace starling
