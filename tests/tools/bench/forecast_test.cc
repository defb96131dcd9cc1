#include "forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pattern.h"

namespace starling::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Seconds> kOneLate{{0.0}, {0.05}, {0.0}, {0.0}};

TEST(Forecast, inRankOrderHasTheLatenessesByRank) {
  const Forecast forecast{.table = {2, 0, 1}, .lateness_ns = {0, 5, 9}};
  const Forecast ordered = inRankOrder(forecast);
  EXPECT_EQ(ordered.table, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(ordered.lateness_ns, (std::vector<std::int64_t>{5, 9, 0}));
}

TEST(Forecast, latestRankComesLast) {
  const Forecast forecast = forecastOf(kOneLate, Seconds{});
  EXPECT_THAT(forecast.table, ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(forecast.lateness_ns, ElementsAre(0, 0, 0, 50'000'000));
}

TEST(Forecast, latenessWithinTheNoiseIsNone) {
  const std::vector<Seconds> lateness{{0.0}, {0.001}, {0.05}};
  EXPECT_THAT(forecastOf(lateness, Seconds{0.002}).lateness_ns, ElementsAre(0, 0, 50'000'000));
}

TEST(Forecast, countsFromTheEarliest) {
  const std::vector<Seconds> lateness{{0.02}, {0.03}};
  EXPECT_THAT(forecastOf(lateness, Seconds{}).lateness_ns,
              ElementsAre(0, testing::AllOf(testing::Ge(9'999'999), testing::Le(10'000'000))));
}

TEST(Misplaced, delaysOtherRanks) {
  for (std::size_t ranks = 2; ranks <= 9; ++ranks) {
    std::vector<Seconds> lateness(ranks);
    lateness[1] = Seconds{1.0};
    const std::vector<Seconds> other = misplaced(lateness);
    EXPECT_EQ(other[1].value, 0.0) << ranks;
    EXPECT_EQ(std::count(other.begin(), other.end(), Seconds{1.0}), 1) << ranks;
  }
}

TEST(Misplaced, isNeverTheTruth) {
  for (std::int32_t ranks = 2; ranks <= 20; ++ranks) {
    for (const char* name : {"one-late", "alternate", "ramp"}) {
      const Pattern pattern = parsePattern(name).value();
      const std::vector<Seconds> lateness = latenesses(pattern, ranks, Seconds{1.0}, 1, 1);
      EXPECT_NE(misplaced(lateness), lateness) << name << ", " << ranks << " ranks";
    }
  }
}

TEST(Predict, namesComeBackAndOthersAreErrors) {
  for (const char* name : {"perfect", "none", "wrong", "learned"}) {
    EXPECT_STREQ(predictName(parsePredict(name).value()), name);
  }
  EXPECT_THAT(parsePredict("guess").status().message(), HasSubstr("perfect, none, wrong or learned"));
}

}  // namespace
}  // namespace starling::bench
