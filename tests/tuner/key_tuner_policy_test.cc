// What the user, or an earlier run, has decided: forced algorithms, modes and stored policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

using testing::HasSubstr;

constexpr LocalSite kLine = 40;
constexpr std::int32_t kRanks = 4;
const Signature kVector = doubles(4096);

// The last but one rank comes 10 ms after the others.
std::vector<Seconds> lateRank(std::mt19937&) {
  std::vector<Seconds> lateness(kRanks);
  lateness[kRanks - 2] = {10e-3};
  return lateness;
}

PolicyRecord policyFor(const std::string& choice) {
  PolicyRecord policy;
  policy.site = "line40";
  policy.communicator_size = kRanks;
  policy.size_class = sizeClass(kVector.bytes());
  policy.type = "double";
  policy.operation = "sum";
  policy.choice = choice;
  policy.gain = 1.5;
  policy.compared_by = kByPostArrival;
  policy.reason = "It was best before.";
  return policy;
}

Signature nonCommutative() {
  Signature signature = kVector;
  signature.commutative = false;
  return signature;
}

// The first three find nothing in the caches.
TEST(KeyTuner, doesNotLookAtTheFirstCallsOfAShortLearnedChoiceThroughSharedMemory) {
  for (const bool is_short : {true, false}) {
    TunerSettings settings = settingsOf();
    settings.topology = {.nodes = {0, 0}, .shares_memory = true};
    settings.model.node_alpha = {2e-7};
    settings.model.node_beta = 1e-11;
    const std::int64_t count = is_short ? 1 : std::int64_t{1} << 25;
    KeyTuner key(settings, {.ranks = 2, .count = count}, Bytes{8}, {}, true, policyFor("node"));
    const Seconds time = is_short ? Seconds{2e-6} : Seconds{0.1};
    for (int epoch = 0; epoch < 4; ++epoch) {
      key.count({});
      key.observe({}, timesOf(gym::summaryOf(std::vector<Seconds>(2), std::vector(2, time)), true));
      if (key.decide(true, 4)) key.planTookForce();
    }
    ASSERT_EQ(key.plan().incumbent, choiceOf("node"));
    EXPECT_EQ(key.plan().limit.cold, is_short ? 3 : 0);
  }
}

TEST(KeyTuner, usesTheAlgorithmThatTheUserForces) {
  Options options;
  options.algorithm = "slt:segments=16";
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.calls(200, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent, choiceOf("slt:segments=16"));
  EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
  EXPECT_EQ(communicator.explorationCalls(), 0);
  const Batch batch = communicator.tuner().drain();
  ASSERT_EQ(batch.decisions.size(), 1U);
  EXPECT_THAT(batch.decisions[0].reason, HasSubstr("STARLING_ALGORITHM=slt:segments=16 forces this choice"));
  EXPECT_TRUE(batch.policies.empty()) << "what is forced was not learned";
}

TEST(KeyTuner, keepsAForcedAlgorithmThoughItIsSlower) {
  Options options;
  options.algorithm = "ring";
  SimulatedMachine machine;
  machine.others_factor = 20.0;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), machine);
  communicator.calls(200, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent, choiceOf("ring"));
}

