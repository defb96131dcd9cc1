// Sites and communicators that are alike learn what calls cost as if they were one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "hand_fed_tuner.h"
#include "simulated_communicator.h"

namespace starling {
namespace {

constexpr std::int32_t kManyRanks = 8;
constexpr std::int32_t kSites = 12;

std::vector<Seconds> allOnTime() { return std::vector<Seconds>(kManyRanks); }

std::vector<Seconds> lateBy(std::size_t rank, double late) {
  std::vector<Seconds> lateness = allOnTime();
  lateness[rank] = {late};
  return lateness;
}

void callAll(SimulatedCommunicator& communicator, int rounds, std::int32_t sites = kSites) {
  for (int round = 0; round < rounds; ++round) {
    for (std::int32_t line = 1; line <= sites; ++line) communicator.call(static_cast<LocalSite>(line), kVector);
  }
}

// Returns how many trials were made by the time that all keys have settled.
std::int64_t trialsWith(std::int32_t sites) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 3.0});
  callAll(communicator, 1920 / sites, sites);
  for (std::int32_t key = 0; key < communicator.keys().size(); ++key) {
    EXPECT_EQ(communicator.keys().entry(key).plan.state, KeyState::kSettled) << key;
    EXPECT_EQ(communicator.keys().entry(key).plan.incumbent, communicator.keys().entry(0).plan.incumbent) << key;
  }
  EXPECT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  return communicator.explorationCalls();
}

TEST(CommunicatorsAlike, sitesTryTogetherWhatOneWouldTryAlone) {
  const std::int64_t alone = trialsWith(1);
  ASSERT_GT(alone, 3);
  EXPECT_LE(trialsWith(2 * kSites), 3 * alone) << "though what is planned for one comes when its turn does";
}

TEST(CommunicatorsAlike, aSiteToWhichARankComesLateGoesItsOwnWay) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 2.0});
  LocalSite now = 0;
  bool is_late = false;
  communicator.setPattern([&](std::mt19937&) { return is_late && now == 1 ? lateBy(5, 20e-3) : allOnTime(); });
  const auto call_all = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (now = 1; now <= 4; ++now) communicator.call(now, kVector);
    }
  };
  call_all(60);
  const Choice before = communicator.keys().entry(1).plan.incumbent;
  const Seconds expected = communicator.tuner().key(1).costs().expected(KeyCosts::kNative);
  is_late = true;
  call_all(100);
  const KeyPlan& late = communicator.keys().entry(0).plan;
  EXPECT_TRUE(late.foreseesLateRank());
  for (std::int32_t key = 1; key < 4; ++key) {
    const KeyPlan& plan = communicator.keys().entry(key).plan;
    EXPECT_FALSE(plan.foreseesLateRank()) << key;
    EXPECT_EQ(plan.incumbent, before) << key;
  }
  EXPECT_NEAR(communicator.tuner().key(1).costs().expected(KeyCosts::kNative) / expected, 1.0, 0.1);
  EXPECT_NE(&communicator.tuner().key(0).costs(), &communicator.tuner().key(1).costs());
  EXPECT_EQ(&communicator.tuner().key(2).costs(), &communicator.tuner().key(1).costs());
}

TEST(CommunicatorsAlike, sitesThatMoveAlikeMeetAgain) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 2.0});
  std::size_t late = 5;
  communicator.setPattern([&](std::mt19937&) { return lateBy(late, 20e-3); });
  callAll(communicator, 40, 4);
  late = 2;
  callAll(communicator, 40, 4);
  for (std::int32_t key = 0; key < 4; ++key) {
    EXPECT_EQ(&communicator.tuner().key(key).costs(), &communicator.tuner().key(0).costs()) << key;
    EXPECT_EQ(communicator.keys().entry(key).plan.incumbent, communicator.keys().entry(0).plan.incumbent) << key;
    const std::vector<PlacedRank>& placed = communicator.keys().entry(key).plan.placed;
    ASSERT_FALSE(placed.empty()) << key;
    EXPECT_EQ(std::ranges::max_element(placed, {}, &PlacedRank::lateness_ns)->rank, 2) << key;
  }
}

