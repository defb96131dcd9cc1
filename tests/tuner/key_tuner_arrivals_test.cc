// How plans follow the ranks' arrivals: the virtual-rank table and the predicted latenesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

constexpr LocalSite kLine = 40;
constexpr std::int32_t kRanks = 8;
const Signature kVector = doubles(8192);
const Signature kShort = doubles(256);  // quicker to simulate

TunerSettings settingsOf(TablePolicy policy = TablePolicy::kSort) {
  TunerSettings settings;
  settings.model = SimulatedMachine{}.model;
  settings.options.virtual_ranks = policy;
  return settings;
}

// One rank comes `late` after the others, which come within `scatter`.
SimulatedCommunicator::Pattern lateRank(std::size_t rank, double late, double scatter) {
  return [=](std::mt19937& random) {
    std::uniform_real_distribution<double> early(0.0, scatter);
    std::vector<Seconds> lateness(kRanks);
    for (Seconds& one : lateness) one = {early(random)};
    lateness[rank] += {late};
    return lateness;
  };
}

// Another rank each time comes 10 ms late.
std::vector<Seconds> randomRank(std::mt19937& random) {
  std::vector<Seconds> lateness(kRanks);
  lateness[random() % kRanks] = {10e-3};
  return lateness;
}

TEST(KeyTuner, putsTheLateRankLastWhenTablesAreSorted) {
  for (std::size_t late_rank = 0; late_rank < kRanks; ++late_rank) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), {});
    communicator.setPattern(lateRank(late_rank, 10e-3, 50e-6));
    communicator.calls(70, kLine, kVector);
    const KeyPlan& plan = communicator.keys().entry(0).plan;
    EXPECT_EQ(plan.state, KeyState::kSettled);
    std::vector<std::int32_t> expected = identityTable(kRanks);
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(late_rank));
    expected.push_back(static_cast<std::int32_t>(late_rank));
    if (late_rank + 1 == kRanks) expected.clear();  // all are in rank order
    const ExpandedPlacement placement = expanded(plan.placed, kRanks);
    EXPECT_EQ(placement.table, expected) << "what the others scatter by moves none of them";
    ASSERT_EQ(placement.lateness_ns.size(), static_cast<std::size_t>(kRanks));
    EXPECT_NEAR(static_cast<double>(placement.lateness_ns.back()), 10e6, 0.1e6);
    for (std::size_t i = 0; i + 1 < kRanks; ++i) EXPECT_EQ(placement.lateness_ns[i], 0);
  }
}

TEST(KeyTuner, choosesAnArrivalAwareAlgorithmWhenARankIsAlwaysLate) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern(lateRank(2, 10e-3, 50e-6));
  communicator.calls(60, kLine, doubles(1 << 16));
  const Choice chosen = communicator.keys().entry(0).plan.incumbent;
  const std::string name = findAlgorithm(chosen.algorithm)->name;
  EXPECT_THAT((std::array{"slt", "prr", "late_join"}), testing::Contains(name)) << formatChoice(chosen);
  EXPECT_GT(communicator.tuner().key(0).gain(), 1.2);
}

TEST(KeyTuner, movesTheLateRankLastExchangeByExchangeWhenTablesAreSwapped) {
  for (const std::size_t late_rank : {0, 3, 6}) {
    TunerSettings settings = settingsOf(TablePolicy::kSwap);
    settings.options.longest_epoch = 16;
    SimulatedCommunicator communicator(kRanks, settings, {});
    communicator.setPattern(lateRank(late_rank, 10e-3, 50e-6));
    std::vector<std::int32_t> before = identityTable(kRanks);
    for (int call = 0; call < 1500; ++call) {
      communicator.call(kLine, kShort);
      if (communicator.keys().size() == 0 || placementIn(communicator).table.empty()) continue;
      const std::vector<std::int32_t>& table = placementIn(communicator).table;
      int moved = 0;
      for (std::size_t i = 0; i < kRanks; ++i) moved += table[i] != before[i] ? 1 : 0;
      ASSERT_TRUE(moved == 0 || moved == 2) << "one exchange at a time";
      before = table;
    }
    EXPECT_EQ(before.back(), static_cast<std::int32_t>(late_rank));
  }
}

TEST(KeyTuner, leavesTheTableAloneWhenArrivalsAreUnpredictable) {
  for (const TablePolicy policy : {TablePolicy::kSort, TablePolicy::kSwap}) {
    constexpr int kRuns = 10;
    int moved = 0;
    for (int run = 0; run < kRuns; ++run) {
      SimulatedMachine machine;
      machine.seed = 100 + static_cast<unsigned>(run);
      SimulatedCommunicator communicator(kRanks, settingsOf(policy), machine);
      communicator.setPattern(randomRank);
      communicator.calls(200, kLine, kShort);
      EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
      moved += placementIn(communicator).table.empty() ? 0 : 1;
    }
    EXPECT_LE(moved, 1) << "of " << kRuns << " runs, seeds from 100: the first four calls can look like a pattern";
  }
}

