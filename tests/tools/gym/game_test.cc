#include "game.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "rivals.h"
#include "small_world.h"
#include "tuner/sampled_call.h"

namespace starling::gym {
namespace {

const Choice kRing = choiceNamed("ring");

// So many turns alike; times are in microseconds.
std::vector<Turn> turnsOf(std::size_t calls, double cost, double best, double native, const Choice& choice = kRing,
                          bool explores = false) {
  return std::vector<Turn>(calls,
                           Turn{choice, explores, Seconds{cost * 1e-6}, Seconds{best * 1e-6}, Seconds{native * 1e-6}});
}

std::vector<Turn> joined(std::initializer_list<std::vector<Turn>> parts) {
  std::vector<Turn> turns;
  for (const std::vector<Turn>& part : parts) turns.insert(turns.end(), part.begin(), part.end());
  return turns;
}

// The world of these turns, as far as figures look at it.
World worldOf(const std::vector<Turn>& turns, std::int32_t change = 0,
              ArrivalKind arrivals = ArrivalKind::kSlowerMachine) {
  World world = smallWorld(4, static_cast<int>(turns.size()));
  world.change = change;
  world.arrivals = change > 0 ? arrivals : ArrivalKind::kBalanced;
  return world;
}

Figures figuresOfTurns(const std::vector<Turn>& turns, std::int32_t change = 0,
                       ArrivalKind arrivals = ArrivalKind::kSlowerMachine) {
  return figuresOf(worldOf(turns, change, arrivals), turns);
}

TEST(Figures, regretIsTheCostBeyondTheBests) {
  EXPECT_NEAR(figuresOfTurns(joined({turnsOf(100, 20, 10, 15), turnsOf(400, 10, 10, 15)})).regret, 0.2, 1e-12);
  EXPECT_NEAR(figuresOfTurns(turnsOf(500, 10, 10, 15)).regret, 0.0, 1e-12);
  EXPECT_NEAR(figuresOfTurns(turnsOf(500, 9, 10, 15)).regret, -0.1, 1e-12);  // plans that follow may be better
}

TEST(Figures, lossesArePartsOfTheRegretByWhatTheCallsRan) {
  const Choice tree = choiceNamed("slt");
  const auto lost = [&](const Choice& choice, const Choice& best, bool explores = false) {
    std::vector<Turn> turns = joined({turnsOf(100, 20, 10, 15, choice, explores), turnsOf(400, 10, 10, 15, best)});
    for (Turn& turn : turns) turn.best_choice = best;
    return figuresOfTurns(turns).losses;
  };
  EXPECT_NEAR(lost(kRing, tree, true).trials, 0.2, 1e-12);
  EXPECT_NEAR(lost(kNativeChoice, tree).native, 0.2, 1e-12);
  EXPECT_NEAR(lost(tree, kNativeChoice).leaving, 0.2, 1e-12);
  EXPECT_NEAR(lost(kRing, tree).algorithm, 0.2, 1e-12);
  EXPECT_NEAR(lost(choiceNamed("slt:segments=9"), tree).parameters, 0.2, 1e-12);
  EXPECT_EQ(lost(kRing, tree).native + lost(kRing, tree).parameters + lost(kRing, tree).trials, 0.0);
}

TEST(Figures, worstStretchIsOfFiftyCallsAgainstNative) {
  const std::vector<Turn> turns = joined({turnsOf(300, 5, 5, 10), turnsOf(25, 40, 5, 10), turnsOf(200, 5, 5, 10)});
  EXPECT_NEAR(figuresOfTurns(turns).worst_stretch, (25 * 40 + 25 * 5) / 500.0, 1e-12);
  EXPECT_EQ(figuresOfTurns(turnsOf(500, 5, 5, 10)).worst_stretch, 1.0);
  EXPECT_DOUBLE_EQ(figuresOfTurns(turnsOf(500, 5, 5, 10)).over_native, 0.5);
}

TEST(Figures, countsCallsThatExplore) {
  const std::vector<Turn> turns = joined({turnsOf(7, 5, 5, 10, kRing, true), turnsOf(493, 5, 5, 10)});
  EXPECT_EQ(figuresOfTurns(turns).exploration_calls, 7);
}

TEST(Figures, isSettledFromTheFirstCallOfTheChoiceThatStays) {
  const std::vector<Turn> turns = joined({
      turnsOf(10, 10, 5, 10, kNativeChoice),
      turnsOf(3, 5, 5, 10, kRing, true),  // a trial of what is chosen then
      turnsOf(4, 10, 5, 10, kNativeChoice),
      turnsOf(100, 5, 5, 10),
      turnsOf(5, 30, 5, 10, choiceNamed("prr"), true),  // exploring does not unsettle
      turnsOf(400, 5, 5, 10),
  });
  EXPECT_EQ(figuresOfTurns(turns).settled, 17.0);
}

TEST(Figures, isNeverSettledWhereTheLastChoiceIsNewOrAllExplore) {
  const std::vector<Turn> late = joined({turnsOf(499, 10, 5, 10, kNativeChoice), turnsOf(1, 5, 5, 10)});
  EXPECT_EQ(figuresOfTurns(late).settled, 499.0);
  EXPECT_EQ(figuresOfTurns(turnsOf(500, 5, 5, 10, kRing, true)).settled, 500.0);
}

TEST(Figures, isNearTheBestFromTheFirstOfFiveCallsThatAre) {
  const std::vector<Turn> turns = joined({
      turnsOf(10, 10, 5, 10, kNativeChoice),
      turnsOf(4, 5.4, 5, 10, kRing),
      turnsOf(1, 10, 5, 10, kNativeChoice),
      turnsOf(3, 5.4, 5, 10, kRing),
      turnsOf(2, 30, 5, 10, choiceNamed("prr"), true),
      turnsOf(2, 5.4, 5, 10, choiceNamed("rabenseifner")),
      turnsOf(478, 5.6, 5, 10),
  });
  EXPECT_EQ(figuresOfTurns(turns).near_best, 15.0);
  EXPECT_EQ(figuresOfTurns(turnsOf(500, 5.6, 5, 10)).near_best, 500.0);
}

TEST(Figures, settledIsDefinedWhereMuchIsGainedAndLittleNoise) {
  EXPECT_FALSE(figuresOfTurns(turnsOf(500, 10, 10, 12)).settled);
  EXPECT_FALSE(figuresOfTurns(turnsOf(500, 10, 10, 12)).near_best);
  const std::vector<Turn> turns = turnsOf(500, 10, 10, 13);
  EXPECT_TRUE(figuresOfTurns(turns).settled);
  World noisy = worldOf(turns);
  noisy.noise.deviation = 0.11;
  EXPECT_FALSE(figuresOf(noisy, turns, std::nullopt).settled);
}

TEST(Figures, hasLeftNativeWronglyWhereTheLastFiftyCallsCostMore) {
  const auto left = [](double cost, const Choice& choice) {
    return figuresOfTurns(joined({turnsOf(450, 5, 5, 10), turnsOf(50, cost, 5, 10, choice)})).left_wrongly;
  };
  EXPECT_EQ(left(10.3, kRing), true);
  EXPECT_EQ(left(10.1, kRing), false);
  EXPECT_EQ(left(10.3, kNativeChoice), false);
}

TEST(Figures, hasMissedTheGainWhereNativeStaysThoughTheBestTakesTenthLess) {
  const auto missed = [](double best, const Choice& choice) {
    return figuresOfTurns(turnsOf(500, 10, best, 10, choice)).missed;
  };
  EXPECT_EQ(missed(8.9, kNativeChoice), true);
  EXPECT_EQ(missed(9.1, kNativeChoice), false);
  EXPECT_EQ(missed(8.9, kRing), false);
}

// The choice takes half of native's time, after a change, too, of all that takes longer.
TEST(Figures, hasClaimedWronglyWhereTheGainIsOffByMoreThanItsErrors) {
  const std::vector<Turn> turns =
      joined({turnsOf(450, 6, 5, 10), turnsOf(40, 10, 5, 20), turnsOf(10, 30, 5, 20, kRing, true)});
  const auto figures = [&](double gain, double error) {
    return figuresOf(worldOf(turns), turns, Player::Claim{gain, error});
  };
  EXPECT_FALSE(figuresOfTurns(turns).claimed_wrongly) << "nothing is claimed";
  EXPECT_EQ(figures(2.2, 0.09).claimed_wrongly, true);
  EXPECT_EQ(figures(2.2, 0.11).claimed_wrongly, false);
  EXPECT_EQ(figures(2.05, 0.0).claimed_wrongly, false) << "so little makes no difference";
}

TEST(Figures, sayWhereTheWorstCallsBegin) {
  const std::vector<Turn> turns = joined({turnsOf(120, 5, 5, 10), turnsOf(50, 20, 5, 10), turnsOf(330, 5, 5, 10)});
  EXPECT_EQ(figuresOfTurns(turns).worst_from, 120);
  EXPECT_DOUBLE_EQ(figuresOfTurns(turns).worst_stretch, 2.0);
  EXPECT_FALSE(figuresOfTurns(turnsOf(500, 5, 5, 10)).worst_from) << "none are worse than native";
}

TEST(Figures, judgesOnlyTheCallsBeforeAChange) {
  const std::vector<Turn> turns = joined({turnsOf(300, 5, 5, 10), turnsOf(250, 20, 5, 10, choiceNamed("prr"))});
  const Figures figures = figuresOfTurns(turns, 300);
  EXPECT_EQ(figures.settled, 0.0);
  EXPECT_EQ(figures.left_wrongly, false);
}

TEST(Figures, saysNothingOfNativeWhereTheChangeComesBeforeItIsJudged) {
  const std::vector<Turn> turns = joined({turnsOf(200, 10, 5, 10, kNativeChoice), turnsOf(300, 5, 5, 10)});
  const Figures figures = figuresOfTurns(turns, 200);
  EXPECT_FALSE(figures.missed);
  EXPECT_FALSE(figures.left_wrongly);
}

TEST(Figures, hasFollowedAChangeWithTheFirstOfFiveCallsNearTheBest) {
  const std::vector<Turn> turns = joined({turnsOf(300, 5, 5, 10), turnsOf(20, 9, 5, 10), turnsOf(4, 5, 5, 10),
                                          turnsOf(1, 9, 5, 10), turnsOf(225, 5.4, 5, 10)});
  EXPECT_EQ(figuresOfTurns(turns, 300, ArrivalKind::kMovedRank).followed_rank, 25.0);
  EXPECT_FALSE(figuresOfTurns(turns, 300, ArrivalKind::kMovedRank).followed_cost);
  EXPECT_EQ(figuresOfTurns(turns, 300).followed_cost, 25.0);
  EXPECT_FALSE(figuresOfTurns(turns, 300).followed_rank);
}

TEST(Figures, callsThatExploreWhileAChangeIsFollowedDoNotMoveItsEnd) {
  const std::vector<Turn> turns = joined({turnsOf(300, 5, 5, 10), turnsOf(10, 9, 5, 10), turnsOf(2, 5, 5, 10),
                                          turnsOf(6, 30, 5, 10, choiceNamed("prr"), true), turnsOf(200, 5, 5, 10)});
  EXPECT_EQ(figuresOfTurns(turns, 300).followed_cost, 10.0);
}

TEST(Figures, hasNotFollowedUntilTheEndWhereItNeverDoes) {
  EXPECT_EQ(figuresOfTurns(turnsOf(500, 9, 5, 10), 300).followed_cost, 200.0);
}

TEST(Figures, areOfProgramsWithOneKeyButForRegretAndStretches) {
  const std::vector<Turn> turns = turnsOf(500, 9, 5, 10);
  World world = worldOf(turns, 300);
  world.program = ProgramKind::kFortyKeys;
  const Figures figures = figuresOf(world, turns);
  EXPECT_NEAR(figures.regret, 0.8, 1e-12);
  EXPECT_FALSE(figures.settled || figures.left_wrongly || figures.missed || figures.followed_cost);
}

TEST(RegretCurve, risesToTheRegret) {
  const std::vector<Turn> turns = joined({turnsOf(100, 20, 10, 15), turnsOf(400, 10, 10, 15)});
  const std::vector<double> curve = regretCurve(turns, 50);
  ASSERT_EQ(curve.size(), 10U);
  EXPECT_NEAR(curve[0], 0.1, 1e-12);
  EXPECT_NEAR(curve[1], 0.2, 1e-12);
  EXPECT_NEAR(curve[9], figuresOfTurns(turns).regret, 1e-12);
}

TEST(Game, hasNoRegretWhereTheBestPlanIsAlwaysPlayed) {
  for (const std::uint64_t seed : {0, 1, 2, 4, 5, 6, 8}) {
    World world = makeWorld(seed, 200);
    SCOPED_TRACE(world.describe());
    world.first_call = 1.0;
    FixedPlayer player(Truth(world).bestPlan(0, 0, world.calls.size()));
    EXPECT_EQ(figuresOf(world, Game(world).play(player)).regret, 0.0);
  }
}

TEST(Game, theTunerClaimsWhatIsTrueWhereNothingIsNoisy) {
  World world = smallWorld(8, 400);
  world.machines.front().native_factor = 2.0;
  const std::unique_ptr<Player> tuner = findEntrant("tuned")->enter(world, {});
  const std::vector<Turn> turns = Game(world).play(*tuner);
  const Figures figures = figuresOf(world, turns, tuner->claim(0));
  ASSERT_TRUE(figures.claim);
  EXPECT_NEAR(*figures.claim, 1.0, 0.05);
  EXPECT_EQ(figures.claimed_wrongly, false);
}

TEST(Game, countsOnlyTheFirstCallOfAChoiceAsSlow) {
  World world = smallWorld(4, 100);
  world.first_call = 3.0;
  for (std::size_t i = 50; i < 100; ++i) world.calls[i].communicator = 1;
  FixedPlayer player({kRing, {}});
  const std::vector<Turn> turns = Game(world).play(player);
  EXPECT_EQ(turns[0].cost, 3.0 * turns[1].cost);
  EXPECT_EQ(turns[49].cost, turns[1].cost);
  EXPECT_EQ(turns[50].cost, turns[0].cost);  // in another communicator
  EXPECT_EQ(turns[51].cost, turns[1].cost);
  FixedPlayer native({});
  EXPECT_EQ(Game(world).play(native)[0].cost, turns[0].native);
}

TEST(Game, callsOfOtherKeysThatAreAlikeDoNotBeatTheBest) {
  // The first key's calls are on time; the others', which are more, never are.
  World world = smallWorld(8, 100, {std::vector<Seconds>(8), oneLate(8, 3, {1e-3})});
  world.keys.push_back(world.keys.front());
  for (std::size_t i = 2; i < world.calls.size(); ++i) world.calls[i] = {.key = 1, .pattern = 1};
  Truth truth(world);
  FixedPlayer player(truth.bestPlan(1, 2, 100));
  EXPECT_GE(figuresOf(world, Game(world).play(player)).regret, 0.0);
}

TEST(Game, tellsPlayersWithNoiseWhatItCountsWithout) {
  World world = smallWorld(4, 2);
  world.calls[1].noise = 2.0;
  world.calls[1].noise_in_step = 3.0;
  const auto seenOf = [&](const char* choice) {
    FixedPlayer player({choiceNamed(choice), {}});
    const std::vector<Turn> turns = Game(world).play(player);
    EXPECT_EQ(turns[0].cost, turns[1].cost);
    return timesOf(player.seen()[1], true).compared / timesOf(player.seen()[0], true).compared;
  };
  EXPECT_NEAR(seenOf("ring"), 2.0, 1e-3);
  EXPECT_NEAR(seenOf("direct"), 3.0, 1e-3);
}

// Does the same in each call, delayed by 1 us more from call to call.
class DelayedPlayer : public FixedPlayer {
 public:
  using FixedPlayer::FixedPlayer;
  Move next(const WorldCall& call) override {
    Move move = FixedPlayer::next(call);
    move.disturbance = {1e-6 * static_cast<double>(seen().size())};
    return move;
  }
};

TEST(Game, showsWhatDisturbsCallsAndDoesNotCountIt) {
  DelayedPlayer player({kRing, {}});
  const std::vector<Turn> turns = Game(smallWorld(4, 3)).play(player);
  for (std::size_t call = 0; call < turns.size(); ++call) {
    EXPECT_EQ(turns[call].cost, turns[0].cost);
    EXPECT_NEAR(timesOf(player.seen()[call], true).compared.value,
                turns[0].cost.value + 1e-6 * static_cast<double>(call), 2e-9);
  }
}

TEST(Game, showsWhoIsLate) {
  const World world = smallWorld(4, 1, {oneLate(4, 2, {1e-3})});
  FixedPlayer player({kRing, {}});
  const std::vector<Turn> turns = Game(world).play(player);
  const CallSummary& seen = player.seen().front();
  EXPECT_EQ(seen.ranks(), 4);
  EXPECT_EQ(seen.named().front().rank, 2);
  EXPECT_EQ(seen.latestNs() - seen.earliestNs(), 1'000'000);
  EXPECT_NEAR(timesOf(seen, true).compared.value, turns[0].cost.value, 2e-9);
}

TEST(Game, roundsStampsToTheTickAndIsRightOnAverage) {
  World world = smallWorld(4, 2000);
  FixedPlayer exact({kRing, {}});
  const Seconds cost = Game(world).play(exact)[0].cost;
  world.noise.tick = 1.6 * cost;
  FixedPlayer coarse({kRing, {}});
  Game(world).play(coarse);
  double sum = 0.0;
  for (const CallSummary& seen : coarse.seen()) {
    const double ticks = timesOf(seen, true).compared / world.noise.tick;
    EXPECT_NEAR(ticks, std::round(ticks), 1e-3);
    sum += ticks;
  }
  EXPECT_NEAR(sum / 2000.0, 1.0 / 1.6, 0.03);
}

TEST(Game, isTheSameForAPlayerWhoeverPlayedBefore) {
  const World world = makeWorld(5, 200);
  Game alone(world);
  Game shared(world);
  for (const Entrant& one : entrants()) shared.play(*one.enter(world, {}));
  for (const Entrant& one : entrants()) {
    const std::vector<Turn> first = Game(world).play(*one.enter(world, {}));
    const std::vector<Turn> again = shared.play(*one.enter(world, {}));
    ASSERT_EQ(first.size(), again.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].choice, again[i].choice) << one.name << ", call " << i;
      EXPECT_EQ(first[i].cost, again[i].cost) << one.name << ", call " << i;
    }
  }
}

}  // namespace
}  // namespace starling::gym
