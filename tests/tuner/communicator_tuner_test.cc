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

#include "simulated_communicator.h"

namespace starling {
namespace {

using testing::Each;
using testing::Le;

constexpr LocalSite kLineA = 41;
constexpr LocalSite kLineB = 42;
constexpr std::int32_t kRanks = 4;
const Signature kSmall = doubles(8);
const Signature kVector = doubles(4096);

// The last rank comes 5 ms late.
std::vector<Seconds> lastRankLate(std::mt19937&) {
  std::vector<Seconds> lateness(kRanks);
  lateness.back() = {5e-3};
  return lateness;
}

// A tuner with `keys` keys, fed by hand.
class HandFed {
 public:
  explicit HandFed(int keys, const Options& options = {}) : tuner_(settingsOf(options), kRanks) {
    for (int key = 0; key < keys; ++key) {
      tuner_.addKey({"world", "line" + std::to_string(key), 15, "double", "sum"}, {kRanks, 4096, true}, Bytes{8}, true,
                    {});
    }
  }

  void add(std::int32_t key, const PlannedChoice& planned, std::int32_t planned_key, bool stamped = true) {
    EpochCall& call = calls_.emplace_back();
    call.key = key;
    call.planned_key = planned_key;
    call.planned = planned;
    call.bytes = kVector.bytes();
    if (!stamped) return;
    call.sample = static_cast<std::int32_t>(samples_.size());
    samples_.push_back(
        gym::summaryOf(std::vector<Seconds>{{0.0}, {1e-6}, {2e-6}, {3e-6}}, std::vector(kRanks, Seconds{1e-3})));
  }

  // A stamped call, of whose ranks the last comes `late` after the others and all leave `time` later.
  void addTimed(const PlannedChoice& planned, double late, double time) {
    add(0, planned, 0);
    std::vector<Seconds> arrivals(kRanks);
    arrivals.back() = {late};
    samples_.back() = gym::summaryOf(arrivals, std::vector(kRanks, Seconds{late + time}));
  }

  void digest() {
    tuner_.digest({epoch_++, calls_, samples_});
    calls_.clear();
    samples_.clear();
  }

  CommunicatorTuner& tuner() { return tuner_; }

 private:
  CommunicatorTuner tuner_;
  std::int64_t epoch_ = 0;
  std::vector<EpochCall> calls_;
  std::vector<CallSummary> samples_;
};

TEST(CommunicatorTuner, keepsEpochsShortWhileExploringAndDoublesThemThenToTheLongest) {
  Options options;
  options.longest_epoch = 64;
  SimulatedCommunicator communicator(kRanks, settingsOf(options), {});
  communicator.calls(400, kLineA, kVector);
  const std::vector<std::int32_t>& lengths = communicator.epochLengths();
  const std::vector<std::int32_t> first(lengths.begin(), lengths.begin() + 8);
  EXPECT_EQ(first, (std::vector<std::int32_t>{4, 2, 2, 2, 2, 2, 2, 2})) << "until the key is settled";
  EXPECT_EQ(lengths.back(), 20) << "an agreement takes 2% of the time of so many calls";
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
  ASSERT_EQ(communicator.epochLengths().back(), 20);
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
}

TEST(CommunicatorTuner, recordsWhatItSaw) {
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
  EXPECT_NEAR(batch.keys[0].imbalance.value(), 3e-6, 1e-12);
}

TEST(CommunicatorTuner, recordsNothingThatClocksWhichDifferCannotTell) {
  TunerSettings settings = settingsOf();
  settings.stamps_compare = false;
  SimulatedCommunicator communicator(kRanks, settings, {});
  communicator.calls(60, kLineA, kVector);
  const Batch batch = communicator.tuner().drain();
  EXPECT_TRUE(batch.arrivals.empty());
  ASSERT_FALSE(batch.observations.empty());
  for (const ObservationRecord& seen : batch.observations) {
    EXPECT_EQ(seen.elapsed_mean.has_value(), seen.samples > 0);
    EXPECT_FALSE(seen.post_arrival_mean || seen.post_arrival_minimum || seen.post_arrival_deviation);
  }
  EXPECT_FALSE(batch.keys.front().imbalance.has_value());
  EXPECT_TRUE(batch.keys.front().seconds.has_value());
  ASSERT_FALSE(batch.policies.empty());
  EXPECT_EQ(batch.policies.front().compared_by, kByElapsed);
}

TEST(CommunicatorTuner, takesOverOnlyAGainInTheTimeThatIsComparedHere) {
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

TEST(CommunicatorTuner, recordsNoTimeOfCallsThatWereNotStamped) {
  HandFed fed(1);
  fed.add(0, {}, -1, false);
  fed.digest();
  const Batch batch = fed.tuner().drain();
  EXPECT_FALSE(batch.observations.front().elapsed_mean.has_value());
  EXPECT_FALSE(batch.keys.front().seconds.has_value());
  EXPECT_FALSE(batch.keys.front().imbalance.has_value());
}

TEST(CommunicatorTuner, drainsNothingTwice) {
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
  EXPECT_EQ(trials, communicator.explorationCalls());
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

TEST(CommunicatorTuner, keepsWhatNobodyDrainsBoundedAndItsMeansRight) {
  constexpr int kEpochs = 100'000;
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

TEST(CommunicatorTuner, drainsDecisionsAndPoliciesThatALaterRunCanTakeOver) {
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
  second.calls(12, kLineA, doubles(1 << 16));
  EXPECT_EQ(second.keys().entry(0).plan.incumbent, first.keys().entry(0).plan.incumbent);
  EXPECT_EQ(placementIn(second).table, placementIn(first).table);
  EXPECT_EQ(second.explorationCalls(), 0);
}

}  // namespace
}  // namespace starling
