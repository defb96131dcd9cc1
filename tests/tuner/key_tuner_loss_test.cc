// A choice that takes much longer than native does is given up within three of its calls, whatever else changes, and
// what is tried in its place is bounded, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

using testing::HasSubstr;

constexpr LocalSite kLine = 40;
constexpr LocalSite kOtherLine = 41;
constexpr std::int32_t kRanks = 4;
const Signature kVector = doubles(4096);
const Signature kSmall = doubles(16);
const Signature kLong = doubles(1 << 16);  // so long that each call is looked at

TunerSettings withoutCommonClock() {
  TunerSettings settings = settingsOf();
  settings.stamps_compare = false;
  return settings;
}

std::vector<PolicyRecord> plantedRing(const Signature& vector = kVector) {
  PolicyRecord policy;
  policy.site = "line40";
  policy.communicator_size = kRanks;
  policy.size_class = sizeClass(vector.bytes());
  policy.type = "double";
  policy.operation = "sum";
  policy.choice = "ring";
  policy.gain = 1000.0;
  policy.reason = "It was planted.";
  return {policy};
}

// Native is a ring, too, so that this is what a ring takes beside it.
SimulatedMachine machineWhereOthersTake(double factor) {
  SimulatedMachine machine;
  machine.others_factor = factor;
  return machine;
}

// In every epoch another rank is the late one, later than any was before.
void moveArrivalsInEveryEpoch(SimulatedCommunicator& communicator) {
  communicator.setPattern([&communicator](std::mt19937&) {
    const std::size_t epoch = communicator.epochLengths().size();
    std::vector<Seconds> lateness(kRanks);
    lateness[epoch % kRanks] = {1e-3 * std::pow(1.6, static_cast<double>(std::min<std::size_t>(epoch, 20)))};
    return lateness;
  });
}

// One rank is always late, and later in every epoch, so that its lateness is predictable and every prediction is new.
void delayOneRankMoreInEveryEpoch(SimulatedCommunicator& communicator) {
  communicator.setPattern([&communicator](std::mt19937&) {
    const std::size_t epoch = communicator.epochLengths().size();
    std::vector<Seconds> lateness(kRanks);
    lateness[1] = {1e-3 * std::pow(1.6, static_cast<double>(std::min<std::size_t>(epoch, 20)))};
    return lateness;
  });
}

std::vector<Seconds> rankOneLate(std::mt19937&) {
  std::vector<Seconds> lateness(kRanks);
  lateness[1] = {1e-3};
  return lateness;
}

std::int64_t callsOtherThanNative(const SimulatedCommunicator& communicator, std::size_t first = 0) {
  const auto begin = communicator.choices().begin() + static_cast<std::ptrdiff_t>(first);
  return std::count_if(begin, communicator.choices().end(),
                       [](const PlannedChoice& one) { return one.choice.algorithm != kNativeAlgorithm; });
}

std::int64_t callsOf(const Choice& choice, const SimulatedCommunicator& communicator, std::size_t first = 0) {
  const std::span calls = std::span(communicator.choices()).subspan(first);
  return std::ranges::count(calls, choice, &PlannedChoice::choice);
}

// Makes epochs of native calls after the choice of key 0 has settled: because that was stopped, because buffers were on
// a device, or because it cannot run. Returns the reasons of the decisions that follow.
std::string reasonsAfterNativeCalls(SimulatedCommunicator& communicator, bool is_stopped, bool is_passed_over) {
  CommunicatorTuner& tuner = communicator.tuner();
  if (is_stopped) tuner.noteStop(0, tuner.key(0).plan().incumbent, Seconds{1e-3});
  std::vector<EpochCall> calls(100);
  for (EpochCall& call : calls) {
    call.planned.choice = kNativeChoice;
    call.bytes = kVector.bytes();
    call.is_passed_over = is_passed_over;
  }
  static_cast<void>(tuner.drain());
  tuner.tookForce();
  for (std::int64_t epoch = 5000; epoch < 5004; ++epoch) {
    tuner.digest({epoch, calls, {}});
    tuner.closeTotals();
    static_cast<void>(tuner.decide(32));
    tuner.tookForce();
  }
  std::string reasons;
  for (const DecisionRecord& one : tuner.drain().decisions) reasons += one.reason + "\n";
  return reasons;
}

