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
  for (const char* name :
       {"none", "one-late", "any-late", "rand-late", "late:3", "gamma", "gaussian", "ramp", "alternate"}) {
    EXPECT_EQ(formatPattern(parsePattern(name).value()), name);
  }
}

TEST(Pattern, unknownNamesAreErrorsThatListTheKnownOnes) {
  EXPECT_THAT(parsePattern("late").status().message(), HasSubstr("rand-late"));
  EXPECT_THAT(parsePattern("late:").status().message(), HasSubstr("late:2"));
  EXPECT_THAT(parsePattern("late:2x").status().message(), HasSubstr("late:2"));
  EXPECT_THAT(parsePattern("late:-1").status().message(), HasSubstr("late:2"));
}

TEST(Pattern, fixedPatternsAreWhatTheirNamesSay) {
  EXPECT_THAT(of("none", 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(of("one-late", 4), ElementsAre(0, 0.1, 0, 0));
  EXPECT_THAT(of("late:2", 4, 3), ElementsAre(0.1, 0, 0, 0.1));
  EXPECT_THAT(of("late:3", 3), ElementsAre(0.1, 0.1, 0.1));
  EXPECT_THAT(of("ramp", 3), ElementsAre(0, 0.05, 0.1));
  EXPECT_THAT(of("alternate", 5), ElementsAre(0, 0.1, 0, 0.1, 0));
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
