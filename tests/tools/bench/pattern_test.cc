#include "pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace starling::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Seconds kDelay{0.1};

std::vector<double> of(const char* pattern, std::int32_t ranks, std::int32_t first_late = 1, std::uint64_t seed = 1) {
  std::vector<double> values;
  for (const Seconds lateness : latenesses(parsePattern(pattern).value(), ranks, kDelay, first_late, seed)) {
    values.push_back(lateness.value);
  }
  return values;
}

TEST(Pattern, anyLateDelaysOneRankAndInTimeEveryOne) {
  const Pattern pattern = parsePattern("any-late").value();
  std::set<std::size_t> late_ranks;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<Seconds> lateness = latenesses(pattern, 5, Seconds{0.1}, 1, seed);
    EXPECT_EQ(std::count(lateness.begin(), lateness.end(), Seconds{0.1}), 1);
    EXPECT_EQ(std::count(lateness.begin(), lateness.end(), Seconds{}), 4);
    late_ranks.insert(std::max_element(lateness.begin(), lateness.end()) - lateness.begin());
  }
  EXPECT_EQ(late_ranks.size(), 5U);
}

TEST(Pattern, namesComeBack) {
  for (const char* name : {"none", "one-late", "any-late", "rand-late", "late:3", "gamma", "gaussian", "ramp",
                           "alternate", "staircase", "phases", "recorded:tuning.db:3", "recorded:a:b.db:halo"}) {
    EXPECT_EQ(formatPattern(parsePattern(name).value()), name);
  }
}

TEST(Pattern, unknownNamesAreErrorsThatListTheKnownOnes) {
  EXPECT_THAT(parsePattern("late").status().message(), HasSubstr("rand-late"));
  EXPECT_THAT(parsePattern("late:").status().message(), HasSubstr("late:2"));
  EXPECT_THAT(parsePattern("late:2x").status().message(), HasSubstr("late:2"));
  EXPECT_THAT(parsePattern("late:-1").status().message(), HasSubstr("late:2"));
  for (const char* text : {"recorded:", "recorded:3", "recorded::3", "recorded:tuning.db:"}) {
    EXPECT_THAT(parsePattern(text).status().message(), HasSubstr("recorded:tuning.db:3")) << text;
  }
}