// Flags name nobody before the coordinator has come, which is rank 0 else.
TEST(KeyTuner, letsARankThatIsNeverLateNameLateRanks) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern([](std::mt19937& random) {
    std::vector<Seconds> lateness(kRanks);
    lateness[random() % 4] = {10e-3};
    return lateness;
  });
  communicator.calls(200, kLine, kVector);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  ASSERT_EQ(flaggedRanks(plan.incumbent, kRanks), 1) << formatChoice(plan.incumbent);
  ASSERT_FALSE(placementIn(communicator).table.empty());
  EXPECT_GE(placementIn(communicator).table.front(), 4);
}

TEST(KeyTuner, leavesTheTableAloneWhenAllComeLateAtRandom) {
  constexpr std::int32_t kMany = 32;
  int moved = 0;
  for (unsigned run = 0; run < 10; ++run) {
    SimulatedMachine machine;
    machine.seed = 200 + run;
    SimulatedCommunicator communicator(kMany, settingsOf(), machine);
    communicator.setPattern([](std::mt19937& random) {
      std::uniform_real_distribution<double> late(0.0, 5e-3);
      std::vector<Seconds> lateness(kMany);
      for (Seconds& one : lateness) one = {late(random)};
      return lateness;
    });
    communicator.calls(200, kLine, doubles(2048));
    moved += placementIn(communicator).table.empty() ? 0 : 1;
  }
  EXPECT_LE(moved, 1) << "of 10 runs, seeds from 200";
}

TEST(KeyTuner, leavesTheTableAloneWhenAllAreOnTime) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern(lateRank(0, 0.0, 15e-6));
  communicator.calls(200, kLine, kVector);
  EXPECT_TRUE(placementIn(communicator).table.empty());
}

// Between nodes, where a short call takes as long; within a node nothing would be won.
TEST(KeyTuner, followsARankThatIsLateByAFewMicrosecondsBetweenNodes) {
  for (const bool shares_memory : {false, true}) {
    TunerSettings settings = settingsOf();
    settings.topology = {.nodes = std::vector<std::int32_t>(kRanks, 0), .shares_memory = shares_memory};
    SimulatedCommunicator communicator(kRanks, settings, {});
    communicator.setPattern(lateRank(0, 18e-6, 1e-6));
    communicator.calls(70, kLine, kVector);
    EXPECT_EQ(placementIn(communicator).table.empty(), shares_memory);
  }
}

TEST(KeyTuner, keepsTheIdentityForNonCommutativeOperations) {
  Signature signature = kVector;
  signature.commutative = false;
  SimulatedMachine machine;
  machine.native = choiceOf("reduce_bcast");
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  communicator.setPattern(lateRank(2, 10e-3, 50e-6));
  communicator.calls(100, kLine, signature);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  const ExpandedPlacement placement = expanded(plan.placed, kRanks);
  EXPECT_EQ(plan.state, KeyState::kSettled);
  EXPECT_TRUE(placement.table.empty());
  ASSERT_EQ(placement.lateness_ns.size(), static_cast<std::size_t>(kRanks));
  EXPECT_NEAR(static_cast<double>(placement.lateness_ns[2]), 10e6, 1e6);  // by rank
  EXPECT_EQ(placement.lateness_ns[3], 0);
  for (const PlannedChoice& planned : communicator.choices()) {
    EXPECT_TRUE(findAlgorithm(planned.choice.algorithm)->keeps_rank_order);
  }
}

TEST(KeyTuner, keepsTableAndChoiceWhileThePatternStays) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern(lateRank(5, 10e-3, 100e-6));
  communicator.calls(300, kLine, kVector);  // in which both forms of a row were measured
  const std::int64_t updates = communicator.updates();
  const KeyPlan before = communicator.keys().entry(0).plan;
  communicator.calls(1000, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent, before.incumbent);
  EXPECT_EQ(communicator.keys().entry(0).plan.placed, before.placed);
  EXPECT_LE(communicator.updates() - updates, 80) << "what is measured again now and then";
}

TEST(KeyTuner, keepsTheTableWhileTwoRanksAreAboutEquallyLate) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  const auto first = lateRank(2, 10e-3, 200e-6);
  communicator.setPattern([first](std::mt19937& random) {
    std::vector<Seconds> lateness = first(random);
    lateness[5] += {10e-3};
    return lateness;
  });
  communicator.calls(100, kLine, kShort);
  const std::vector<std::int32_t> before = placementIn(communicator).table;
  communicator.calls(2000, kLine, kShort);
  EXPECT_EQ(placementIn(communicator).table, before);
  const std::vector<std::int32_t>& table = placementIn(communicator).table;
  EXPECT_EQ(table[6] + table[7], 2 + 5);
}

