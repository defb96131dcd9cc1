// What a communicator's tuner leaves for the database, and takes from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hand_fed_tuner.h"
#include "simulated_communicator.h"
#include "tuner/communicator_tuner.h"

namespace starling {
namespace {

constexpr LocalSite kLineA = 41;

TEST(CommunicatorRecords, recordsWhatItSaw) {
  HandFed fed(1);
  fed.add(0, {}, -1);
  fed.add(0, {}, -1);
  fed.add(0, {}, -1, false);
  fed.digest();
  const Batch batch = fed.tuner().drain();
  ASSERT_EQ(batch.observations.size(), 1U);
  const ObservationRecord& seen = batch.observations[0];
  EXPECT_EQ(seen.calls, 3);
  EXPECT_EQ(seen.samples, 2);
  EXPECT_EQ(seen.choice, "native");
  EXPECT_NEAR(seen.elapsed_mean.value(), 1e-3 - 1.5e-6, 1e-12);
  EXPECT_NEAR(seen.elapsed_minimum.value(), 1e-3 - 1.5e-6, 1e-12);
  EXPECT_NEAR(seen.elapsed_deviation.value(), 0.0, 1e-12);
  EXPECT_NEAR(seen.post_arrival_mean.value(), 1e-3 - 3e-6, 1e-12);
  EXPECT_NEAR(seen.post_arrival_minimum.value(), 1e-3 - 3e-6, 1e-12);
  ASSERT_EQ(batch.arrivals.size(), static_cast<std::size_t>(kRanks));
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(batch.arrivals[static_cast<std::size_t>(rank)].rank, rank);
    EXPECT_EQ(batch.arrivals[static_cast<std::size_t>(rank)].samples, 2);
    EXPECT_NEAR(batch.arrivals[static_cast<std::size_t>(rank)].mean, rank * 1e-6, 64e-9);
  }
  ASSERT_EQ(batch.histograms.size(), 1U);
  EXPECT_EQ(batch.histograms[0].samples, 2);
  EXPECT_EQ(std::accumulate(batch.histograms[0].counts.begin(), batch.histograms[0].counts.end(), std::int64_t{0}),
            kRanks);
  ASSERT_EQ(batch.keys.size(), 1U);
  EXPECT_EQ(batch.keys[0].calls, 3);
  EXPECT_EQ(batch.keys[0].bytes, kVector.bytes());
  EXPECT_NEAR(batch.keys[0].seconds.value(), 3 * (1e-3 - 1.5e-6), 1e-12) << "samples stand for all calls";
  EXPECT_NEAR(batch.keys[0].waiting.value(), 3 * 1.5e-6, 1e-12);
  EXPECT_NEAR(batch.keys[0].imbalance.value(), 3e-6, 1e-12);
  EXPECT_NEAR(batch.arrivals[3].waited.value(), 3 * 1.5e-6, 1e-12) << "the last one";
  EXPECT_EQ(batch.arrivals[2].waited, 0.0);
}

TEST(CommunicatorRecords, recordsNothingThatClocksWhichDifferCannotTell) {
  TunerSettings settings = settingsOf();
  settings.stamps_compare = false;
  SimulatedCommunicator communicator(kRanks, settings, {});
  communicator.calls(60, kLineA, kVector);
  const Batch batch = communicator.tuner().drain();
  for (const ArrivalRecord& arrival : batch.arrivals) {
    EXPECT_EQ(arrival.mean, 0.0) << "by more than calls take";
    EXPECT_EQ(arrival.waited, std::nullopt);
  }
  EXPECT_EQ(batch.keys.front().waiting, std::nullopt);
  ASSERT_FALSE(batch.observations.empty());
  for (const ObservationRecord& seen : batch.observations) {
    EXPECT_EQ(seen.elapsed_mean.has_value(), seen.samples > 0);
    EXPECT_FALSE(seen.post_arrival_mean || seen.post_arrival_minimum || seen.post_arrival_deviation);
  }
  EXPECT_EQ(batch.keys.front().imbalance, 0.0);
  EXPECT_TRUE(batch.keys.front().seconds.has_value());
  ASSERT_FALSE(batch.policies.empty());
  EXPECT_EQ(batch.policies.front().compared_by, kByElapsed);
}

TEST(CommunicatorRecords, takesOverOnlyAGainInTheTimeThatIsComparedHere) {
  SimulatedCommunicator first(kRanks, settingsOf(), {});
  first.setPattern(lastRankLate);
  first.calls(60, kLineA, doubles(1 << 16));
  std::vector<PolicyRecord> policies = first.tuner().drain().policies;
  ASSERT_TRUE(policies.front().gain.has_value());
  EXPECT_EQ(policies.front().compared_by, kByPostArrival);
  for (const bool is_same_time : {true, false}) {
    if (!is_same_time) policies.front().compared_by = kByElapsed;
    SimulatedCommunicator second(kRanks, settingsOf(), {}, policies);
    KeyRecord taken_over;  // before calls of the choice are timed
    for (int call = 0; call < 12 && (taken_over.choice.empty() || taken_over.choice == "native"); ++call) {
      second.calls(1, kLineA, doubles(1 << 16));
      const Batch batch = second.tuner().drain();
      if (!batch.keys.empty()) taken_over = batch.keys.front();
    }
    EXPECT_EQ(taken_over.choice, policies.front().choice);
    EXPECT_EQ(taken_over.gain.has_value(), is_same_time);
  }
}

TEST(CommunicatorRecords, recordsNoTimeOfCallsThatWereNotStamped) {
  HandFed fed(1);
  fed.add(0, {}, -1, false);
  fed.digest();
  const Batch batch = fed.tuner().drain();
  EXPECT_FALSE(batch.observations.front().elapsed_mean.has_value());
  EXPECT_FALSE(batch.keys.front().seconds.has_value());
  EXPECT_FALSE(batch.keys.front().imbalance.has_value());
}

TEST(CommunicatorRecords, countsCallsThatNobodyLookedAtInKeysAndObservations) {
  HandFed fed(1);
  fed.add(0, {}, 0);
  fed.digest();
  fed.tuner().countUnseen(0, kNativeChoice, 50, 1.0);
  const Batch batch = fed.tuner().drain();
  EXPECT_EQ(batch.keys.front().calls, 51);
  std::int64_t observed = 0;
  for (const ObservationRecord& seen : batch.observations) observed += seen.calls;
  EXPECT_EQ(observed, 51);
}

TEST(CommunicatorRecords, dividesAmongRanksWhatWasWaitedInCallsThatNobodyLookedAt) {
  HandFed fed(1);
  for (int call = 0; call < 4; ++call) fed.addTimed({}, 5e-3, 1e-3);
  fed.digest();
  fed.tuner().countUnseen(0, kNativeChoice, 96, 1.0);
  const Batch batch = fed.tuner().drain();
  double waited = 0.0;
  for (const ArrivalRecord& arrival : batch.arrivals) waited += arrival.waited.value();
  EXPECT_NEAR(waited, batch.keys.front().waiting.value(), 1e-9);
  EXPECT_NEAR(waited, 100 * 0.75 * 5e-3, 1e-9) << "three of four ranks wait";
}

TEST(CommunicatorRecords, drainsNothingTwice) {
  SimulatedCommunicator communicator(kRanks, settingsOf(), {});
  communicator.setPattern(lastRankLate);
  std::map<std::string, std::int64_t> calls;
  std::int64_t trials = 0;
  std::int64_t samples = 0;
  std::int64_t arrivals_of_rank_0 = 0;
  std::size_t decisions = 0;
  std::size_t policies = 0;
  Batch last;
  for (int epoch = 0; epoch < 60; ++epoch) {
    communicator.calls(5, kLineA, kVector);
    Batch batch = communicator.tuner().drain();
    for (const ObservationRecord& seen : batch.observations) {
      calls[seen.choice] += seen.calls;
      trials += seen.exploration ? seen.calls : 0;
      samples += seen.samples;
    }
    for (const ArrivalRecord& arrival : batch.arrivals) arrivals_of_rank_0 += arrival.rank == 0 ? arrival.samples : 0;
    decisions += batch.decisions.size();
    policies += batch.policies.size();
    if (!batch.keys.empty()) last = std::move(batch);
    EXPECT_TRUE(communicator.tuner().drain().isEmpty());
  }
  std::int64_t all = 0;
  for (const auto& [choice, count] : calls) all += count;
  EXPECT_EQ(all, last.keys.front().calls);
  const auto digested = std::span(communicator.choices()).first(static_cast<std::size_t>(all));
  EXPECT_EQ(trials, std::ranges::count_if(digested, &PlannedChoice::exploration));
  EXPECT_GT(trials, 0);
  EXPECT_EQ(arrivals_of_rank_0, samples);
  EXPECT_EQ(last.keys.front().exploration_calls, trials);
  EXPECT_GE(decisions, 2U) << "what to try, and what was chosen";
  EXPECT_LT(decisions, 12U);
  EXPECT_GE(policies, 1U);
  EXPECT_EQ(last.keys.front().state, "settled");
  EXPECT_EQ(last.keys.front().choice, formatChoice(communicator.keys().entry(0).plan.incumbent));
  EXPECT_EQ(last.keys.front().table, placementIn(communicator).table);
  EXPECT_TRUE(last.keys.front().gain.has_value());
}

// What the moments are to equal: sums over values that are all kept, in two passes.
double meanOf(const std::vector<double>& values) {
  long double sum = 0.0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum / static_cast<long double>(values.size()));
}