// As where ranks that share a node have learned, and as many of several nodes begin.
TEST(KeyTuner, doesNotBeginWithARowThatItsTopologyDoesNotHave) {
  TunerSettings settings = settingsOf();
  const Choice node = choiceOf("node");
  const std::vector<CostResidual> residuals{{formOf(node), 0.0, 0.1}};
  const KeyShape shape = shapeOn({}, kRanks, sizeClass(kVector.bytes()));
  settings.shared->priors.learn(shape, residuals);
  settings.shared->latest.note({shape, {kVector.type, kVector.operation, "elsewhere"}, {node, {}}, nullptr});
  SimulatedCommunicator communicator(kRanks, settings, {});
  communicator.calls(200, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
  const auto ran_node = [&](const PlannedChoice& one) { return one.choice.algorithm == node.algorithm; };
  EXPECT_TRUE(std::ranges::none_of(communicator.choices(), ran_node));
}

TEST(KeyTuner, staysOnNativeWhenTheForcedAlgorithmIsNotValidOrUnknown) {
  Options options;
  options.algorithm = "ring";
  SimulatedMachine machine;
  machine.native = choiceOf("recursive_doubling");
  SimulatedCommunicator invalid(kRanks, settingsOf(options), machine);
  invalid.calls(40, kLine, nonCommutative());
  EXPECT_EQ(invalid.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_THAT(invalid.tuner().drain().decisions.front().reason, HasSubstr("not valid here"));

  options.algorithm = "rign";
  SimulatedCommunicator unknown(kRanks, settingsOf(options), machine);
  unknown.calls(40, kLine, kVector);
  EXPECT_EQ(unknown.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_THAT(unknown.tuner().drain().decisions.front().reason, HasSubstr("not understood"));
}

TEST(KeyTuner, followsArrivalsWithinTheOneAssociationInReproducibleMode) {
  Options options;
  options.reproducible = true;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.setPattern(lateRank);
  communicator.calls(300, kLine, kVector);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  EXPECT_EQ(plan.state, KeyState::kSettled);
  EXPECT_TRUE(findAlgorithm(plan.incumbent.algorithm)->fixed_association) << formatChoice(plan.incumbent);
  const ExpandedPlacement placement = placementIn(communicator);
  EXPECT_TRUE(placement.table.empty());
  const auto latest = std::max_element(placement.lateness_ns.begin(), placement.lateness_ns.end());
  ASSERT_NE(latest, placement.lateness_ns.end());
  EXPECT_EQ(latest - placement.lateness_ns.begin(), kRanks - 2);
  EXPECT_EQ(communicator.explorationCalls(), 0);
  EXPECT_LE(communicator.updates(), 2);
  EXPECT_TRUE(communicator.tuner().drain().policies.empty());
}

TEST(KeyTuner, ignoresStoredPoliciesInReproducibleMode) {
  Options options;
  options.reproducible = true;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {}, {policyFor("ring")});
  communicator.calls(40, kLine, kVector);
  EXPECT_TRUE(findAlgorithm(communicator.keys().entry(0).plan.incumbent.algorithm)->fixed_association);
}

TEST(KeyTuner, neverDecidesInObserveMode) {
  Options options;
  options.mode = Mode::kObserve;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {}, {policyFor("ring")});
  communicator.setPattern(lateRank);
  communicator.calls(300, kLine, kVector);
  EXPECT_EQ(communicator.updates(), 0);
  for (const PlannedChoice& planned : communicator.choices()) {
    EXPECT_EQ(planned.choice.algorithm, kNativeAlgorithm);
  }
  EXPECT_EQ(communicator.tuner().key(0).state(), KeyState::kObserving);
  const Batch batch = communicator.tuner().drain();
  EXPECT_TRUE(batch.decisions.empty());
  EXPECT_FALSE(batch.observations.empty());
  EXPECT_EQ(batch.arrivals.size(), static_cast<std::size_t>(kRanks));
}

TEST(KeyTuner, takesOverAStoredPolicyAndExploresNothingButNative) {
  PolicyRecord policy = policyFor("prr:tau_ns=9000");
  policy.table = {3, 1, 0, 2};
  policy.lateness_ns = {0, 0, 0, 10'000'000};
  SimulatedCommunicator communicator(kRanks, settingsOf(), {}, {policy});
  communicator.setPattern(lateRank);
  communicator.calls(7, kLine, kVector);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  EXPECT_EQ(plan.incumbent, choiceOf("prr:tau_ns=9000"));
  EXPECT_EQ(placementIn(communicator).table, policy.table);
  EXPECT_EQ(placementIn(communicator).lateness_ns, policy.lateness_ns);
  for (const PlannedChoice& call : communicator.choices()) {
    EXPECT_EQ(call.choice, call.exploration ? kNativeChoice : plan.incumbent);
  }
  EXPECT_LE(communicator.explorationCalls(), 1);
  const Batch batch = communicator.tuner().drain();
  ASSERT_EQ(batch.policies.size(), 1U);
  EXPECT_EQ(batch.policies[0], policy) << "what is stored again is what was stored";
  ASSERT_EQ(batch.keys.size(), 1U);
  EXPECT_EQ(batch.keys[0].exploration_calls, 0);
}

TEST(KeyTuner, givesUpATakenOverPolicyThatIsSlowerThanNative) {
  SimulatedMachine machine;
  machine.others_factor = 10.0;
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine, {policyFor("ring")});
  communicator.calls(120, kLine, kVector);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  const Batch batch = communicator.tuner().drain();
  ASSERT_FALSE(batch.policies.empty());
  EXPECT_EQ(batch.policies.back().choice, "native") << "a later run is told";
}

TEST(KeyTuner, looksForSomethingBetterWhereRanksArriveInAnotherWayThanInTheEarlierRun) {
  // The policy is of a run in which nobody was late.
  const Signature large = doubles(1 << 16);
  PolicyRecord policy = policyFor("ring_segmented");
  policy.size_class = sizeClass(large.bytes());
  SimulatedCommunicator communicator(kRanks, settingsOf(), {}, {policy});
  communicator.setPattern(lateRank);
  communicator.calls(30, kLine, large);
  SimulatedCommunicator fresh(kRanks, settingsOf(), {});
  fresh.setPattern(lateRank);
  fresh.calls(60, kLine, large);
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, fresh.keys().entry(0).plan.incumbent.algorithm);
  EXPECT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, choiceOf("ring_segmented").algorithm);
}