// Where the first trials show that all others take that long, so few are made.
constexpr std::int64_t kMostInVain = 16;

Choice incumbentOf(const SimulatedCommunicator& communicator, std::int32_t key = 0) {
  return communicator.keys().entry(key).plan.incumbent;
}

TEST(KeyTunerLoss, isOfWantOfMemoryWhereTheChoiceWasPassedOverAlone) {
  struct Case {
    bool is_stopped;
    bool is_passed_over;
  };
  for (const Case& one : {Case{false, true}, Case{true, false}, Case{false, false}}) {
    SimulatedMachine machine;
    machine.native_factor = 2.0;
    SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
    communicator.calls(600, kLine, kVector);
    const Choice chosen = communicator.tuner().key(0).plan().incumbent;
    ASSERT_NE(chosen, kNativeChoice);
    const std::string reasons = reasonsAfterNativeCalls(communicator, one.is_stopped, one.is_passed_over);
    EXPECT_EQ(reasons.find("lacks memory") != std::string::npos, one.is_passed_over) << reasons;
    const KeyCosts& costs = communicator.tuner().key(0).costs();
    EXPECT_EQ(costs.arms()[costs.armOf(chosen)].isUsable(), !one.is_passed_over);
  }
}

TEST(KeyTunerLoss, runsAPlantedChoiceThreeTimesAtMost) {
  for (const double factor : {2.3, 10.0, 1000.0}) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(factor), plantedRing());
    communicator.calls(400, kLine, kVector);
    // Of what is little slower an agreement may be the cause, in calls that follow it.
    EXPECT_LE(callsOf(choiceOf("ring"), communicator), factor < 3.0 ? 6 : 3) << factor << " times slower";
    EXPECT_LE(callsOtherThanNative(communicator), kMostInVain) << factor << " times slower";
    EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
    EXPECT_THAT(communicator.tuner().key(0).settledReason(), HasSubstr("native"));
    EXPECT_EQ(communicator.tuner().drain().policies.back().choice, "native") << "a later run is told";
  }
}

// What an agreement may cost is little beside such calls.
TEST(KeyTunerLoss, runsAPlantedChoiceOfLongCallsThreeTimesAtMostWhereItIsALittleSlower) {
  for (const double factor : {2.3, 3.0}) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(factor), plantedRing(kLong));
    communicator.calls(400, kLine, kLong);
    EXPECT_LE(callsOf(choiceOf("ring"), communicator), 3) << factor << " times slower";
    EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  }
}

// No call is slow enough to be stopped at once.
TEST(KeyTunerLoss, givesUpAPlantedChoiceThatIsALittleSlowerHoweverGreatItsStoredGain) {
  for (const double gain : {1.25, 20.0, 1000.0, 1e300}) {
    std::vector<PolicyRecord> planted = plantedRing();
    planted.front().gain = gain;
    SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(1.5), planted);
    communicator.calls(400, kLine, kVector);
    EXPECT_LE(callsOf(choiceOf("ring"), communicator), 60) << gain;
    EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm) << gain;
  }
}

TEST(KeyTunerLoss, letsGoOfAChoiceThatNeverRuns) {
  const TunerSettings settings = settingsOf();
  KeyTuner key(settings, {.ranks = kRanks, .count = 4096}, Bytes{8}, {}, true, plantedRing().front());
  const std::vector<Seconds> arrivals(kRanks);
  const std::vector<Seconds> exits(kRanks, Seconds{1e-4});
  std::vector<std::string> incumbents;
  for (int epoch = 0; epoch < 40; ++epoch) {
    for (int call = 0; call < 4; ++call) {
      key.count({});
      key.observe({}, timesOf(gym::summaryOf(arrivals, exits), true));
      key.notePassedOver({}, true);
    }
    if (const auto decision = key.decide()) {
      incumbents.push_back(formatChoice(decision->plan.incumbent));
      key.planTookForce();
    }
  }
  ASSERT_FALSE(incumbents.empty());
  EXPECT_EQ(incumbents.front(), "ring");
  EXPECT_EQ(incumbents.back(), "native");
}

