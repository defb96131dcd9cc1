// How calls that repeat get plans of their own, in a communicator of which there is nothing but its calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

constexpr LocalSite kLine = 40;
constexpr std::int32_t kRanks = 8;
const Signature kVector = doubles(8192);

// The patterns of stamped calls are asked for alone, so the test counts the calls.
struct Program {
  explicit Program(std::int32_t ranks = kRanks, const TunerSettings& settings = settingsOf())
      : communicator(ranks, settings, {}) {}

  // Makes calls in each of which `lateRank(call)` is late, nobody if that is negative.
  template <typename LateRank>
  void calls(int count, LateRank late_rank, double late = 10e-3) {
    for (int i = 0; i < count; ++i, ++made) {
      const std::int32_t rank = late_rank(made);
      communicator.setPattern([this, rank, late](std::mt19937&) {
        std::vector<Seconds> lateness(static_cast<std::size_t>(communicator.ranks()));
        if (rank >= 0) lateness[static_cast<std::size_t>(rank)] = {late};
        return lateness;
      });
      communicator.call(kLine, kVector);
    }
  }

  const KeyTable::Entry& usual() const { return communicator.keys().entry(0); }
  const KeyTable::Entry* special() const {
    const std::optional<std::int32_t> index = communicator.keys().find(specialOf(usual().key));
    return index ? &communicator.keys().entry(*index) : nullptr;
  }
  std::int32_t lastIn(const KeyTable::Entry& entry) const {
    const ExpandedPlacement placement = expanded(entry.plan.placed, communicator.ranks());
    return placement.table.empty() ? communicator.ranks() - 1 : placement.table.back();
  }

  SimulatedCommunicator communicator;
  int made = 0;
};

std::int32_t inTurn(int call) { return call % 2 == 0 ? 2 : 5; }
std::int32_t everyTenth(int call) { return call % 10 == 9 ? 0 : -1; }
std::int32_t nobody(int) { return -1; }

TEST(KeyTunerCycle, givesTwoRanksThatTakeTurnsATableEach) {
  Program program;
  program.calls(150, inTurn);
  EXPECT_EQ(program.usual().plan.cycle.period, 2);
  ASSERT_NE(program.special(), nullptr);
  EXPECT_EQ(program.lastIn(program.usual()) + program.lastIn(*program.special()), 2 + 5);
  EXPECT_NE(program.lastIn(program.usual()), program.lastIn(*program.special()));
  // Each call is now made by the plan that has its late rank last.
  for (int call = 0; call < 20; ++call) {
    const KeyTable::Next next = program.communicator.keys().next(program.usual().key);
    const KeyTable::Entry& entry = program.communicator.keys().entry(next.entry);
    EXPECT_EQ(program.lastIn(entry), inTurn(program.made)) << "call " << program.made;
    program.calls(1, inTurn);
  }
}

TEST(KeyTunerCycle, learnsSpecialCallsByThemselves) {
  Program program;
  program.calls(400, everyTenth);
  EXPECT_EQ(program.usual().plan.cycle, (Cycle{.period = 10, .special = std::uint64_t{1} << 9}));
  EXPECT_TRUE(program.usual().plan.placed.empty());
  ASSERT_NE(program.special(), nullptr);
  EXPECT_EQ(program.lastIn(*program.special()), 0);
  const Batch batch = program.communicator.tuner().drain();
  ASSERT_EQ(batch.keys.size(), 2U);
  EXPECT_EQ(batch.keys[0].id.part, 0);
  EXPECT_EQ(batch.keys[0].cycle, "all but every 10th call");
  EXPECT_EQ(batch.keys[0].outlook, "on_time");
  EXPECT_EQ(batch.keys[1].id.part, kSpecialPart);
  EXPECT_EQ(batch.keys[1].cycle, "every 10th call");
  EXPECT_EQ(batch.keys[1].outlook, "predicted");
  EXPECT_NEAR(static_cast<double>(batch.keys[0].calls), 9.0 * static_cast<double>(batch.keys[1].calls), 160.0)
      << "but for calls before the cycle was found";
  EXPECT_TRUE(std::ranges::any_of(batch.decisions, [](const DecisionRecord& decision) {
    return decision.reason.find("every 10th call is unlike the others") != std::string::npos;
  }));
  EXPECT_TRUE(std::ranges::all_of(batch.policies, [](const PolicyRecord& policy) { return policy.table.empty(); }))
      << "what special calls have learned is for this run";
}

TEST(KeyTunerCycle, hasOnePlanAgainWhenTheSequenceEnds) {
  Program program;
  program.calls(150, inTurn);
  ASSERT_FALSE(program.usual().plan.cycle.isNone());
  program.calls(200, nobody);
  EXPECT_TRUE(program.usual().plan.cycle.isNone());
  const Batch batch = program.communicator.tuner().drain();
  EXPECT_TRUE(std::ranges::any_of(batch.decisions, [](const DecisionRecord& decision) {
    return decision.reason.find("all have one plan again") != std::string::npos;
  }));
}

