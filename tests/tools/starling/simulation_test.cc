#include "simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algos/catalogue.h"

namespace starling::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kMicrosecond = 1e-6;

// Blocks of 250 elements take 1000 us each on the wire.
Scenario fourRanks() {
  Scenario scenario;
  scenario.ranks = 4;
  scenario.count = 1000;
  scenario.element_size = Bytes{4};
  scenario.model = CostModel{Seconds{0.0}, kMicrosecond, 0.0, 1};
  return scenario;
}

TEST(Simulation, balancedRingTakesTwoPMinusTwoSteps) {
  const Comparison comparison = compare(fourRanks(), {"ring"}).value();
  ASSERT_EQ(comparison.predictions.size(), 1U);
  const Prediction& ring = comparison.predictions.front();
  EXPECT_NEAR(ring.post_arrival.value, 6 * 1000 * kMicrosecond, 1e-9);
  EXPECT_NEAR(ring.elapsed.value, ring.post_arrival.value, 1e-12);
  EXPECT_EQ(ring.transfer_count, 24U);
  EXPECT_DOUBLE_EQ(*ring.ratio_to_ring, 1.0);
  EXPECT_DOUBLE_EQ(*ring.share_of_saving, 0.0);
}

TEST(Simulation, recursiveDoublingTakesLogPWholeVectors) {
  const Comparison comparison = compare(fourRanks(), {"recursive_doubling"}).value();
  EXPECT_NEAR(comparison.predictions.front().post_arrival.value, 2 * 4000 * kMicrosecond, 1e-9);
  EXPECT_NEAR(*comparison.predictions.front().ratio_to_ring, 0.75, 1e-9);
  // Ring could save 6000 - 4000 us; this one takes 2000 us more instead.
  EXPECT_NEAR(*comparison.predictions.front().share_of_saving, -1.0, 1e-6);
}

TEST(Simulation, sortsTheTableByLatenessUnlessToldNotTo) {
  Scenario scenario = fourRanks();
  scenario.late = {{1, Seconds{0.005}}, {0, Seconds{0.010}}};
  const Comparison sorted = compare(scenario, {"ring"}).value();
  EXPECT_THAT(sorted.table, ElementsAre(2, 3, 1, 0));
  EXPECT_DOUBLE_EQ(sorted.arrivals.back().value, 0.010);
  scenario.sorted = false;
  EXPECT_THAT(compare(scenario, {"ring"}).value().table, ElementsAre(0, 1, 2, 3));
}

TEST(Simulation, theSortedTreeBeatsTheRingWhenOneRankIsLate) {
  Scenario scenario = fourRanks();
  scenario.late = {{1, Seconds{1.0}}};
  const Comparison comparison = compare(scenario, {"ring", "slt:segments=64"}).value();
  EXPECT_EQ(comparison.predictions.front().choice, "slt:segments=64");
  EXPECT_GT(*comparison.predictions.front().ratio_to_ring, 1.2);
  EXPECT_GT(*comparison.predictions.front().share_of_saving, 0.5);
  EXPECT_LE(*comparison.predictions.front().share_of_saving, 1.0);
}

TEST(Simulation, simulatesTheWholeCatalogueSortedByPostArrivalTime) {
  const Comparison comparison = compare(fourRanks(), {}).value();
  EXPECT_EQ(comparison.predictions.size() + comparison.skipped.size(), catalogue().size());
  EXPECT_THAT(comparison.skipped, Contains(HasSubstr("native has no schedule")));
  for (std::size_t i = 1; i < comparison.predictions.size(); ++i) {
    EXPECT_LE(comparison.predictions[i - 1].post_arrival, comparison.predictions[i].post_arrival);
  }
}

TEST(Simulation, aTraceKeepsTheOrderAskedForAndTheTransfers) {
  Scenario scenario = fourRanks();
  scenario.late = {{1, Seconds{1.0}}};
  const Comparison traced = trace(scenario, {"ring", "slt:segments=64"}).value();
  ASSERT_EQ(traced.predictions.size(), 2U);
  EXPECT_EQ(traced.predictions[0].choice, "ring");
  EXPECT_EQ(traced.predictions[1].choice, "slt:segments=64");
  for (const Prediction& prediction : traced.predictions) {
    EXPECT_EQ(prediction.call.transfers.size(), prediction.transfer_count);
  }
  EXPECT_THAT(compare(scenario, {"ring"}).value().predictions.front().call.transfers, IsEmpty());
}