TEST(KeyTunerLoss, runsAPlantedChoiceThreeTimesAtMostWhileArrivalsMove) {
  for (const auto& move : {moveArrivalsInEveryEpoch, delayOneRankMoreInEveryEpoch}) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(1000.0), plantedRing());
    move(communicator);
    communicator.calls(400, kLine, kVector);
    EXPECT_LE(callsOf(choiceOf("ring"), communicator), 4) << "the fourth where a plan came between";
    EXPECT_LE(callsOtherThanNative(communicator), kMostInVain);
    EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  }
}

TEST(KeyTunerLoss, runsAPlantedChoiceThreeTimesAtMostWithoutACommonClock) {
  for (const auto& move : {moveArrivalsInEveryEpoch, delayOneRankMoreInEveryEpoch}) {
    SimulatedMachine machine = machineWhereOthersTake(1000.0);
    machine.clock_offsets = {{0.0}, {1e3}, {-5e3}, {7.0}};
    SimulatedCommunicator communicator(kRanks, withoutCommonClock(), machine, plantedRing());
    move(communicator);
    communicator.calls(400, kLine, kVector);
    EXPECT_LE(callsOf(choiceOf("ring"), communicator), 3);
    EXPECT_LE(callsOtherThanNative(communicator), kMostInVain);
    EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  }
}

TEST(KeyTunerLoss, seesALossBehindLongWaitsWithoutACommonClock) {
  // Three times slower, which waiting for the late rank hides in the mean elapsed time.
  SimulatedMachine machine = machineWhereOthersTake(3.0);
  machine.clock_offsets = {{0.0}, {1e3}, {-5e3}, {7.0}};
  SimulatedCommunicator communicator(kRanks, withoutCommonClock(), machine, plantedRing());
  communicator.setPattern(rankOneLate);
  communicator.calls(400, kLine, kVector);
  EXPECT_EQ(callsOf(choiceOf("ring"), communicator), 3);
  EXPECT_LE(callsOtherThanNative(communicator), kMostInVain);
  EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
}

TEST(KeyTunerLoss, runsAPlantedChoiceThreeTimesAtMostWithACoarseClock) {
  for (const double tick : {1e-4, 1e-3, 1e-2}) {
    SimulatedMachine machine = machineWhereOthersTake(1000.0);
    machine.tick = {tick};
    SimulatedCommunicator communicator(kRanks, settingsOf(), machine, plantedRing());
    moveArrivalsInEveryEpoch(communicator);
    communicator.calls(400, kLine, kVector);
    EXPECT_LE(callsOf(choiceOf("ring"), communicator), 3) << "ticks of " << tick << " s";
    EXPECT_LE(callsOtherThanNative(communicator), kMostInVain) << "ticks of " << tick << " s";
  }
}

TEST(KeyTunerLoss, runsAPlantedChoiceFewTimesWhenItsCallsComeInALongEpoch) {
  // Of the calls of long epochs one in eight is stamped, so that three may pass unseen. The next three are seen.
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(1000.0), plantedRing());
  communicator.calls(4, kLine, kVector);
  communicator.calls(1800, kOtherLine, kSmall);
  ASSERT_GT(communicator.epochLengths().back(), 64);
  const std::size_t before = communicator.choices().size();
  communicator.calls(1000, kLine, kVector);
  EXPECT_LE(callsOtherThanNative(communicator, before), 6);
  EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
}

TEST(KeyTunerLoss, keepsAPlantedChoiceThatIsGoodUnlessAnotherIsBetter) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(0.5), plantedRing());
  communicator.calls(400, kLine, kVector);
  const std::vector<Seconds> on_time(kRanks);
  EXPECT_LE(communicator.timeOf(incumbentOf(communicator), {}, kVector, on_time),
            communicator.timeOf(choiceOf("ring"), {}, kVector, on_time));
  EXPECT_LE(400 - callsOtherThanNative(communicator), 10) << "most before it is taken over";
  EXPECT_GE(communicator.tuner().key(0).gain().value(), 2.0 - 1e-6) << "measured, not the stored one";
}

TEST(KeyTunerLoss, keepsAPlantedChoiceThatIsGoodWhileArrivalsMove) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(0.5), plantedRing());
  moveArrivalsInEveryEpoch(communicator);
  communicator.calls(400, kLine, kVector);
  EXPECT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm) << "the ring, or what is even better";
  EXPECT_GE(callsOtherThanNative(communicator), 400 - 12 - 6 - 9);
}

