#include "whatif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "records.h"
#include "simulation.h"
#include "tuner/recorded_costs.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kLate = 0.050;

CostModel someModel() {
  CostModel model;
  model.alpha = Seconds{25e-6};
  model.beta = 1e-9;
  return model;
}

// Calls of a key on so many ranks, each on a node of its own, with the last one late.
Evidence evidenceOf(std::int32_t ranks) {
  Evidence evidence{recordedKey(1, labelledSite("a")), {}, {}, {}, {}};
  CommunicatorRecord& communicator = evidence.key.row.communicator;
  communicator.size = ranks;
  recordCosts(someModel(), {}, communicator);
  KeyRecord& key = evidence.key.row.key;
  key.bytes = 4'000'000;
  key.calls = 100;
  key.choice = "ring";
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      evidence.arrivals.push_back(arrival(key.id, epoch, rank, rank == ranks - 1 ? kLate : 0.0, 0.0, 0.0));
    }
    std::vector<std::int64_t> counts(15);
    counts[0] = ranks - 1;
    counts[10] = 1;
    evidence.histograms.push_back({key.id, epoch, 4, counts});
  }
  evidence.observations = {observation(key.id, 0, "native", 4, 0.0125), observation(key.id, 1, "ring", 4, 0.008),
                           observation(key.id, 1, "slt:segments=64", 4, 0.005)};
  return evidence;
}

std::map<std::string, WhatIfRow> rowsOf(const WhatIf& result) {
  std::map<std::string, WhatIfRow> rows;
  for (const WhatIfRow& row : result.rows) rows.emplace(row.choice, row);
  return rows;
}

// What `starling simulate` says of one call in which the last rank is late.
Seconds simulated(std::int32_t ranks, double lateness, const std::string& choice) {
  Scenario scenario;
  scenario.ranks = ranks;
  scenario.count = 1'000'000;
  scenario.model = someModel();
  scenario.late = {{ranks - 1, Seconds{lateness}}};
  return compare(scenario, {choice}).value().predictions.front().post_arrival;
}

TEST(WhatIf, predictsWhatASimulatedCallTakes) {
  for (const std::int32_t ranks : {2, 3, 5, 8, 9}) {
    const Result<WhatIf> result = whatIf(evidenceOf(ranks), {.choices = {"ring", "slt:segments=64"}});
    ASSERT_TRUE(result.isOk()) << result.status().message();
    const auto rows = rowsOf(result.value());
    for (const char* choice : {"ring", "slt:segments=64"}) {
      EXPECT_NEAR(rows.at(choice).predicted->value, simulated(ranks, kLate, choice).value, 1e-12) << ranks << choice;
    }
    EXPECT_EQ(result.value().epochs, 2);
    EXPECT_EQ(result.value().samples, 8);
  }
}

TEST(WhatIf, showsEveryRowBesideWhatWasMeasured) {
  const WhatIf result = whatIf(evidenceOf(4), {}).value();
  const auto rows = rowsOf(result);
  EXPECT_FALSE(rows.at("native").predicted.has_value()) << "it has no schedule";
  EXPECT_DOUBLE_EQ(*rows.at("native").measured->post_arrival.mean, 0.0125);
  EXPECT_DOUBLE_EQ(*rows.at("slt:segments=64").measured->post_arrival.mean, 0.005);
  EXPECT_TRUE(rows.at("ring").is_in_force);
  EXPECT_FALSE(rows.at("recursive_doubling").measured.has_value()) << "it was never tried";
  EXPECT_TRUE(rows.at("recursive_doubling").predicted.has_value());
  EXPECT_EQ(result.rows.back().choice, "native") << "what is not predicted comes last";
  EXPECT_EQ(result.rows.size() + result.skipped.size(), catalogue().size());
}

TEST(WhatIf, aRankOnTimeEndsCallsEarlierByItsLatenessAndTheOtherTimeAfterIt) {
  const WhatIf result = whatIf(evidenceOf(4), {}).value();
  EXPECT_EQ(result.on_time_rank, 3);
  const Seconds before = simulated(4, kLate, "ring");
  const Seconds after = simulated(4, 0.0, "ring");
  const double scale = measuredOverPredicted(result).value().median;  // simulated calls are as long as measured ones
  EXPECT_NE(scale, 1.0);
  EXPECT_NEAR(result.on_time.earlier.value, kLate + scale * (before.value - after.value), 1e-12);
  EXPECT_NEAR(result.on_time.less_waiting.value, kLate * 3 / 4, 1e-12);
  EXPECT_EQ(result.on_time.before, before);
  EXPECT_EQ(result.on_time.after, after);
  // The mean of all is later than the first by a quarter of the lateness.
  EXPECT_NEAR(result.together.earlier.value, kLate * 3 / 4 + scale * (before.value - after.value), 1e-12);
  EXPECT_NEAR(result.together.less_waiting.value, kLate * 3 / 4, 1e-12);
}

