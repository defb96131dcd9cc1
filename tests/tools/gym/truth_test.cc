#include "truth.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "small_world.h"
#include "tuner/candidates.h"
#include "tuner/virtual_ranks.h"

namespace starling::gym {
namespace {

const char* const kCommon[] = {"recursive_doubling", "rabenseifner", "ring"};

Seconds costOf(Truth& truth, const World& world, const Arranged& plan) {
  Seconds sum;
  for (const WorldCall& call : world.calls) sum += truth.timeOf(call, plan.choice, plan.placed);
  return sum;
}

Machine& machineOf(World& world) { return world.machines.front(); }

// The late rank in the last place.
std::vector<PlacedRank> placedLast(std::int32_t ranks, std::int32_t rank, Seconds lateness) {
  std::vector<std::int32_t> table;
  for (std::int32_t one = 0; one < ranks; ++one) {
    if (one != rank) table.push_back(one);
  }
  table.push_back(rank);
  std::vector<std::int64_t> lateness_ns(static_cast<std::size_t>(ranks));
  lateness_ns.back() = toNanoseconds(lateness);
  return placementOf(table, lateness_ns);
}

TEST(Truth, givesNativeItsFactorOfTheBestOfTheCommonRows) {
  World world = smallWorld(8, 1);
  machineOf(world).native_factor = 1.7;
  for (const double ring : {0.01, 1.0}) {
    machineOf(world).row_factors[static_cast<std::size_t>(choiceNamed("ring").algorithm)] = ring;
    Truth truth(world);
    const WorldCall& call = world.calls.front();
    Seconds least = truth.timeOf(call, choiceNamed(kCommon[0]), {});
    for (const char* name : kCommon) least = std::min(least, truth.timeOf(call, choiceNamed(name), {}));
    EXPECT_EQ(truth.timeOf(call, kNativeChoice, {}), 1.7 * least);
    if (ring < 1.0) {
      EXPECT_EQ(least, truth.timeOf(call, choiceNamed("ring"), {}));
    }
  }
}

TEST(Truth, multipliesWhatIsSimulatedByTheFactorOfTheRow) {
  World world = smallWorld(8, 1);
  Truth plain(world);
  World slow = world;
  machineOf(slow).row_factors[static_cast<std::size_t>(choiceNamed("ring").algorithm)] = 3.0;
  Truth changed(slow);
  const WorldCall& call = world.calls.front();
  EXPECT_EQ(changed.timeOf(call, choiceNamed("ring"), {}), 3.0 * plain.timeOf(call, choiceNamed("ring"), {}));
  EXPECT_EQ(changed.timeOf(call, choiceNamed("prr"), {}), plain.timeOf(call, choiceNamed("prr"), {}));
}

TEST(Truth, takesTheMachineOfTheCall) {
  World world = smallWorld(4, 2);
  world.machines.push_back(world.machines.front());
  world.machines[1].row_factors.fill(2.0);
  world.calls[1].machine = 1;
  Truth truth(world);
  EXPECT_EQ(truth.timeOf(world.calls[1], choiceNamed("ring"), {}),
            2.0 * truth.timeOf(world.calls[0], choiceNamed("ring"), {}));
}

TEST(Truth, isFasterForAPlanThatKnowsTheLateRank) {
  constexpr Seconds kLate{1e-3};
  World world = smallWorld(8, 1, {oneLate(8, 3, kLate)});
  Truth truth(world);
  const WorldCall& call = world.calls.front();
  const Choice choice = choiceNamed("slt:segments=16");
  const Seconds blind = truth.timeOf(call, choice, {});
  const Seconds knowing = truth.timeOf(call, choice, placedLast(8, 3, kLate));
  const Seconds mistaken = truth.timeOf(call, choice, placedLast(8, 5, kLate));
  EXPECT_LT(knowing, 0.8 * blind);
  EXPECT_LT(knowing, 0.8 * mistaken);
}

TEST(Truth, plansForTheLateRankWhereOneAlwaysIs) {
  constexpr Seconds kLate{1e-3};
  World world = smallWorld(8, 10, {oneLate(8, 3, kLate)});
  Truth truth(world);
  const Arranged best = truth.bestPlan(0, 0, 10);
  EXPECT_LE(costOf(truth, world, best),
            costOf(truth, world, {choiceNamed("slt:segments=16"), placedLast(8, 3, kLate)}));
  for (const char* name : kCommon) EXPECT_LT(costOf(truth, world, best), costOf(truth, world, {choiceNamed(name), {}}));
}

TEST(Truth, findsAPlanThatNoneIsFasterThanOfThoseItLooksAt) {
  for (const std::uint64_t seed : {0, 88, 176, 1, 2, 4, 5, 6}) {
    const World world = makeWorld(seed, 50);
    SCOPED_TRACE(world.describe());
    Truth truth(world);
    const Arranged best = truth.bestPlan(0, 0, world.calls.size());
    const auto costHere = [&](const Arranged& plan) { return costOf(truth, world, plan); };
    EXPECT_LE(costHere(best), costHere({}));
    const CandidateQuery query{.shape = {.ranks = world.ranks, .count = world.keys[0].signature.count},
                               .element_size = Bytes{8},
                               .model = world.machines[0].model,
                               .lateness_ns = expanded(best.placed, world.ranks).lateness_ns};
    if (best.placed.empty() && world.arrivals != ArrivalKind::kBalanced) continue;
    for (const Candidate& one : rankCandidates(query)) {
      EXPECT_LE(costHere(best), costHere({one.choice, best.placed})) << formatChoice(one.choice);
    }
  }
}

TEST(Truth, looksAtTheCallsOfAllKeysThatAreAlike) {
  // The first key's calls are all on time; the others', which are more, never are.
  World world = smallWorld(8, 20, {std::vector<Seconds>(8), oneLate(8, 3, {1e-3})});
  world.keys.push_back(world.keys.front());
  for (std::size_t i = 2; i < world.calls.size(); ++i) world.calls[i] = {.key = 1, .pattern = 1};
  Truth truth(world);
  EXPECT_EQ(costOf(truth, world, truth.bestPlan(0, 0, 20)), costOf(truth, world, truth.bestPlan(1, 0, 20)));
}

TEST(Truth, plansNativeWhereNoCallIsMade) {
  World world = smallWorld(4, 10);
  world.keys.push_back({2, {.count = 8, .element_size = 8}});
  EXPECT_EQ(Truth(world).bestPlan(1, 0, 10).choice, kNativeChoice);
}

TEST(Truth, isTheSameInWhateverOrderItIsAsked) {
  World world = smallWorld(8, 2, {oneLate(8, 3, {1e-3}), oneLate(8, 5, {2e-3})});
  world.calls[1].pattern = 1;
  struct Question {
    std::size_t call;
    Choice choice;
    std::vector<PlacedRank> placed;
  };
  std::vector<Question> questions;
  for (const std::size_t call : {0, 1}) {
    for (const char* name : {"native", "ring", "slt:segments=16", "late_join"}) {
      for (const double lateness : {0.98e-3, 1e-3, 1.02e-3, 1.9e-3}) {
        questions.push_back({call, choiceNamed(name), placedLast(8, 3, {lateness})});
      }
    }
  }
  const auto answersOf = [&](bool backwards) {
    Truth truth(world);
    std::vector<Seconds> answers(questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const std::size_t asked = backwards ? questions.size() - 1 - i : i;
      const Question& question = questions[asked];
      answers[asked] = truth.timeOf(world.calls[question.call], question.choice, question.placed);
    }
    return answers;
  };
  EXPECT_EQ(answersOf(false), answersOf(true));
}

TEST(Truth, isDefinedForTwoRanksAndOneElement) {
  World world = smallWorld(2, 1);
  world.keys.front().signature.count = 1;
  Truth truth(world);
  EXPECT_GT(truth.timeOf(world.calls.front(), kNativeChoice, {}), Seconds{});
  const Arranged best = truth.bestPlan(0, 0, 1);
  EXPECT_GT(truth.timeOf(world.calls.front(), best.choice, best.placed), Seconds{});
}

}  // namespace
}  // namespace starling::gym