// Calls are so short that ranking all rows takes as long as dozens of them.
TEST(KeyTuner, ranksRowsAtOnceForThisRunWhereAnEarlierRunHadALateRank) {
  const Signature shortest = doubles(8);
  PolicyRecord policy = policyFor("late_join:segments=1,flagged=1");
  policy.size_class = sizeClass(shortest.bytes());
  policy.table = {0, 1, 3, 2};
  policy.lateness_ns = {0, 0, 10'000'000, 0};
  SimulatedCommunicator communicator(kRanks, settingsOf(), {}, {policy});
  communicator.calls(40, kLine, shortest);
  ASSERT_TRUE(placementIn(communicator).lateness_ns.empty());
  SimulatedCommunicator fresh(kRanks, settingsOf(), {});
  fresh.calls(40, kLine, shortest);
  const KeyCosts& costs = communicator.tuner().key(0).costs();
  const KeyCosts& expected = fresh.tuner().key(0).costs();
  for (const char* row : {"recursive_doubling", "reduce_bcast", "late_join"}) {
    EXPECT_EQ(costs.arms()[costs.armOf(choiceOf(row))].predicted,
              expected.arms()[expected.armOf(choiceOf(row))].predicted)
        << row;
  }
}

TEST(KeyTuner, takesOverThePolicyOfItsOwnKeyOnly) {
  std::vector<PolicyRecord> others(5, policyFor("ring"));
  others[0].site = "line41";
  others[1].communicator_size = kRanks + 1;
  others[2].size_class += 1;
  others[3].type = "float";
  others[4].operation = "max";
  SimulatedCommunicator communicator(kRanks, settingsOf(), {}, others);
  communicator.calls(40, kLine, kVector);
  EXPECT_GT(communicator.explorationCalls(), 0);

  PolicyRecord for_any_site = policyFor("rabenseifner");
  for_any_site.site = "any";
  others.push_back(for_any_site);
  SimulatedCommunicator with_any(kRanks, settingsOf(), {}, others);
  with_any.calls(12, kLine, kVector);
  EXPECT_EQ(with_any.keys().entry(0).plan.incumbent, choiceOf("rabenseifner"));
}

TEST(KeyTuner, learnsAnewWhenAStoredPolicyDoesNotFit) {
  std::vector<PolicyRecord> misfits(6, policyFor("ring"));
  misfits[0].choice = "no_such_algorithm";
  misfits[1].choice = "slt:segments=-3";
  misfits[2].table = {1, 0, 2};
  misfits[3].table = {0, 1, 1, 2};
  misfits[4].lateness_ns = {0, 0, 0, 0, 0, 7};
  misfits[5].lateness_ns = {0, 7};
  for (const PolicyRecord& misfit : misfits) {
    SimulatedCommunicator communicator(kRanks, settingsOf(), {}, {misfit});
    communicator.calls(60, kLine, kVector);
    EXPECT_EQ(communicator.keys().entry(0).plan.state, KeyState::kSettled);
    EXPECT_GT(communicator.explorationCalls(), 0);
    EXPECT_THAT(communicator.tuner().drain().decisions.front().reason, HasSubstr("does not fit"));
  }
}

TEST(KeyTuner, learnsAnewWhenAStoredPolicyReadsWhatItMayNot) {
  TunerSettings settings = settingsOf();
  settings.topology.nodes.assign(static_cast<std::size_t>(kRanks), 0);
  settings.topology.shares_memory = true;
  settings.model.node_alpha = {1e-6};
  for (const bool may_read : {false, true}) {
    settings.topology.reads_memory = may_read;
    SimulatedCommunicator communicator(kRanks, settings, {}, {policyFor("node_read")});
    communicator.calls(60, kLine, kVector);
    const bool was_called = std::ranges::any_of(communicator.choices(), [](const PlannedChoice& planned) {
      return planned.choice.algorithm == kNodeReadAlgorithm;
    });
    EXPECT_EQ(was_called, may_read);
  }
}

TEST(KeyTuner, learnsAnewWhenAStoredPolicyWouldBreakRankOrder) {
  SimulatedMachine machine;
  machine.native = choiceOf("recursive_doubling");
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine, {policyFor("ring")});
  communicator.calls(50, kLine, nonCommutative());
  for (const PlannedChoice& planned : communicator.choices()) {
    EXPECT_TRUE(findAlgorithm(planned.choice.algorithm)->keeps_rank_order);
  }
  EXPECT_GT(communicator.explorationCalls(), 0);
}

TEST(KeyTuner, takesNoStoredTableForNonCommutativeOperations) {
  PolicyRecord policy = policyFor("slt");
  policy.table = {3, 1, 0, 2};
  policy.lateness_ns = {0, 0, 0, 10'000'000};
  SimulatedMachine machine;
  machine.native = choiceOf("recursive_doubling");
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine, {policy});
  communicator.calls(50, kLine, nonCommutative());
  EXPECT_TRUE(placementIn(communicator).table.empty());
  EXPECT_TRUE(placementIn(communicator).lateness_ns.empty());
}

}  // namespace
}  // namespace starling