// Where another rank is late in each call all are equally late in the mean, but what was waited is known.
TEST(WhatIf, allAtOnceSavesWhatCallsHaveWaited) {
  Evidence evidence = evidenceOf(4);
  const WhatIf by_means = whatIf(evidence, {}).value();
  evidence.key.row.key.waiting = 7.0;  // in 100 calls
  const WhatIf result = whatIf(evidence, {}).value();
  EXPECT_DOUBLE_EQ(result.together.less_waiting.value, 0.070);
  const Seconds faster = by_means.together.earlier - by_means.together.less_waiting;
  EXPECT_NEAR(result.together.earlier.value, 0.070 + faster.value, 1e-12);
  EXPECT_EQ(result.on_time.earlier, by_means.on_time.earlier);
}

TEST(WhatIf, aRankThatIsOnTimeAlreadyGainsNothing) {
  const WhatIf result = whatIf(evidenceOf(4), {.on_time = 0}).value();
  EXPECT_EQ(result.on_time_rank, 0);
  EXPECT_NEAR(result.on_time.earlier.value, 0.0, 1e-12);
}

TEST(WhatIf, whatNativeTakesAfterTheLastArrivalIsNotKnown) {
  Evidence evidence = evidenceOf(4);
  evidence.key.row.key.choice = "native";
  const WhatIf result = whatIf(evidence, {}).value();
  EXPECT_FALSE(result.on_time.before.has_value());
  EXPECT_NEAR(result.on_time.earlier.value, kLate, 1e-12);
}

TEST(WhatIf, oneRankWaitsForNobody) {
  const Result<WhatIf> result = whatIf(evidenceOf(1), {});
  ASSERT_TRUE(result.isOk()) << result.status().message();
  EXPECT_NEAR(result.value().on_time.earlier.value, 0.0, 1e-12);
  EXPECT_NEAR(rowsOf(result.value()).at("ring").predicted->value, 0.0, 1e-12);
}

TEST(WhatIf, latenessesThatAreNotKnownAreLeftOut) {
  Evidence evidence = evidenceOf(4);
  for (ArrivalRecord& record : evidence.arrivals) {
    if (record.epoch == 0) record.mean = std::nan("");
  }
  const WhatIf result = whatIf(evidence, {.choices = {"ring"}}).value();
  EXPECT_EQ(result.samples, 4) << "of the second epoch alone";
  EXPECT_NEAR(result.rows.front().predicted->value, simulated(4, kLate, "ring").value, 1e-12);
}

TEST(WhatIf, manyEpochsAreJoined) {
  Evidence evidence = evidenceOf(3);
  const std::vector<ArrivalRecord> once = evidence.arrivals;
  for (std::int64_t more = 1; more < 20; ++more) {
    for (ArrivalRecord record : once) {
      record.epoch += 2 * more;
      evidence.arrivals.push_back(record);
    }
  }
  const WhatIf result = whatIf(evidence, {.choices = {"ring"}}).value();
  EXPECT_EQ(result.epochs, 40);
  EXPECT_EQ(result.samples, 160);
  EXPECT_LE(result.played.size(), 12U);
  EXPECT_NEAR(result.rows.front().predicted->value, simulated(3, kLate, "ring").value, 1e-12);
}

TEST(WhatIf, moreRanksComeWhenHalfOfThoseRecordedHave) {
  const RecordedPattern pattern{4, {Seconds{0.0}, Seconds{0.03}, Seconds{0.01}, Seconds{0.02}}};
  EXPECT_THAT(extendedPattern(pattern, 6).lateness,
              ElementsAre(Seconds{0.0}, Seconds{0.03}, Seconds{0.01}, Seconds{0.02}, Seconds{0.01}, Seconds{0.01}));
  const WhatIf result = whatIf(evidenceOf(4), {.choices = {"ring"}, .more_ranks = 8}).value();
  Scenario scenario;
  scenario.ranks = 8;
  scenario.count = 1'000'000;
  scenario.model = someModel();
  scenario.late = {{3, Seconds{kLate}}};
  EXPECT_NEAR(result.rows.front().on_more_ranks->value,
              compare(scenario, {"ring"}).value().predictions.front().post_arrival.value, 1e-12);
}