TEST(KeyTunerLoss, givesUpAChoiceThatANewTableMakesSlow) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(0.5));
  communicator.calls(200, kLine, kVector);
  ASSERT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  communicator.machine().moved_factor = 1000.0;
  communicator.setPattern(rankOneLate);
  while (placementIn(communicator).table.empty()) communicator.call(kLine, kVector);
  const std::size_t before = communicator.choices().size();
  communicator.calls(600, kLine, kVector);
  EXPECT_LE(callsOtherThanNative(communicator, before), 9);
  EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
}

TEST(KeyTunerLoss, runsAChoiceThatANewTableMakesSlowFewTimesWhenItsCallsComeInALongEpoch) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWhereOthersTake(0.5));
  communicator.calls(200, kLine, kVector);
  ASSERT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  communicator.machine().moved_factor = 1000.0;
  communicator.setPattern(rankOneLate);
  while (placementIn(communicator).table.empty()) communicator.call(kLine, kVector);
  communicator.setPattern([](std::mt19937&) { return std::vector<Seconds>(kRanks); });
  communicator.calls(2000, kOtherLine, kSmall);
  ASSERT_EQ(communicator.epochLengths().back(), 32);
  const std::size_t before = communicator.choices().size();
  communicator.setPattern(rankOneLate);
  communicator.calls(1000, kLine, kVector);
  EXPECT_LE(callsOtherThanNative(communicator, before), 9);
  EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
}

// Whatever is chosen is faster than native by far.
SimulatedMachine machineWithSlowNative() {
  SimulatedMachine machine;
  machine.native_factor = 2.0;
  return machine;
}

TEST(KeyTunerLoss, givesUpAChoiceThatBecomesSlowInSteadyUseAfterThreeOfItsCalls) {
  for (const bool stamps_compare : {true, false}) {
    TunerSettings settings = settingsOf();
    settings.stamps_compare = stamps_compare;
    settings.options.longest_epoch = 3;
    SimulatedCommunicator communicator(kRanks, settings, machineWithSlowNative());
    communicator.calls(200, kLine, kLong);
    const Choice incumbent = incumbentOf(communicator);
    ASSERT_NE(incumbent.algorithm, kNativeAlgorithm);
    const std::size_t before = communicator.choices().size();
    communicator.machine().others_factor = 50.0;
    moveArrivalsInEveryEpoch(communicator);
    for (int call = 0; call < 8 && callsOf(incumbent, communicator, before) < 3; ++call) {  // there may be trials
      communicator.call(kLine, kLong);
    }
    ASSERT_EQ(callsOf(incumbent, communicator, before), 3);
    communicator.call(kLine, kLong);
    EXPECT_EQ(callsOf(incumbent, communicator, before), 3) << "noticed";
    communicator.calls(400, kLine, kLong);
    EXPECT_LE(callsOtherThanNative(communicator, before), 3 + kMostInVain);
    EXPECT_EQ(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  }
}

TEST(KeyTunerLoss, givesUpAChoiceThatBecomesSlowInLongEpochsAfterThreeOfItsCalls) {
  for (const int offset : {0, 5, 7}) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), machineWithSlowNative());
    communicator.calls(2000, kLine, kLong);
    ASSERT_EQ(communicator.epochLengths().back(), 8);
    const std::size_t epochs = communicator.epochLengths().size();
    while (communicator.epochLengths().size() == epochs) communicator.call(kLine, kLong);
    communicator.calls(offset, kLine, kLong);
    const std::size_t before = communicator.choices().size();
    communicator.machine().others_factor = 50.0;
    moveArrivalsInEveryEpoch(communicator);
    const Choice chosen = incumbentOf(communicator);
    while (!communicator.keys().entry(0).is_stopped) communicator.call(kLine, kLong);
    EXPECT_LE(callsOf(chosen, communicator, before), 4) << offset << "; one may be under way";
    communicator.calls(1200, kLine, kLong);
    EXPECT_LE(callsOtherThanNative(communicator, before), 3 + kMostInVain) << offset;
  }
}

TEST(KeyTunerLoss, takesAChoiceBackWhenNativeTurnsOutToTakeAsLongNow) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWithSlowNative());
  communicator.calls(60, kLine, kVector);
  ASSERT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  communicator.machine().others_factor = 5.0;
  communicator.machine().native_factor = 10.0;
  communicator.calls(300, kLine, kVector);
  EXPECT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  EXPECT_GT(communicator.tuner().key(0).gain(), 1.8);
}