TEST(KeyTuner, followsALateRankThatChanges) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern(lateRank(5, 10e-3, 50e-6));
  communicator.calls(60, kLine, kVector);
  ASSERT_EQ(placementIn(communicator).table.back(), 5);
  communicator.setPattern(lateRank(1, 10e-3, 50e-6));
  communicator.calls(500, kLine, kVector);
  EXPECT_EQ(placementIn(communicator).table.back(), 1);
  const std::vector<DecisionRecord> decisions = communicator.tuner().drain().decisions;
  EXPECT_TRUE(std::ranges::any_of(decisions, [](const DecisionRecord& decision) {
    return decision.reason.find("virtual-rank table follows") != std::string::npos && decision.table.back() == 1;
  }));
}

TEST(KeyTuner, followsALateRankThatChangesWithinFewCalls) {
  const Signature vector = doubles(1 << 16);
  for (int before = 300; before < 308; ++before) {  // anywhere in an epoch of 8 calls
    SimulatedCommunicator communicator(kRanks, settingsOf(), {});
    communicator.setPattern(lateRank(5, 10e-3, 50e-6));
    communicator.calls(before, kLine, vector);
    ASSERT_EQ(placementIn(communicator).table.back(), 5);
    ASSERT_NE(communicator.keys().entry(0).plan.incumbent, kNativeChoice);
    communicator.setPattern(lateRank(1, 10e-3, 50e-6));
    int calls = 0;
    for (; calls < 100 && placementIn(communicator).table.back() != 1; ++calls) communicator.call(kLine, vector);
    EXPECT_LE(calls, 6) << "after " << before;
  }
}