double deviationOf(const std::vector<double>& values) {
  const long double mean = meanOf(values);
  long double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size() - 1)));
}

TEST(CommunicatorRecords, keepsWhatNobodyDrainsBoundedAndItsMeansRight) {
  constexpr int kEpochs = 25'000;
  HandFed fed(1);
  std::mt19937 random(11);
  std::lognormal_distribution<double> scatter(0.0, 0.3);
  std::vector<double> native_times;
  std::vector<double> lateness_of_last;
  std::int64_t updates = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    // Arrivals that change for good now and then, so that there is something to decide.
    const double late = (epoch / 500 % 2 == 0 ? 1e-3 : 3e-3) * (1.0 + 0.01 * scatter(random));
    native_times.push_back(1e-3 * scatter(random));
    fed.addTimed({}, late, native_times.back());
    // Choices that differ in every epoch: of other keys, whose plan a mispredicted call may run.
    fed.addTimed({choiceOf("slt:segments=" + std::to_string(1 + epoch % 1000)), epoch % 2 == 0}, late, 1e-3);
    lateness_of_last.insert(lateness_of_last.end(), {late, late});
    fed.digest();
    updates += static_cast<std::int64_t>(fed.tuner().decide(8).updates.size());
    fed.tuner().tookForce();
    ASSERT_LE(fed.tuner().waitingRecords(),
              PendingObservations::kMaxEntries + PendingDecisions::kMaxDecisions + 1 /* policy */);
  }
  EXPECT_GT(updates, 5 * static_cast<std::int64_t>(PendingDecisions::kMaxDecisions)) << "there was much to drop";

  const Batch batch = fed.tuner().drain();
  EXPECT_EQ(batch.decisions.size(), PendingDecisions::kMaxDecisions);
  EXPECT_THAT(batch.decisions.front().reason, testing::HasSubstr("older decisions were not stored"));
  EXPECT_EQ(batch.policies.size(), 1U);
  EXPECT_EQ(batch.keys.front().calls, 2 * kEpochs);
  const auto native = std::find_if(batch.observations.begin(), batch.observations.end(),
                                   [](const ObservationRecord& one) { return one.choice == "native"; });
  ASSERT_NE(native, batch.observations.end());
  EXPECT_EQ(native->epoch, kEpochs - 1) << "the newest";
  EXPECT_EQ(native->samples, kEpochs);
  ASSERT_TRUE(native->post_arrival_mean && native->post_arrival_deviation && native->post_arrival_minimum);
  EXPECT_NEAR(*native->post_arrival_mean, meanOf(native_times), 1e-8 * *native->post_arrival_mean);
  EXPECT_NEAR(*native->post_arrival_deviation, deviationOf(native_times), 1e-8 * *native->post_arrival_deviation);
  EXPECT_NEAR(*native->post_arrival_minimum, *std::min_element(native_times.begin(), native_times.end()), 1e-9);
  const ArrivalRecord& last = batch.arrivals.back();
  EXPECT_EQ(last.samples, 2 * kEpochs);
  EXPECT_NEAR(last.mean, meanOf(lateness_of_last), 1e-8 * last.mean);
  EXPECT_NEAR(last.deviation, deviationOf(lateness_of_last), 1e-8 * last.deviation);
  EXPECT_EQ(fed.tuner().waitingRecords(), 0U);
}