TEST(CommunicatorsAlike, sitesFollowTogetherWhereCostsHaveChanged) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 3.0});
  callAll(communicator, 20);
  ASSERT_NE(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  communicator.machine().others_factor = 20.0;
  callAll(communicator, 20);
  for (std::int32_t key = 0; key < kSites; ++key) {
    EXPECT_EQ(communicator.keys().entry(key).plan.incumbent.algorithm, kNativeAlgorithm) << key;
  }
}

TEST(CommunicatorsAlike, keysTellTheGainThoughOneHasHardlyCalledNative) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 3.0});
  callAll(communicator, 30);
  int told = 0;
  for (std::int32_t key = 0; key < kSites; ++key) {
    const std::optional<double> gain = communicator.tuner().key(key).gain();
    const std::optional<double> error = communicator.tuner().key(key).gainError();
    if (!gain || !error) continue;
    ++told;
    EXPECT_LT(*error, 0.3 * *gain) << key;
    EXPECT_NEAR(*gain, *communicator.tuner().key(0).gain(), 2.0 * *error + 0.05 * *gain) << key;
  }
  EXPECT_GE(told, kSites - 1);
}

TEST(CommunicatorsAlike, keysThatHaveHardlyCalledNativeKnowHowFarTheGainMayBeOff) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 3.0, .scatter = 0.1});
  callAll(communicator, 40, 6);
  for (std::int32_t key = 0; key < 6; ++key) EXPECT_TRUE(communicator.tuner().key(key).gainError()) << key;
}

// Of one site alone the choice is slow, whichever it is.
TEST(CommunicatorsAlike, aSiteWhoseChoicesAreStoppedAgainAndAgainGoesItsOwnWay) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 3.0});
  for (int round = 0; round < 200; ++round) {
    for (LocalSite line = 1; line <= 4; ++line) {
      communicator.machine().others_factor = round > 30 && line == 1 ? 20.0 : 1.0;
      communicator.call(line, kVector);
    }
  }
  EXPECT_EQ(communicator.keys().entry(0).plan.incumbent.algorithm, kNativeAlgorithm);
  for (std::int32_t key = 1; key < 4; ++key) {
    EXPECT_NE(communicator.keys().entry(key).plan.incumbent.algorithm, kNativeAlgorithm) << key;
  }
}

// One plan after the other would change nothing.
TEST(CommunicatorsAlike, aSiteOfWhichSomebodyIsALittleLateMakesNoPlanInEachEpoch) {
  for (const double late : {20e-6, 200e-6}) {
    SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 2.0});
    LocalSite now = 0;
    communicator.setPattern([&](std::mt19937& random) { return now == 1 ? lateBy(random() % 8, late) : allOnTime(); });
    const auto call_all = [&](int rounds) {
      for (int round = 0; round < rounds; ++round) {
        for (now = 1; now <= 4; ++now) communicator.call(now, kVector);
      }
    };
    call_all(100);
    const std::int64_t before = communicator.updates();
    call_all(200);
    EXPECT_LE(communicator.updates() - before, 24) << late;
  }
}

// Beside what native takes, for which rows were ranked first, this lateness would be noise.
TEST(CommunicatorsAlike, sitesHeedALatenessThatIsLargeBesideWhatTheyRunNow) {
  SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 20.0});
  bool is_late = false;
  communicator.setPattern(
      [&](std::mt19937& random) { return is_late ? lateBy(random() % kManyRanks, 300e-6) : allOnTime(); });
  callAll(communicator, 60, 4);
  ASSERT_GT(communicator.tuner().key(0).costs().expected(KeyCosts::kNative), Seconds{1.5e-3});
  static_cast<void>(communicator.tuner().drain());
  is_late = true;
  callAll(communicator, 60, 4);
  const std::vector<DecisionRecord> told = communicator.tuner().drain().decisions;
  EXPECT_TRUE(std::ranges::any_of(told, [](const DecisionRecord& one) {
    return one.reason.find("one rank or another is late") != std::string::npos;
  }));
}

PolicyRecord policyOf(const std::string& site, const char* choice) {
  PolicyRecord policy;
  policy.site = site;
  policy.size_class = sizeClass(kVector.bytes());
  policy.type = "double";
  policy.operation = "sum";
  policy.communicator_size = kManyRanks;
  policy.choice = choice;
  policy.gain = 2.5;
  policy.compared_by = comparedBy(true);
  policy.reason = "It was so.";
  return policy;
}