TEST(KeyTuner, followsALatenessThatBeginsAndOneThatEndsWithinFewCalls) {
  const Signature vector = doubles(1 << 16);
  SimulatedMachine machine;
  machine.native_factor = 3.0;  // so that native is left, and epochs stay short
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  const auto callsUntilLate = [&](bool is_late) {
    int calls = 0;
    const auto is_followed = [&] {
      const std::vector<std::int64_t> lateness_ns = placementIn(communicator).lateness_ns;
      return is_late == std::ranges::any_of(lateness_ns, [](std::int64_t late_ns) { return late_ns > 9'000'000; }) &&
             is_late == std::ranges::any_of(lateness_ns, [](std::int64_t late_ns) { return late_ns > 100'000; });
    };
    for (; calls < 200 && !is_followed(); ++calls) communicator.call(kLine, vector);
    return calls;
  };
  communicator.setPattern(lateRank(5, 0.0, 5e-6));
  communicator.calls(300, kLine, vector);
  ASSERT_NE(communicator.keys().entry(0).plan.incumbent, kNativeChoice);
  for (int turn = 0; turn < 2; ++turn) {
    communicator.setPattern(lateRank(5, 10e-3, 5e-6));
    EXPECT_LE(callsUntilLate(true), 24) << "turn " << turn;
    communicator.calls(100, kLine, vector);
    communicator.setPattern(lateRank(5, 0.0, 5e-6));
    EXPECT_LE(callsUntilLate(false), 24) << "turn " << turn;
    communicator.calls(100, kLine, vector);
  }
}

// Ranking takes longer than a few short calls are worth.
TEST(KeyTuner, ranksAnewOnceItIsWorthItWhereALateRankHasCeasedToBeLate) {
  SimulatedMachine machine;
  machine.native_factor = 3.0;
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  communicator.setPattern(lateRank(5, 10e-3, 5e-6));
  communicator.calls(100, kLine, kVector);
  communicator.setPattern(lateRank(5, 0.0, 5e-6));
  communicator.calls(40, kLine, kVector);
  ASSERT_TRUE(placementIn(communicator).lateness_ns.empty());
  const std::int64_t explored = communicator.explorationCalls();
  communicator.calls(1500, kLine, kVector);
  SimulatedCommunicator fresh(kRanks, settingsOf(), machine);
  fresh.setPattern(lateRank(5, 0.0, 5e-6));
  fresh.calls(200, kLine, kVector);
  EXPECT_GT(communicator.explorationCalls(), explored);
  const std::vector<Seconds> on_time(kRanks);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  const KeyPlan& best = fresh.keys().entry(0).plan;
  EXPECT_LE(communicator.timeOf(plan.incumbent, plan, kVector, on_time),
            1.05 * fresh.timeOf(best.incumbent, best, kVector, on_time));
}

// Calls that are not stamped take their time as well.
TEST(KeyTuner, ranksAnewWhenAllItsCallsHaveTakenLongEnough) {
  TunerSettings settings = settingsOf();
  settings.samples_per_epoch = 2;
  SimulatedCommunicator communicator(kRanks, settings, {});
  const auto predicted = [&](const char* row) {
    const KeyCosts& costs = communicator.tuner().key(0).costs();
    return costs.arms()[costs.armOf(choiceOf(row))].predicted;
  };
  communicator.calls(100, kLine, kVector);
  const Seconds on_time = predicted("late_join");
  communicator.setPattern(lateRank(5, 300e-6, 5e-6));
  communicator.calls(60, kLine, kVector);
  const Seconds late = predicted("late_join");
  EXPECT_NE(late, on_time) << "the first time rows are ranked soon";
  communicator.setPattern(lateRank(2, 50e-6, 5e-6));
  communicator.calls(60, kLine, kVector);
  ASSERT_EQ(placementIn(communicator).table.back(), 2);
  EXPECT_EQ(predicted("late_join"), late) << "and then seldom";
  communicator.calls(400, kLine, kVector);
  EXPECT_NE(predicted("late_join"), late);
}

// As in a phase of a program in which all work alike, and one in which each has much to do in turn.
TEST(KeyTuner, ranksAnewWhereRanksBeginToComeLateOfWhichNobodyCanTellWhich) {
  SimulatedMachine machine;
  machine.native_factor = 3.0;
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  communicator.calls(150, kLine, kVector);
  const Choice on_time = communicator.keys().entry(0).plan.incumbent;
  ASSERT_FALSE(formOf(on_time).is_flagged);
  communicator.tuner().drain();
  communicator.setPattern(randomRank);
  communicator.calls(150, kLine, kVector);
  int told = 0;
  for (const DecisionRecord& one : communicator.tuner().drain().decisions) {
    told += (one.reason.find("Arrivals changed: one rank or another is late, by ") != std::string::npos) ? 1 : 0;
  }
  EXPECT_GT(told, 0);
  EXPECT_TRUE(formOf(communicator.keys().entry(0).plan.incumbent).is_flagged);
}

TEST(KeyTuner, followsALatenessThatGrows) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern(lateRank(5, 4e-3, 50e-6));
  communicator.calls(60, kLine, kVector);
  EXPECT_NEAR(static_cast<double>(placementIn(communicator).lateness_ns.back()), 4e6, 0.1e6);
  communicator.setPattern(lateRank(5, 8e-3, 50e-6));
  communicator.calls(500, kLine, kVector);
  EXPECT_NEAR(static_cast<double>(placementIn(communicator).lateness_ns.back()), 8e6, 2e6);
}

TEST(KeyTuner, recordsWhatPlansMakeOfArrivals) {
  const auto recorded = [](const SimulatedCommunicator::Pattern& pattern) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), {});
    communicator.setPattern(pattern);
    communicator.calls(60, kLine, kShort);
    return communicator.tuner().drain();
  };
  EXPECT_EQ(recorded(lateRank(0, 0.0, 5e-6)).keys.front().outlook, "on_time");
  EXPECT_EQ(recorded(randomRank).keys.front().outlook, "unpredictable");
  const Batch late = recorded(lateRank(3, 10e-3, 50e-6));
  EXPECT_EQ(late.keys.front().outlook, "predicted");
  const auto rank = std::ranges::find(late.arrivals, 3, &ArrivalRecord::rank);
  ASSERT_NE(rank, late.arrivals.end());
  EXPECT_NEAR(rank->predicted, 10e-3, 0.1e-3);
  ASSERT_TRUE(rank->error.has_value());
  EXPECT_LT(*rank->error, 0.1e-3);
}

TEST(KeyTuner, movesTheTableOfAForcedAlgorithmToo) {
  TunerSettings settings = settingsOf();
  settings.options.algorithm = "slt";
  SimulatedCommunicator communicator(kRanks, settings, {});
  communicator.setPattern(lateRank(0, 10e-3, 50e-6));
  communicator.calls(60, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent, choiceOf("slt"));
  EXPECT_EQ(placementIn(communicator).table.back(), 0);
}

TEST(KeyTuner, placesTheCoordinatorOfAForcedAlgorithmTooAndOnce) {
  TunerSettings settings = settingsOf();
  settings.options.algorithm = "slt:flagged=1";
  SimulatedCommunicator communicator(kRanks, settings, {});
  communicator.setPattern([](std::mt19937& random) {
    std::vector<Seconds> lateness(kRanks);
    lateness[random() % 4] = {10e-3};
    return lateness;
  });
  communicator.calls(200, kLine, kVector);
  ASSERT_FALSE(placementIn(communicator).table.empty());
  EXPECT_GE(placementIn(communicator).table.front(), 4);
  const std::int64_t updates = communicator.updates();
  communicator.calls(200, kLine, kVector);
  EXPECT_LE(communicator.updates() - updates, 1);
}

}  // namespace
}  // namespace starling