TEST(WhatIf, moreRanksFillNodesAsThoseRecordedDo) {
  EXPECT_THAT(extendedTopology({.nodes = {0, 0, 2}}, 3, 7).nodes, ElementsAre(0, 0, 2, 3, 3, 5, 5));
  EXPECT_THAT(extendedTopology({.nodes = {0, 0}}, 2, 4).nodes, ElementsAre(0, 0, 0, 0)) << "no network is known";
  EXPECT_TRUE(extendedTopology({}, 2, 4).nodes.empty());
}

TEST(WhatIf, operationsThatDoNotCommuteKeepTheRanksInOrder) {
  Evidence evidence = evidenceOf(4);
  evidence.key.row.key.id.operation = "user_noncommutative";
  const WhatIf result = whatIf(evidence, {}).value();
  EXPECT_FALSE(rowsOf(result).at("ring").predicted.has_value());
  EXPECT_TRUE(rowsOf(result).at("recursive_doubling").predicted.has_value());
}

TEST(WhatIf, tellsHowFarMeasuredCallsAreFromPredictions) {
  WhatIf result;
  EXPECT_FALSE(measuredOverPredicted(result).has_value());
  const auto add = [&result](std::optional<Seconds> predicted, std::optional<double> measured, std::int64_t calls = 2) {
    WhatIfRow& row = result.rows.emplace_back();
    row.predicted = predicted;
    row.measured.emplace().post_arrival.mean = measured;
    row.measured->samples = calls;
  };
  add(std::nullopt, 0.5);
  add(Seconds{0.5}, std::nullopt);
  EXPECT_FALSE(measuredOverPredicted(result).has_value());
  add(Seconds{0.010}, 0.020);
  EXPECT_DOUBLE_EQ(measuredOverPredicted(result)->median, 2.0);
  add(Seconds{0.010}, 0.100);
  add(Seconds{0.010}, 0.040);
  EXPECT_DOUBLE_EQ(measuredOverPredicted(result)->median, 4.0);
  add(Seconds{0.010}, 0.011, 50);
  EXPECT_DOUBLE_EQ(measuredOverPredicted(result)->median, 1.1) << "single calls of others say little beside these";
  EXPECT_DOUBLE_EQ(measuredOverPredicted(result)->least, 1.1);
  EXPECT_DOUBLE_EQ(measuredOverPredicted(result)->most, 10.0);
}

TEST(WhatIf, saysWhyItCannotBeAnswered) {
  const auto fault = [](const Evidence& evidence, const WhatIfQuery& query) {
    return whatIf(evidence, query).status().message();
  };
  EXPECT_THAT(fault(evidenceOf(4), {.on_time = 4}), AllOf(HasSubstr("--on-time 4"), HasSubstr("0 to 3")));
  EXPECT_THAT(fault(evidenceOf(4), {.more_ranks = 4}), AllOf(HasSubstr("--ranks 4"), HasSubstr("give more")));
  EXPECT_THAT(fault(evidenceOf(4), {.choices = {"wombat"}}), HasSubstr("wombat"));
  Evidence unknown = evidenceOf(4);
  unknown.key.row.communicator.alpha.reset();
  EXPECT_THAT(fault(unknown, {}), HasSubstr("What messages cost in this run was not recorded"));
  unknown = evidenceOf(4);
  unknown.key.row.communicator.nodes.reset();
  EXPECT_THAT(fault(unknown, {}), HasSubstr("On which nodes the ranks ran was not recorded"));
  unknown = evidenceOf(4);
  unknown.arrivals.clear();
  EXPECT_THAT(fault(unknown, {}), HasSubstr("No arrivals were recorded"));
  unknown.key.row.communicator.compared_by = kByElapsed;
  EXPECT_THAT(fault(unknown, {}), HasSubstr("clocks of these ranks cannot be compared"));
  unknown = evidenceOf(4);
  unknown.key.row.key.bytes = 0;
  EXPECT_THAT(fault(unknown, {}), HasSubstr("vectors of 0 B"));
  Evidence ordered = evidenceOf(4);
  ordered.key.row.key.id.operation = "user_noncommutative";
  EXPECT_THAT(fault(ordered, {.choices = {"ring"}}), HasSubstr("ring changes the order of ranks"));
}

}  // namespace
}  // namespace starling::cli
