#include "tuner/earlier_runs.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

constexpr std::int32_t kRanks = 4;
constexpr LocalSite kLine = 40;
const Signature kVector = doubles(4096);

PolicyRecord policyOf(const std::string& site, const std::string& choice, double gain = 1.5) {
  PolicyRecord policy;
  policy.site = site;
  policy.communicator_size = kRanks;
  policy.size_class = sizeClass(kVector.bytes());
  policy.type = "double";
  policy.operation = "sum";
  policy.choice = choice;
  policy.gain = gain;
  policy.compared_by = kByPostArrival;
  policy.reason = "It was best before.";
  return policy;
}

class EarlierRuns : public testing::Test {
 protected:
  std::vector<EarlierPolicy> foretelling() const {
    std::vector<EarlierPolicy> policies;
    for (const PolicyRecord& record : records_) {
      const auto operation = static_cast<std::int16_t>(record.operation == "max" ? 2 : 1);
      policies.push_back({&record, {1, operation, record.site}, kVector});
    }
    return foretellingPolicies(policies, settings_, kRanks);
  }
  std::optional<LatestKeys::Arranged> runs() const {
    return choiceOfEarlierRun({&records_[0], {1, 1, records_[0].site}, kVector}, settings_, kRanks);
  }

  std::vector<PolicyRecord> records_{policyOf("line40", "ring_segmented")};
  TunerSettings settings_ = settingsOf();
};

TEST_F(EarlierRuns, tellWhatTheyChoseAndHowRanksWereArranged) {
  records_[0].table = {0, 3, 2, 1};
  records_[0].lateness_ns = {0, 0, 0, 5'000'000};
  ASSERT_EQ(foretelling().size(), 1U);
  ASSERT_TRUE(runs());
  EXPECT_EQ(runs()->choice, choiceOf("ring_segmented"));
  EXPECT_EQ(expanded(runs()->placed, kRanks).table, records_[0].table);
  EXPECT_EQ(expanded(runs()->placed, kRanks).lateness_ns, records_[0].lateness_ns);
}

TEST_F(EarlierRuns, boundWhatACallMayTakeByTheModelAndTheGain) {
  CandidateQuery query;
  query.shape = {.ranks = kRanks, .count = kVector.count};
  query.element_size = Bytes{8};
  query.model = settings_.model;
  const double predicted = predictPostArrival(query, choiceOf("ring_segmented")).value;
  for (const auto& [gain, counted] : {std::pair(1.5, 1.5), std::pair(1e300, kMostLearnedGain)}) {
    records_[0].gain = gain;
    EXPECT_NEAR(static_cast<double>(runs()->limit.slow_ns), 1e9 * 4.0 * counted * predicted, 2.0);
  }
  EXPECT_EQ(runs()->limit.cold, 0);
}

TEST_F(EarlierRuns, tellNothingWhereItIsNotSure) {
  const PolicyRecord sure = records_[0];
  const auto without = [&](auto&& change) {
    records_[0] = sure;
    change(records_[0]);
    return foretelling().empty();
  };
  EXPECT_FALSE(without([](PolicyRecord&) {}));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.gain.reset(); }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.gain = 1.05; }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.compared_by = kByElapsed; }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.compared_by.reset(); }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.communicator_size = kRanks + 1; }));
}

TEST_F(EarlierRuns, runNothingThatIsNotForTheseRanks) {
  const PolicyRecord sound = records_[0];
  const auto without = [&](auto&& change) {
    records_[0] = sound;
    change(records_[0]);
    return !runs();
  };
  EXPECT_FALSE(without([](PolicyRecord&) {}));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.choice = "native"; }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.choice = "rign"; }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.table = {0, 1, 1, 2}; }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.lateness_ns = {1, 2}; }));
  EXPECT_TRUE(without([](PolicyRecord& one) { one.lateness_ns = {0, 0, 0, -1}; }));
}

TEST_F(EarlierRuns, runInMemoryWhereThereIsSomeAndItsFirstCallsAreCold) {
  records_[0].choice = "node";
  settings_.topology = {.nodes = {0, 0, 0, 0}, .shares_memory = true};
  settings_.model.node_alpha = {2e-7};
  settings_.model.node_beta = 1e-11;
  ASSERT_TRUE(runs());
  EXPECT_EQ(runs()->limit.cold, 3);
  settings_.topology.nodes = {0, 0, 2, 2};
  EXPECT_FALSE(runs());
}

