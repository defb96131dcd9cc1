#include "world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "estimators/statistics.h"

namespace starling::gym {
namespace {

constexpr std::uint64_t kAllKinds = 968;

// The first world of a kind of noise; its arrivals are balanced.
World worldOf(NoiseKind noise, std::int32_t calls) {
  return makeWorld(static_cast<std::uint64_t>(noise) * kArrivalKinds, calls);
}

World worldOf(ArrivalKind arrivals) { return makeWorld(static_cast<std::uint64_t>(arrivals)); }

std::vector<double> logarithmsOfNoise(const World& world) {
  std::vector<double> values;
  for (const WorldCall& call : world.calls) values.push_back(std::log(call.noise));
  return values;
}

std::size_t latestOf(const std::vector<Seconds>& pattern) {
  return static_cast<std::size_t>(std::ranges::max_element(pattern) - pattern.begin());
}

std::ptrdiff_t lateRanksOf(const std::vector<Seconds>& pattern) {
  return std::ranges::count_if(pattern, [](Seconds one) { return one > Seconds{}; });
}

void expectEqual(const World& a, const World& b) {
  EXPECT_EQ(a.describe(), b.describe());
  EXPECT_EQ(a.change, b.change);
  EXPECT_EQ(a.first_call, b.first_call);
  EXPECT_EQ(a.belief.alpha, b.belief.alpha);
  EXPECT_EQ(a.patterns, b.patterns);
  ASSERT_EQ(a.machines.size(), b.machines.size());
  for (std::size_t i = 0; i < a.machines.size(); ++i) EXPECT_EQ(a.machines[i].row_factors, b.machines[i].row_factors);
  ASSERT_EQ(a.calls.size(), b.calls.size());
  for (std::size_t i = 0; i < a.calls.size(); ++i) {
    EXPECT_EQ(a.calls[i].key, b.calls[i].key);
    EXPECT_EQ(a.calls[i].pattern, b.calls[i].pattern);
    EXPECT_EQ(a.calls[i].noise, b.calls[i].noise);
  }
}

void expectPatternsHold(const World& world) {
  for (const std::vector<Seconds>& pattern : world.patterns) {
    ASSERT_EQ(pattern.size(), static_cast<std::size_t>(world.ranks));
    EXPECT_EQ(*std::ranges::min_element(pattern), Seconds{});
    EXPECT_TRUE(std::ranges::all_of(pattern, [](Seconds one) { return std::isfinite(one.value); }));
  }
}

void expectCallsHold(const World& world) {
  const auto isIndexOf = [](std::int32_t index, const auto& list) {
    return index >= 0 && static_cast<std::size_t>(index) < list.size();
  };
  std::int32_t communicator = 0;
  for (const WorldCall& call : world.calls) {
    EXPECT_TRUE(isIndexOf(call.key, world.keys));
    EXPECT_TRUE(isIndexOf(call.pattern, world.patterns));
    EXPECT_TRUE(isIndexOf(call.machine, world.machines));
    EXPECT_TRUE(call.communicator == communicator || call.communicator == communicator + 1);
    communicator = call.communicator;
    EXPECT_GT(call.noise, 0.0);
    EXPECT_GE(call.noise_in_step, call.noise);
    EXPECT_GE(call.warm_up, 1.0);
  }
}

TEST(MakeWorld, makesEqualWorldsOfEqualSeedsAndOthersOfOthers) {
  for (const std::uint64_t seed : {0, 7, 95, 500}) expectEqual(makeWorld(seed, 200), makeWorld(seed, 200));
  EXPECT_NE(makeWorld(0).belief.alpha, makeWorld(kAllKinds).belief.alpha);
}

TEST(MakeWorld, makesEachKindOfEachWithEachOther) {
  std::set<std::tuple<ArrivalKind, NoiseKind, ProgramKind>> kinds;
  for (std::uint64_t seed = 0; seed < kAllKinds; ++seed) {
    const World world = makeWorld(seed, 10);
    kinds.emplace(world.arrivals, world.noise.kind, world.program);
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kArrivalKinds * kNoiseKinds * kProgramKinds));
}

TEST(MakeWorld, makesOnlyWhatCanBePlayed) {
  constexpr std::int32_t kCalls = 100;
  for (std::uint64_t seed = 0; seed < kAllKinds; ++seed) {
    const World world = makeWorld(seed, kCalls);
    SCOPED_TRACE(fmt::format("world {}: {}", seed, world.describe()));
    ASSERT_EQ(world.calls.size(), static_cast<std::size_t>(kCalls));
    expectPatternsHold(world);
    expectCallsHold(world);
    EXPECT_GE(world.change, 0);
    EXPECT_LT(world.change, kCalls);
    EXPECT_GE(world.first_call, 1.0);
    for (const WorldKey& key : world.keys) EXPECT_GE(key.signature.count, 1);
    for (const Machine& machine : world.machines) EXPECT_GT(machine.native_factor, 0.0);
  }
}

TEST(MakeWorld, hasTwoSizesOfOneSizeClass) {
  std::set<std::int64_t> sizes;
  for (std::uint64_t seed = 0; seed < 20 * kAllKinds; seed += kArrivalKinds) {
    const World world = makeWorld(seed, 10);
    if (world.program != ProgramKind::kTwoSizes) continue;
    const std::int64_t bytes = world.keys[0].signature.bytes();
    sizes.insert(bytes);
    EXPECT_EQ(sizeClass(bytes), sizeClass(world.keys[1].signature.bytes())) << bytes << " bytes";
    EXPECT_EQ(world.keys[0].line, world.keys[1].line);
    EXPECT_LE(world.keys[1].signature.bytes(), bytes);
  }
  for (const std::int64_t bytes : {8, 16, 32, 64})
    EXPECT_TRUE(sizes.contains(bytes)) << bytes << " bytes are not tried";
}

TEST(MakeWorld, changesArrivalsOrCostsForGoodWhereItSaysSo) {
  for (int kind = 0; kind < kArrivalKinds; ++kind) {
    const World world = worldOf(static_cast<ArrivalKind>(kind));
    SCOPED_TRACE(nameOf(world.arrivals));
    const bool moves = world.arrivals == ArrivalKind::kMovedRank;
    const bool costs = world.arrivals == ArrivalKind::kSlowerMachine || world.arrivals == ArrivalKind::kOtherAlgorithm;
    EXPECT_EQ(world.change > 0, moves || costs);
    EXPECT_EQ(world.machines.size(), costs ? 2U : 1U);
    for (std::size_t i = 0; i < world.calls.size(); ++i) {
      const bool is_after = world.change > 0 && i >= static_cast<std::size_t>(world.change);
      EXPECT_EQ(world.calls[i].machine == 1, is_after && costs);
      if (moves) {
        EXPECT_EQ(world.calls[i].pattern >= 16, is_after);
      }
    }
  }
}

TEST(MakeWorld, doublesAllTimesOfASlowerMachine) {
  const World world = worldOf(ArrivalKind::kSlowerMachine);
  // Native's time is a multiple of what rows take.
  EXPECT_EQ(world.machines[1].native_factor, world.machines[0].native_factor);
  for (std::size_t row = 0; row < world.machines[0].row_factors.size(); ++row) {
    EXPECT_EQ(world.machines[1].row_factors[row], 2.0 * world.machines[0].row_factors[row]);
  }
}

TEST(MakeWorld, isLateAsItsKindSays) {
  for (std::uint64_t seed = 0; seed < kAllKinds; ++seed) {
    const World world = makeWorld(seed, 100);
    SCOPED_TRACE(fmt::format("world {}: {}", seed, world.describe()));
    const std::vector<std::vector<Seconds>>& patterns = world.patterns;
    std::set<std::size_t> latest;
    for (const std::vector<Seconds>& pattern : patterns) latest.insert(latestOf(pattern));
    switch (world.arrivals) {
      case ArrivalKind::kBalanced:
      case ArrivalKind::kSlowerMachine:
      case ArrivalKind::kOtherAlgorithm:
        ASSERT_EQ(patterns.size(), 1U);
        EXPECT_EQ(lateRanksOf(patterns[0]), 0);
        break;
      case ArrivalKind::kOneLate:
      case ArrivalKind::kTwoSites:
      case ArrivalKind::kDrift:
        EXPECT_EQ(latest.size(), 1U);
        for (const std::vector<Seconds>& pattern : patterns) EXPECT_EQ(lateRanksOf(pattern), 1);
        break;
      case ArrivalKind::kMovedRank:
        EXPECT_EQ(latest.size(), 2U);
        EXPECT_NE(latestOf(patterns.front()), latestOf(patterns.back()));
        break;
      case ArrivalKind::kRandomRank:
        for (const std::vector<Seconds>& pattern : patterns) EXPECT_EQ(lateRanksOf(pattern), 1);
        EXPECT_GT(latest.size(), 1U);
        break;
      case ArrivalKind::kStaircase:
        for (const std::vector<Seconds>& pattern : patterns) EXPECT_EQ(pattern.front(), Seconds{});
        break;
      case ArrivalKind::kAllRandom:
        EXPECT_EQ(patterns.size(), 16U);
        break;
      case ArrivalKind::kPeriodic:
        ASSERT_EQ(patterns.size(), 2U);
        EXPECT_EQ(lateRanksOf(patterns[0]), 0);
        EXPECT_EQ(latestOf(patterns[1]), 0U);
        for (std::size_t i = 0; i < world.calls.size(); ++i) EXPECT_EQ(world.calls[i].pattern, i % 50 == 49 ? 1 : 0);
        break;
      case ArrivalKind::kBecomesLate:
      case ArrivalKind::kLateNoMore:
      case ArrivalKind::kAlternating:
        FAIL() << "takes no turn in the first round of all kinds";
    }
  }
}

TEST(MakeWorld, hasTwoRanksInTurnForPeriodicArrivalsInEveryOtherRound) {
  int alternating = 0;
  for (std::uint64_t seed = 0; seed < 2 * kAllKinds; ++seed) {
    const World world = makeWorld(seed, 10);
    EXPECT_EQ(world.arrivals == ArrivalKind::kPeriodic, seed % kArrivalKinds == 8 && seed < kAllKinds);
    if (world.arrivals != ArrivalKind::kAlternating) continue;
    ++alternating;
    for (std::size_t i = 0; i + 1 < world.calls.size(); ++i) {
      const auto latest = [&](std::size_t call) {
        return latestOf(world.patterns[static_cast<std::size_t>(world.calls[call].pattern)]);
      };
      EXPECT_NE(latest(i), latest(i + 1));
      EXPECT_EQ(latest(i % 2), latest(i));
    }
  }
  EXPECT_EQ(alternating, static_cast<int>(kAllKinds) / kArrivalKinds);
}

TEST(MakeWorld, hasARankThatBeginsOrCeasesToBeLateInEveryOtherRound) {
  int begins = 0;
  int ceases = 0;
  for (std::uint64_t seed = kAllKinds; seed < 2 * kAllKinds; ++seed) {
    const World world = makeWorld(seed, 100);
    EXPECT_NE(world.arrivals, ArrivalKind::kBalanced);
    EXPECT_NE(world.arrivals, ArrivalKind::kOneLate);
    const bool becomes_late = world.arrivals == ArrivalKind::kBecomesLate;
    if (!becomes_late && world.arrivals != ArrivalKind::kLateNoMore) continue;
    ++(becomes_late ? begins : ceases);
    ASSERT_GT(world.change, 0);
    for (std::size_t i = 0; i < world.calls.size(); ++i) {
      const bool is_late = becomes_late == (std::cmp_greater_equal(i, world.change));
      EXPECT_EQ(lateRanksOf(world.patterns[static_cast<std::size_t>(world.calls[i].pattern)]), is_late ? 1 : 0);
    }
  }
  EXPECT_EQ(begins, static_cast<int>(kAllKinds) / kArrivalKinds);
  EXPECT_EQ(ceases, begins);
}

TEST(MakeWorld, latenessDriftsUpwards) {
  const World world = worldOf(ArrivalKind::kDrift);
  Seconds before;
  for (const WorldCall& call : world.calls) {
    const Seconds now = *std::ranges::max_element(world.patterns[static_cast<std::size_t>(call.pattern)]);
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(MakeWorld, oneOfTwoSitesIsHardlyLate) {
  const World world = worldOf(ArrivalKind::kTwoSites);
  ASSERT_EQ(world.keys.size(), 2U);
  for (const WorldCall& call : world.calls) {
    const Seconds late = *std::ranges::max_element(world.patterns[static_cast<std::size_t>(call.pattern)]);
    const Seconds other = *std::ranges::max_element(world.patterns[call.key == 0 ? 16 : 0]);
    EXPECT_TRUE(call.key == 0 ? late > 100.0 * other : 100.0 * late < other);
  }
}

TEST(Noise, isNoneWhereItSaysSo) {
  for (const WorldCall& call : worldOf(NoiseKind::kNone, 1000).calls) EXPECT_EQ(call.noise, 1.0);
}

TEST(Noise, isNormalOrLogNormalOfTheStatedDeviation) {
  for (const NoiseKind kind : {NoiseKind::kNormal, NoiseKind::kElapsedOnly}) {
    const World world = worldOf(kind, 20'000);
    std::vector<double> noise;
    for (const WorldCall& call : world.calls) noise.push_back(call.noise);
    const Summary summary = summarize(noise);
    EXPECT_NEAR(summary.mean, 1.0, 0.03 * world.noise.deviation);
    EXPECT_NEAR(summary.deviation, world.noise.deviation, 0.03 * world.noise.deviation);
  }
  for (const NoiseKind kind : {NoiseKind::kLogNormal, NoiseKind::kCoarseClock}) {
    const World world = worldOf(kind, 20'000);
    const Summary summary = summarize(logarithmsOfNoise(world));
    EXPECT_NEAR(summary.mean, 0.0, 0.03 * world.noise.deviation);
    EXPECT_NEAR(summary.deviation, world.noise.deviation, 0.03 * world.noise.deviation);
  }
}

TEST(Noise, isAlikeInNeighbouringCallsWhereItIsCorrelated) {
  const World world = worldOf(NoiseKind::kCorrelated, 100'000);
  const std::vector<double> noise = logarithmsOfNoise(world);
  const Summary summary = summarize(noise);
  double product = 0.0;
  for (std::size_t i = 1; i < noise.size(); ++i) product += noise[i - 1] * noise[i];
  const double variance = summary.deviation * summary.deviation;
  EXPECT_NEAR(product / static_cast<double>(noise.size()) / variance, 0.95, 0.01);
  EXPECT_NEAR(summary.deviation, world.noise.deviation, 0.1 * world.noise.deviation);
}

TEST(Noise, makesOneCallInAHundredTenTimesAsLongWithOutliers) {
  const World world = worldOf(NoiseKind::kOutliers, 100'000);
  std::vector<double> usual;
  std::vector<double> outliers;
  for (const WorldCall& call : world.calls) (call.noise > 5.0 ? outliers : usual).push_back(call.noise);
  EXPECT_NEAR(static_cast<double>(outliers.size()), 1000.0, 100.0);
  EXPECT_NEAR(summarize(usual).mean, 1.0, 0.01);
  EXPECT_NEAR(summarize(outliers).mean, 10.0, 0.1);
}

TEST(Noise, ofANeighbourSlowsAllForAWhileAndRowsInStepMost) {
  const World world = worldOf(NoiseKind::kNeighbour, 100'000);
  std::size_t busy = 0;
  std::size_t turns = 0;
  bool was_busy = false;
  std::vector<double> in_step;
  for (const WorldCall& call : world.calls) {
    const bool is_busy = call.noise > 1.25;
    const double more = call.noise_in_step / call.noise;
    if (is_busy)
      in_step.push_back(more);
    else
      EXPECT_DOUBLE_EQ(more, 1.0);
    busy += is_busy ? 1 : 0;
    turns += is_busy && !was_busy ? 1 : 0;
    was_busy = is_busy;
  }
  EXPECT_NEAR(static_cast<double>(busy) / 100'000, 0.25, 0.03);
  EXPECT_NEAR(static_cast<double>(busy) / static_cast<double>(turns), 33.0, 4.0);
  EXPECT_GE(*std::ranges::min_element(in_step), 1.5);
  EXPECT_NEAR(summarize(in_step).median, 1.5 * std::exp(0.5 * 0.674), 0.05) << "half of them are further off";
}

TEST(Noise, hasATickWhereTheClockIsCoarseAlone) {
  for (int kind = 0; kind < kNoiseKinds; ++kind) {
    const World world = worldOf(static_cast<NoiseKind>(kind), 10);
    EXPECT_EQ(world.noise.tick > Seconds{}, world.noise.kind == NoiseKind::kCoarseClock) << nameOf(world.noise.kind);
  }
}

}  // namespace
}  // namespace starling::gym