TEST(KeyTunerLoss, stopsNothingForOneSlowCallInFour) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWithSlowNative());
  communicator.calls(60, kLine, kVector);
  ASSERT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  for (int call = 0; call < 1000; ++call) {
    communicator.machine().others_factor = call % 4 == 0 ? 100.0 : 1.0;
    communicator.call(kLine, kVector);
  }
  EXPECT_EQ(communicator.keys().entry(0).times_stopped, 0);
}

// What native took before says nothing of what it would take now.
TEST(KeyTunerLoss, stopsNothingWhereTheWholeMachineHasBecomeSlower) {
  SimulatedMachine machine;
  machine.native_factor = 1.5;
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  communicator.calls(200, kLine, kLong);
  const Choice chosen = incumbentOf(communicator);
  ASSERT_NE(chosen.algorithm, kNativeAlgorithm);
  communicator.machine().others_factor = 1.8;
  communicator.machine().native_factor = 1.8 * 1.5;
  communicator.machine().scatter = 0.9;  // calls may take 3.4 times as long as they did, and more than twice native's
  communicator.calls(2000, kLine, kLong);
  EXPECT_EQ(communicator.keys().entry(0).times_stopped, 0);
  EXPECT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
}

TEST(KeyTunerLoss, returnsToAGoodChoiceWhoseCallsWereSlowByChance) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), machineWithSlowNative());
  communicator.calls(200, kLine, kLong);
  ASSERT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm);
  communicator.machine().others_factor = 50.0;
  const Choice chosen = incumbentOf(communicator);
  while (communicator.keys().entry(0).times_stopped == 0) communicator.call(kLine, kLong);
  communicator.machine().others_factor = 1.0;
  const std::size_t before = communicator.choices().size();
  communicator.calls(24 * 50 + 100, kLine, kLong);
  EXPECT_GT(callsOf(chosen, communicator, before), 0) << "tried again within 2% of the time";
  EXPECT_NE(incumbentOf(communicator).algorithm, kNativeAlgorithm) << "that, or what is as good";
}

TEST(KeyTunerLoss, looksAtFewCallsThatTakeNoLongerThanLookingAtThem) {
  SimulatedMachine machine;
  machine.native_factor = 3.0;
  SimulatedCommunicator small(kRanks, settingsOf(), machine);
  small.calls(200, kLine, kSmall);
  ASSERT_NE(incumbentOf(small).algorithm, kNativeAlgorithm);
  EXPECT_GT(small.keys().entry(0).plan.limit.every, 1);
  EXPECT_GT(small.keys().entry(0).plan.limit.slow_ns, 0);
  SimulatedCommunicator large(kRanks, settingsOf(), machine);
  large.calls(200, kLine, doubles(1 << 20));
  ASSERT_NE(incumbentOf(large).algorithm, kNativeAlgorithm);
  EXPECT_EQ(large.keys().entry(0).plan.limit.every, 1);
}

// A coarse clock finds that short calls take no time, and that messages cost nothing.
TEST(KeyTunerLoss, makesPlansThatRanksCanReadWhereNothingTakesTime) {
  TunerSettings settings = settingsOf();
  settings.model = {};
  KeyTuner key(settings, {.ranks = 2, .count = 1}, Bytes{8}, {}, true, plantedRing().front());
  std::optional<KeyTuner::Decision> decision;
  const std::vector<Seconds> at_once(2);
  while (!decision) {
    key.count({});
    key.observe(PlannedChoice{}, timesOf(gym::summaryOf(at_once, at_once), true));
    decision = key.decide();
  }
  EXPECT_EQ(formatChoice(decision->plan.incumbent), "ring");
  EXPECT_GE(decision->plan.limit.every, 1);
}

TEST(KeyTunerLoss, staysWithAForcedAlgorithmHoweverSlow) {
  Options options;
  options.algorithm = "ring";
  SimulatedCommunicator communicator(kRanks, settingsOf(options), machineWhereOthersTake(1000.0));
  moveArrivalsInEveryEpoch(communicator);
  communicator.calls(400, kLine, kVector);
  EXPECT_EQ(incumbentOf(communicator), choiceOf("ring"));
  EXPECT_GT(callsOtherThanNative(communicator), 380);
}

}  // namespace
}  // namespace starling