TEST_F(EarlierRuns, tellNothingWhereSitesChoseOtherwise) {
  records_.push_back(policyOf("line50", "ring_segmented"));
  EXPECT_EQ(foretelling().size(), 1U) << "one for both, which are alike";
  records_[1].table = {3, 1, 2, 0};
  EXPECT_TRUE(foretelling().empty()) << "in another order";
  records_[1].table.clear();
  for (const char* other : {"native", "rabenseifner"}) {
    records_[1].choice = other;
    EXPECT_TRUE(foretelling().empty()) << other;
  }
  records_[1].operation = "max";
  records_[1].gain = 1.2;
  ASSERT_EQ(foretelling().size(), 2U) << "these are other calls";
  EXPECT_EQ(foretelling().back().record->gain, 1.5) << "the greatest gain comes last";
}

TEST_F(EarlierRuns, areThoseOfTheGreatestGains) {
  for (std::int32_t size_class = 10; size_class < 30; ++size_class) {
    records_.push_back(policyOf("line40", "ring_segmented", 1.2 + 0.01 * size_class));
    records_.back().size_class = size_class;
  }
  records_.erase(records_.begin());
  std::vector<EarlierPolicy> policies;
  for (const PolicyRecord& record : records_) {
    Signature longest = doubles(std::int64_t{1} << (record.size_class - 3));
    policies.push_back({&record, {1, 1, record.site}, longest});
  }
  CommunicatorTuner tuner(settings_, kRanks);
  tuner.noteEarlierRuns(policies);
  tuner.noteEarlierRuns(policies);
  std::vector<std::int32_t> classes;
  for (const PlanUpdate& update : tuner.foretell().updates) classes.push_back(keyOfKind(update.key)->size_class);
  EXPECT_EQ(classes, (std::vector<std::int32_t>{29, 28, 27, 26, 25, 24, 23, 22}));
}

TEST_F(EarlierRuns, areRunFromTheFirstCallOnAndNativeIsLookedAtOnce) {
  SimulatedMachine machine;
  machine.native_factor = 3.0;
  SimulatedCommunicator first(kRanks, settings_, machine);
  first.calls(100, kLine, kVector);
  const std::vector<PolicyRecord> policies = first.tuner().drain().policies;
  ASSERT_EQ(policies.size(), 1U);
  const Choice learned = parseChoice(policies.front().choice).value();
  ASSERT_NE(learned, kNativeChoice);
  SimulatedCommunicator second(kRanks, settingsOf(), machine, policies);
  second.calls(40, kLine, kVector);
  int native = 0;
  for (const PlannedChoice& call : second.choices()) {
    native += call.choice == kNativeChoice ? 1 : 0;
    EXPECT_TRUE(call.choice == learned || (call.choice == kNativeChoice && call.exploration));
  }
  EXPECT_EQ(native, 1);
  EXPECT_EQ(second.keys().entry(0).plan.state, KeyState::kSettled);
}

TEST_F(EarlierRuns, areStoppedWhereTheyAreSlowNowAndNativeIsMeasuredFirst) {
  SimulatedMachine machine;
  machine.others_factor = 20.0;
  SimulatedCommunicator communicator(kRanks, settings_, machine, records_);
  communicator.calls(40, kLine, kVector);
  EXPECT_EQ(communicator.choices().front().choice, choiceOf("ring_segmented"));
  const auto runs_it = [](const PlannedChoice& call) { return call.choice == choiceOf("ring_segmented"); };
  EXPECT_EQ(std::ranges::count_if(communicator.choices(), runs_it), 3) << "two, and one that was under way";
  EXPECT_EQ(communicator.choices().back().choice, kNativeChoice);
}

TEST_F(EarlierRuns, giveWayToWhatThisRunHasFoundAtTheSite) {
  SimulatedMachine machine;
  machine.others_factor = 3.0;
  SimulatedCommunicator first(kRanks, settings_, machine);
  first.calls(100, kLine, kVector);
  ASSERT_EQ(first.choices().back().choice, kNativeChoice);
  SimulatedCommunicator second(kRanks, settings_, machine, records_);
  second.calls(20, kLine, kVector);
  for (const PlannedChoice& call : second.choices()) EXPECT_EQ(call.choice, kNativeChoice);
}

}  // namespace
}  // namespace starling