TEST(Simulation, givesTheRingStepTimeToRowsThatAskForIt) {
  const std::string choice = compare(fourRanks(), {"prr"}).value().predictions.front().choice;
  EXPECT_EQ(choice, "prr:tau_ns=1000000");
  EXPECT_EQ(compare(fourRanks(), {"prr:tau_ns=7"}).value().predictions.front().choice, "prr:tau_ns=7");
}

TEST(Simulation, predictsManyRanksFromFewer) {
  Scenario scenario = fourRanks();
  scenario.ranks = 96;
  scenario.count = 96'000;
  scenario.model.alpha = Seconds{1e-3};
  scenario.late = {{1, Seconds{0.1}}};
  const Prediction simulated = compare(scenario, {"ring"}).value().predictions.front();
  scenario.predicted = true;
  const Prediction predicted = compare(scenario, {"ring"}).value().predictions.front();
  EXPECT_NEAR(predicted.post_arrival / simulated.post_arrival, 1.0, 0.02);
  EXPECT_NEAR(predicted.elapsed / simulated.elapsed, 1.0, 0.02);
  EXPECT_TRUE(simulated.transfer_count.has_value());
  EXPECT_FALSE(predicted.transfer_count.has_value());
}

TEST(Simulation, ranksAreOnNodesInAnyOrder) {
  Scenario scenario = fourRanks();
  scenario.model.inner_alpha = Seconds{1e-9};
  scenario.model.inner_beta = kMicrosecond / 100;
  const auto time = [&scenario] { return compare(scenario, {"ring"}).value().predictions.front().post_arrival.value; };
  scenario.nodes = {0, 0, 2, 2};
  const double by_rank = time();
  scenario.nodes = {0, 1, 0, 1};
  EXPECT_GT(time(), by_rank) << "every message of the ring leaves its node";
  scenario.nodes.clear();
  scenario.ranks_per_node = 2;
  EXPECT_NEAR(time(), by_rank, 1e-12);
}

TEST(Simulation, operationsThatDoNotCommuteLeaveRowsOut) {
  Scenario scenario = fourRanks();
  scenario.commutative = false;
  EXPECT_THAT(compare(scenario, {"ring"}).status().message(), HasSubstr("ring changes the order of ranks"));
  const UsualChoices usual = usualChoices(scenario);
  EXPECT_EQ(usual.choices.size() + usual.skipped.size(), catalogue().size());
  EXPECT_THAT(usual.skipped, Contains(HasSubstr("ring changes the order of ranks")));
}

TEST(Simulation, nothingToSendCostsNothing) {
  Scenario scenario = fourRanks();
  scenario.count = 0;
  const Prediction ring = compare(scenario, {"ring"}).value().predictions.front();
  EXPECT_EQ(ring.post_arrival.value, 0.0);
  EXPECT_FALSE(ring.share_of_saving.has_value());
}

TEST(Simulation, refusesWhatItCannotSimulate) {
  Scenario scenario = fourRanks();
  EXPECT_THAT(compare(scenario, {"native"}).status().message(), HasSubstr("no schedule"));
  EXPECT_FALSE(compare(scenario, {"unheard_of"}).isOk());
  EXPECT_FALSE(compare(scenario, {"ring", ""}).isOk());
  scenario.late = {{4, Seconds{0.1}}};
  EXPECT_THAT(compare(scenario, {"ring"}).status().message(), HasSubstr("4 ranks, 0 to 3"));
  scenario.late = {{2, Seconds{0.1}}, {2, Seconds{0.2}}};
  EXPECT_THAT(compare(scenario, {"ring"}).status().message(), HasSubstr("two latenesses"));
  scenario.ranks = 0;
  EXPECT_THAT(compare(scenario, {"ring"}).status().message(), HasSubstr("1 or more"));
}

}  // namespace
}  // namespace starling::cli