// Later calls know it better than the decision did.
TEST(CommunicatorRecords, policiesHaveTheGainOfTheirKeysWheneverTheyAreDrained) {
  SimulatedMachine machine;
  machine.scatter = 0.2;
  SimulatedCommunicator communicator(kRanks, settingsOf(), machine);
  communicator.setPattern(lastRankLate);
  std::optional<PolicyRecord> policy;
  int told_again = 0;
  for (int round = 0; round < 50; ++round) {
    communicator.calls(8, kLineA, doubles(1 << 16));
    const Batch batch = communicator.tuner().drain();
    if (!batch.policies.empty()) {
      policy = batch.policies.back();
      told_again += batch.decisions.empty() ? 1 : 0;
    }
    if (policy && !batch.keys.empty() && policy->choice == batch.keys.back().choice) {
      EXPECT_EQ(policy->gain, batch.keys.back().gain) << round;
    }
  }
  EXPECT_GT(told_again, 0) << "without a decision";
}

TEST(CommunicatorRecords, drainsDecisionsAndPoliciesThatALaterRunCanTakeOver) {
  SimulatedCommunicator first(kRanks, settingsOf(), {});
  first.setPattern(lastRankLate);
  first.calls(60, kLineA, doubles(1 << 16));
  const Batch batch = first.tuner().drain();
  ASSERT_GE(batch.decisions.size(), 2U);
  EXPECT_EQ(batch.decisions.front().choice, "native");
  const DecisionRecord& choice = batch.decisions.back();
  EXPECT_EQ(choice.choice, formatChoice(first.keys().entry(0).plan.incumbent));
  EXPECT_EQ(choice.table, placementIn(first).table);
  ASSERT_TRUE(choice.expected && choice.measured && choice.native);
  EXPECT_LT(*choice.measured, *choice.native);
  EXPECT_NEAR(*choice.expected, *choice.measured, 0.05 * *choice.measured) << "the model is the truth here";

  ASSERT_EQ(batch.policies.size(), 1U);
  SimulatedCommunicator second(kRanks, settingsOf(), {}, batch.policies);
  second.setPattern(lastRankLate);
  second.calls(6, kLineA, doubles(1 << 16));
  EXPECT_EQ(second.keys().entry(0).plan.incumbent, first.keys().entry(0).plan.incumbent);
  EXPECT_EQ(placementIn(second).table, placementIn(first).table);
  EXPECT_EQ(second.explorationCalls(), 1) << "one of native, to see whether that holds";
}

}  // namespace
}  // namespace starling