TEST(KeyTunerCycle, hasNoneWhereTheLateRankIsAlwaysTheSame) {
  Program program;
  program.calls(300, [](int) { return 3; });
  EXPECT_TRUE(program.usual().plan.cycle.isNone());
  EXPECT_EQ(program.special(), nullptr);
}

TEST(KeyTunerCycle, hasHardlyEverOneWhereRanksAreLateAtRandom) {
  int found = 0;
  for (unsigned run = 0; run < 10; ++run) {
    Program program;
    std::mt19937 random(40 + run);
    program.calls(300, [&](int) { return static_cast<std::int32_t>(random() % 2); });
    found += program.special() == nullptr ? 0 : 1;
  }
  EXPECT_LE(found, 1) << "of 10 runs, seeds from 40";
}

TEST(KeyTunerCycle, isGivenUpWhereNativeIsBestForAllCalls) {
  TunerSettings settings = settingsOf();
  Program program(kRanks, settings);
  program.communicator.machine().native_factor = 0.2;
  program.calls(400, inTurn, 1e-4);
  EXPECT_TRUE(program.usual().plan.cycle.isNone());
  EXPECT_EQ(program.usual().plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(program.usual().plan.state, KeyState::kSettled);
}

TEST(KeyTunerCycle, isLookedForAgainWhereNativeIsNoLongerBest) {
  Program program;
  program.communicator.machine().native_factor = 0.2;
  program.calls(200, inTurn, 1e-4);
  ASSERT_TRUE(program.usual().plan.cycle.isNone());
  program.communicator.machine().native_factor = 10.0;
  program.calls(400, inTurn, 1e-4);
  EXPECT_NE(program.usual().plan.incumbent.algorithm, kNativeAlgorithm);
  EXPECT_EQ(program.usual().plan.cycle.period, 2);
}

// Feeds calls of one key, 16 in an epoch; returns whether a plan with a cycle comes of it. `prepare` is given each
// call, of which `sample` is its place in the epoch, and returns the rank that is late, nobody if that is negative.
template <typename Prepare>
bool findsACycle(int epochs, Prepare prepare) {
  CommunicatorTuner tuner(settingsOf(), kRanks);
  tuner.addKey({"world", "line0", 15, "double", "sum"}, {kRanks, 8192, true}, Bytes{8}, {}, true, {});
  std::int64_t index = 0;
  bool has_found = false;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    std::vector<EpochCall> calls(16);
    std::vector<CallSummary> samples;
    for (EpochCall& call : calls) {
      call.usual_key = 0;
      call.sample = static_cast<std::int32_t>(samples.size());
      call.index = index++;
      const std::int32_t late_rank = prepare(call);
      std::vector<Seconds> arrivals(kRanks);
      if (late_rank >= 0) arrivals[static_cast<std::size_t>(late_rank)] = {10e-3};
      samples.push_back(gym::summaryOf(arrivals, std::vector<Seconds>(kRanks, Seconds{11e-3})));
    }
    tuner.digest({epoch, calls, samples});
    tuner.closeTotals();
    for (const PlanUpdate& update : tuner.decide(8).updates) has_found = has_found || !update.plan.cycle.isNone();
    tuner.tookForce();
  }
  return has_found;
}

TEST(KeyTunerCycle, isLookedForAnewAfterCallsThatNobodyCounted) {
  const auto finds = [](bool rests_between_epochs) {
    return findsACycle(10, [rests_between_epochs](EpochCall& call) {
      call.follows_rest = rests_between_epochs && call.sample == 0;
      return inTurn(static_cast<int>(call.index));
    });
  };
  EXPECT_TRUE(finds(false));
  EXPECT_FALSE(finds(true)) << "16 calls in a row are too few";
}

TEST(KeyTunerCycle, isNotFoundInCallsToWhichRankZeroComesLateBecauseItHasDecided) {
  for (const AgreementStep step : {AgreementStep::kNone, AgreementStep::kDecide}) {
    const bool has_found = findsACycle(20, [step](EpochCall& call) {
      if (call.sample != 2) return -1;
      call.follows = step;
      return 0;
    });
    EXPECT_EQ(has_found, step == AgreementStep::kNone);
  }
}

TEST(KeyTunerCycle, isNotLookedForWhereTheUserChooses) {
  for (const bool reproducible : {false, true}) {
    TunerSettings settings = settingsOf();
    if (reproducible)
      settings.options.reproducible = true;
    else
      settings.options.algorithm = "slt";
    Program program(kRanks, settings);
    program.calls(100, inTurn);
    EXPECT_TRUE(program.usual().plan.cycle.isNone());
  }
}

}  // namespace
}  // namespace starling