TEST(Pattern, fixedPatternsAreWhatTheirNamesSay) {
  EXPECT_THAT(of("none", 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(of("one-late", 4), ElementsAre(0, 0.1, 0, 0));
  EXPECT_THAT(of("late:2", 4, 3), ElementsAre(0.1, 0, 0, 0.1));
  EXPECT_THAT(of("late:3", 3), ElementsAre(0.1, 0.1, 0.1));
  EXPECT_THAT(of("ramp", 3), ElementsAre(0, 0.05, 0.1));
  EXPECT_THAT(of("alternate", 5), ElementsAre(0, 0.1, 0, 0.1, 0));
  const auto second = testing::DoubleEq(0.1 * 6 / 28);
  const auto third = testing::DoubleEq(0.1 * 19 / 28);
  EXPECT_THAT(of("staircase", 4), ElementsAre(0, second, third, 0.1));
  EXPECT_THAT(of("staircase", 6), ElementsAre(0, 0, second, third, third, 0.1));
  EXPECT_THAT(of("staircase", 2), ElementsAre(third, 0.1));
}

TEST(Pattern, oneRankIsAlwaysValid) {
  for (const char* name : {"none", "one-late", "ramp", "alternate", "gamma"}) EXPECT_EQ(of(name, 1).size(), 1U);
}

TEST(Pattern, randomPatternsChangeWithTheSeedOnly) {
  for (const char* name : {"rand-late", "gamma", "gaussian"}) {
    EXPECT_TRUE(isRandom(parsePattern(name).value()));
    EXPECT_EQ(of(name, 8, 1, 5), of(name, 8, 1, 5)) << name;
    EXPECT_NE(of(name, 8, 1, 5), of(name, 8, 1, 6)) << name;
  }
  EXPECT_FALSE(isRandom(parsePattern("ramp").value()));
}

std::vector<std::string> namesOf(const std::vector<Phase>& phases) {
  std::vector<std::string> names;
  for (const Phase& phase : phases) names.push_back(phase.name);
  return names;
}

TEST(Phases, theLateRankMovesByHalfTheCommunicatorThenNobodyIsLateThenAnyone) {
  const Pattern pattern = parsePattern("phases").value();
  const std::vector<Phase> phases = phasesOf(pattern, 8, 1);
  EXPECT_THAT(namesOf(phases), ElementsAre("rank_1", "rank_5", "nobody", "any_rank"));
  EXPECT_EQ(latenesses(phases[0].pattern, 8, kDelay, phases[0].first_late, 1)[1], kDelay);
  EXPECT_EQ(latenesses(phases[1].pattern, 8, kDelay, phases[1].first_late, 1)[5], kDelay);
  EXPECT_EQ(phases[2].pattern.kind, PatternKind::kNone);
  EXPECT_EQ(phases[3].pattern.kind, PatternKind::kAnyLate);
}

TEST(Phases, twoRanksAreLateOneAfterTheOtherHoweverFewThereAre) {
  const Pattern pattern = parsePattern("phases").value();
  for (std::int32_t ranks = 2; ranks <= 9; ++ranks) {
    for (std::int32_t first = 0; first < ranks; ++first) {
      const std::vector<Phase> phases = phasesOf(pattern, ranks, first);
      EXPECT_EQ(phases[0].first_late, first);
      EXPECT_NE(phases[1].first_late, first) << ranks << " ranks";
      EXPECT_LT(phases[1].first_late, ranks);
    }
  }
}

TEST(Phases, otherPatternsAreOnePhaseOfTheirOwn) {
  const Pattern pattern = parsePattern("late:2").value();
  const std::vector<Phase> phases = phasesOf(pattern, 4, 3);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].pattern, pattern);
  EXPECT_EQ(phases[0].first_late, 3);
  for (const std::uint64_t call : {0, 4, 5, 1000}) EXPECT_EQ(phaseOfCall(call, 5, 1), 0U);
}

TEST(Phases, haveEquallyManyCallsAndCallsToWarmUpAreOfTheFirst) {
  std::vector<std::size_t> found;
  for (std::uint64_t call = 0; call < 10; ++call) found.push_back(phaseOfCall(call, 8, 4));
  EXPECT_THAT(found, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 0, 0));
}

struct Moments {
  double mean;
  double deviation;
  double least;
  double most;
};

Moments momentsOf(const char* name) {
  constexpr std::int32_t kRanks = 100'000;
  const std::vector<double> values = of(name, kRanks, 1, 42);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / kRanks;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {mean, std::sqrt(squares / kRanks), *least, *most};
}

// Five standard errors of 100,000 values are below 0.5 % of the delay.
TEST(Pattern, distributionsHaveTheirMoments) {
  const Moments uniform = momentsOf("rand-late");
  EXPECT_NEAR(uniform.mean, 0.05, 0.0005);
  EXPECT_LE(uniform.most, 0.1);
  EXPECT_GE(uniform.least, 0.0);
  const Moments gamma = momentsOf("gamma");
  EXPECT_NEAR(gamma.mean, 0.1, 0.0012);
  EXPECT_NEAR(gamma.deviation, 0.1 / std::sqrt(2.0), 0.0015);
  const Moments gaussian = momentsOf("gaussian");
  EXPECT_NEAR(gaussian.mean, 0.1, 0.0005);
  EXPECT_NEAR(gaussian.deviation, 0.025, 0.0005);
  EXPECT_GE(gaussian.least, 0.0);
}

}  // namespace
}  // namespace starling::bench