TEST(CommunicatorsAlike, sitesOfWhichAnEarlierRunTellsTryThatBesideSitesOfWhichItDoesNot) {
  for (const char* learned : {"ring", "rabenseifner"}) {
    SimulatedCommunicator communicator(kManyRanks, settingsOf(), {.native_factor = 3.0},
                                       {policyOf("line2", learned), policyOf("line3", "binary_tree")});
    callAll(communicator, 40, 4);
    const auto ran = [&](const PlannedChoice& call) {
      return call.choice.algorithm == parseChoice(learned).value().algorithm;
    };
    EXPECT_TRUE(std::ranges::any_of(communicator.choices(), ran)) << learned;
    const Choice chosen = communicator.keys().entry(0).plan.incumbent;
    EXPECT_NE(chosen.algorithm, kNativeAlgorithm);
    for (std::int32_t key = 0; key < 4; ++key) EXPECT_EQ(communicator.keys().entry(key).plan.incumbent, chosen) << key;
  }
}

// A communicator that is freed takes nothing with it that others need.
TEST(CommunicatorsAlike, communicatorsOneAfterTheOtherTryTogetherWhatOneWouldTryAlone) {
  const std::int64_t alone = trialsWith(1);
  const TunerSettings settings = settingsOf();
  std::int64_t trials = 0;
  Choice latest = kNativeChoice;
  for (int i = 0; i < 12; ++i) {
    SimulatedCommunicator communicator(kManyRanks, settings, {.native_factor = 3.0});
    communicator.calls(20, 1, kVector);
    trials += communicator.explorationCalls();
    latest = communicator.keys().entry(0).plan.incumbent;
  }
  EXPECT_LE(trials, alone + 4);
  EXPECT_NE(latest.algorithm, kNativeAlgorithm);
}

TEST(CommunicatorsAlike, aCommunicatorRunsWhatOneBeforeItHasFoundForCallsOfTheirSizeClass) {
  const TunerSettings settings = settingsOf();
  SimulatedCommunicator first(kManyRanks, settings, {.native_factor = 1.5});
  first.calls(200, 1, doubles(1 << 14));
  ASSERT_NE(first.keys().entry(0).plan.incumbent, kNativeChoice);
  SimulatedCommunicator second(kManyRanks, settings, {.native_factor = 1.5});
  second.calls(12, 2, doubles((1 << 14) * 5 / 8));
  EXPECT_EQ(second.keys().entry(0).plan.incumbent, first.keys().entry(0).plan.incumbent);
}

// Returns how many trials they make together, each 400 calls.
std::int64_t trialsByTurns(unsigned communicators) {
  TunerSettings settings = settingsOf();
  settings.shared = std::make_shared<SharedKnowledge>();
  std::vector<std::unique_ptr<SimulatedCommunicator>> all;
  for (unsigned i = 1; i <= communicators; ++i) {
    all.push_back(std::make_unique<SimulatedCommunicator>(16, settings, SimulatedMachine{.scatter = 0.05, .seed = i}));
  }
  for (int call = 0; call < 400; ++call) {
    for (const auto& one : all) one->call(1, kVector);
  }
  std::int64_t trials = 0;
  for (const auto& one : all) trials += one->explorationCalls();
  return trials;
}

TEST(CommunicatorsAlike, communicatorsThatTakeTurnsWaitForEachOthersFirstTrials) {
  EXPECT_LE(trialsByTurns(8), 3 * trialsByTurns(1));
}

TEST(CommunicatorsAlike, communicatorsOfSeveralThreadsLearnAtTheSameTime) {
  const TunerSettings settings = settingsOf();
  std::vector<Choice> settled(4);
  std::vector<std::thread> threads;
  for (Choice& choice : settled) {
    threads.emplace_back([&choice, &settings] {
      for (int i = 0; i < 8; ++i) {
        SimulatedCommunicator communicator(kManyRanks, settings, {.native_factor = 3.0});
        communicator.calls(60, 1, kVector);
        static_cast<void>(communicator.tuner().drain());
        choice = communicator.keys().entry(0).plan.incumbent;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Choice& choice : settled) EXPECT_NE(choice.algorithm, kNativeAlgorithm);
}

}  // namespace
}  // namespace starling
