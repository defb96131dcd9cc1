#include "rivals.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "game.h"
#include "small_world.h"

namespace starling::gym {
namespace {

// What the call of an arm takes, in seconds.
using TimeOf = std::function<double(std::size_t arm, std::int64_t call)>;

// Lets a rule choose among `arms` for so many calls, and keeps what it picked.
class Trial {
 public:
  Trial(std::unique_ptr<Rule> rule, std::size_t arms, TimeOf time_of, int calls)
      : rule_(std::move(rule)), arms_(arms), time_of_(std::move(time_of)) {
    run(calls);
  }

  Trial& run(int calls) {
    for (int i = 0; i < calls; ++i) {
      const auto call = static_cast<std::int64_t>(picks_.size());
      const Rule::Pick pick = rule_->pick(arms_, call);
      picks_.push_back(pick);
      arms_[pick.arm].times.push_back(time_of_(pick.arm, call));
    }
    return *this;
  }
  std::size_t arm(std::size_t call) const { return picks_[call].arm; }
  bool explores(std::size_t call) const { return picks_[call].explores; }
  std::size_t callsOf(std::size_t arm) const { return arms_[arm].times.size(); }

 private:
  std::unique_ptr<Rule> rule_;
  std::vector<Arm> arms_;
  TimeOf time_of_;
  std::vector<Rule::Pick> picks_;
};

TimeOf always(std::vector<double> times) {
  return [times](std::size_t arm, std::int64_t) { return times[arm]; };
}

TEST(Arm, hasTheMeanOfItsTimes) { EXPECT_DOUBLE_EQ((Arm{{}, {1.0, 2.0, 6.0}}.mean()), 3.0); }

TEST(AlwaysNative, takesTheFirstArm) {
  const Trial trial(alwaysNative(), 3, always({9.0, 1.0, 1.0}), 50);
  EXPECT_EQ(trial.callsOf(0), 50U);
  EXPECT_FALSE(trial.explores(0));
}

TEST(StarMpi, triesEachTenTimesAndKeepsTheLeastMean) {
  const Trial trial(starMpi(10), 3, always({3.0, 1.0, 2.0}), 200);
  for (std::size_t call = 0; call < 30; ++call) {
    EXPECT_EQ(trial.arm(call), call / 10);
    EXPECT_TRUE(trial.explores(call));
  }
  EXPECT_EQ(trial.callsOf(1), 180U);
  EXPECT_FALSE(trial.explores(30));
}

TEST(StarMpi, takesTheSecondBestWhenTheChosenOneHasBecomeSlower) {
  const auto slower = [](std::size_t arm, std::int64_t call) {
    constexpr std::array kTimes{3.0, 1.0, 2.0};
    return arm == 1 && call >= 50 ? 2.3 : kTimes[arm];
  };
  const Trial trial(starMpi(10), 3, slower, 100);
  EXPECT_EQ(trial.arm(59), 1U);  // the means of ten calls each are compared
  EXPECT_EQ(trial.arm(60), 2U);
  EXPECT_EQ(trial.arm(99), 2U);
}

TEST(StarMpi, staysWhereTheChosenOneIsAsSlowAsTheSecondWas) {
  const auto slower = [](std::size_t arm, std::int64_t call) {
    constexpr std::array kTimes{3.0, 1.0, 2.0};
    return arm == 1 && call >= 50 ? 2.15 : kTimes[arm];
  };
  EXPECT_EQ(Trial(starMpi(10), 3, slower, 200).callsOf(1), 180U);
}

TEST(StarMpi, comesBackWhenTheOtherIsSlowerStill) {
  const auto slower = [](std::size_t arm, std::int64_t call) {
    constexpr std::array kTimes{3.0, 1.0, 2.0};
    return (call >= 50 ? 3.0 : 1.0) * kTimes[arm];
  };
  const Trial trial(starMpi(10), 3, slower, 100);
  EXPECT_EQ(trial.arm(60), 2U);
  EXPECT_EQ(trial.arm(70), 1U);
  EXPECT_EQ(trial.arm(99), 1U);
}

TEST(StarMpi, keepsTheOnlyArmThereIs) { EXPECT_EQ(Trial(starMpi(10), 1, always({1.0}), 40).callsOf(0), 40U); }

TEST(OneCallEach, keepsTheFastestForGood) {
  const auto changing = [](std::size_t arm, std::int64_t call) {
    return call < 3 ? 3.0 - static_cast<double>(arm) : 100.0;
  };
  const Trial trial(oneCallEach(), 3, changing, 100);
  EXPECT_EQ(trial.callsOf(2), 98U);
  EXPECT_TRUE(trial.explores(2));
  EXPECT_FALSE(trial.explores(3));
}

TEST(EpsilonGreedy, exploresInOneCallOfTen) {
  const Trial trial(epsilonGreedy(0.1, 7), 4, always({4.0, 3.0, 1.0, 2.0}), 10'000);
  std::size_t explored = 0;
  for (std::size_t call = 4; call < 10'000; ++call) {
    explored += trial.explores(call) ? 1 : 0;
    if (!trial.explores(call)) {
      EXPECT_EQ(trial.arm(call), 2U);
    }
  }
  EXPECT_NEAR(static_cast<double>(explored), 1000.0, 100.0);
  for (const std::size_t arm : {0, 1, 3}) EXPECT_NEAR(static_cast<double>(trial.callsOf(arm)), 250.0, 60.0);
}

TEST(UpperConfidence, triesEachOnceAndThenByItsBound) {
  const Trial trial(upperConfidence(), 2, always({2.0, 1.0}), 3);
  EXPECT_EQ(trial.arm(0), 0U);
  EXPECT_EQ(trial.arm(1), 1U);
  EXPECT_EQ(trial.arm(2), 1U);  // both have been tried as often: the less mean
}

TEST(UpperConfidence, triesTheSlowOneEverMoreSeldom) {
  Trial trial(upperConfidence(), 2, always({2.0, 1.0}), 1000);
  const std::size_t early = trial.callsOf(0);
  const std::size_t later = trial.run(9000).callsOf(0);
  // After n calls, nearly all of the fast arm, the bounds 1 - sqrt(2 ln n / s) and 1/2 - sqrt(2 ln n / n) are equal.
  const auto expected = [](double n) {
    return 2.0 * std::log(n) / std::pow(0.5 + std::sqrt(2.0 * std::log(n) / n), 2);
  };
  EXPECT_NEAR(static_cast<double>(early), expected(1000.0), 3.0);
  EXPECT_NEAR(static_cast<double>(later), expected(10'000.0), 3.0);
}

TEST(ThompsonSampling, comesToTheFastestAndExploresLessAndLess) {
  const Trial trial(thompsonSampling(3), 3, always({1.5, 1.0, 1.3}), 1000);
  EXPECT_GT(trial.callsOf(1), 900U);
  std::size_t late = 0;
  for (std::size_t call = 500; call < 1000; ++call) late += trial.explores(call) ? 1 : 0;
  EXPECT_LT(late, 10U);
}

TEST(ThompsonSampling, tellsTheSameWithTheSameSeed) {
  const auto trialOf = [](std::uint64_t seed) {
    const Trial trial(thompsonSampling(seed), 3, always({1.0, 1.01, 1.02}), 200);
    std::vector<std::size_t> arms;
    for (std::size_t call = 0; call < 200; ++call) arms.push_back(trial.arm(call));
    return arms;
  };
  EXPECT_EQ(trialOf(3), trialOf(3));
  EXPECT_NE(trialOf(3), trialOf(4));
}

TEST(SuccessiveHalving, leavesTheSlowerHalfAfterEachRound) {
  const Trial trial(successiveHalving(28), 4, always({4.0, 3.0, 1.0, 2.0}), 100);
  EXPECT_EQ(trial.callsOf(0), 7U);
  EXPECT_EQ(trial.callsOf(1), 7U);
  EXPECT_EQ(trial.callsOf(3), 7U + 14U);
  EXPECT_EQ(trial.callsOf(2), 100U - 35U);
  EXPECT_TRUE(trial.explores(55));
  EXPECT_FALSE(trial.explores(56));
}

TEST(SuccessiveHalving, runsEachOnceWhereThereAreMoreThanARoundHasCalls) {
  const Trial trial(successiveHalving(2), 5, always({5.0, 4.0, 3.0, 2.0, 1.0}), 30);
  for (std::size_t arm = 0; arm < 5; ++arm) EXPECT_GE(trial.callsOf(arm), 1U);
  EXPECT_EQ(trial.arm(29), 4U);
}

// Keeps the arms that it is shown.
class Watching : public Rule {
 public:
  explicit Watching(std::vector<Arm>& arms) : arms_(arms) {}
  Pick pick(std::span<const Arm> arms, std::int64_t calls) override {
    arms_.assign(arms.begin(), arms.end());
    return {static_cast<std::size_t>(calls) % arms.size(), false};
  }

 private:
  std::vector<Arm>& arms_;
};

TEST(RulePlayer, choosesAmongNativeAndEveryAlgorithmThatFits) {
  const World world = smallWorld(8, 100);
  std::vector<Arm> arms;
  RulePlayer player(world, [&](std::uint64_t) { return std::make_unique<Watching>(arms); });
  Game(world).play(player);
  ASSERT_GT(arms.size(), 5U);
  EXPECT_EQ(arms.front().choice, kNativeChoice);
  std::map<std::int32_t, int> times;
  for (const Arm& arm : arms) {
    EXPECT_EQ(++times[arm.choice.algorithm], 1) << formatChoice(arm.choice);
    EXPECT_GE(arm.times.size(), 5U);
  }
}

TEST(RulePlayer, isToldWhatCallsTake) {
  const World world = smallWorld(8, 60);
  Truth truth(world);
  std::vector<Arm> arms;
  RulePlayer player(world, [&](std::uint64_t) { return std::make_unique<Watching>(arms); });
  Game(world).play(player);
  for (const Arm& arm : arms) {
    const Seconds expected = truth.timeOf(world.calls.front(), arm.choice, {});
    for (const double time : arm.times) EXPECT_NEAR(time, expected.value, 2e-9) << formatChoice(arm.choice);
  }
}

TEST(RulePlayer, arrangesTheRankThatIsAlwaysLate) {
  const World world = smallWorld(8, 30, {oneLate(8, 3, {1e-3})});
  RulePlayer player(world, [](std::uint64_t) { return alwaysNative(); });
  Game(world).play(player);
  const Player::Move move = player.next(world.calls.front());
  ASSERT_FALSE(move.plan.placed.empty());
  EXPECT_EQ(move.plan.placed.back().rank, 3);
  EXPECT_NEAR(static_cast<double>(move.plan.placed.back().lateness_ns), 1e6, 1e5);
}

TEST(RulePlayer, playsEachKeyAndCommunicatorByARuleOfItsOwn) {
  World world = smallWorld(4, 60);
  world.keys.push_back({2, {.count = 64, .element_size = 8}});
  for (std::size_t i = 0; i < world.calls.size(); ++i) {
    world.calls[i].key = static_cast<std::int32_t>(i % 2);
    world.calls[i].communicator = static_cast<std::int32_t>(i / 20);
  }
  int rules = 0;
  RulePlayer player(world, [&](std::uint64_t) {
    ++rules;
    return oneCallEach();
  });
  Game(world).play(player);
  EXPECT_EQ(rules, 2 * 3);
}

TEST(Entrants, haveNamesOfTheirOwnAndEnterEveryKindOfWorld) {
  std::map<std::string, int> names;
  for (const Entrant& one : entrants()) {
    EXPECT_EQ(++names[one.name], 1);
    EXPECT_EQ(findEntrant(one.name), &one);
    const World world = makeWorld(3, 30);
    EXPECT_EQ(Game(world).play(*one.enter(world, {})).size(), 30U) << one.name;
  }
  EXPECT_EQ(findEntrant("nobody"), nullptr);
  EXPECT_EQ(entrants().size(), 8U);
}

}  // namespace
}  // namespace starling::gym
