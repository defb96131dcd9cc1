#include "tuner/rooted/agreed_lateness.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace starling {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kUptime = 4'000'000'000'000'000;

Values inForce(const AgreedLateness& lateness) { return {lateness.latenessNs().begin(), lateness.latenessNs().end()}; }

TEST(AgreedLateness, isNothingAtFirstAndThenTheDifferencesOfStamps) {
  AgreedLateness lateness(3);
  EXPECT_EQ(inForce(lateness), (Values{0, 0, 0}));
  EXPECT_TRUE(lateness.update(Values{kUptime, kUptime + 70 * kMs, kUptime + 40 * kMs}, 0));
  EXPECT_EQ(inForce(lateness), (Values{0, 70 * kMs, 40 * kMs}));
}

TEST(AgreedLateness, countsDifferencesThatAreSmallBesideTheLargestAsNone) {
  AgreedLateness lateness(4);
  EXPECT_TRUE(lateness.update(Values{5 * kMs, 10 * kMs, 11 * kMs, 105 * kMs}, 0));
  EXPECT_EQ(inForce(lateness), (Values{0, 0, 0, 100 * kMs}));
  EXPECT_FALSE(AgreedLateness(2).update(Values{0, 19'000}, 0));
}

TEST(AgreedLateness, staysUntilAPatternDiffersByMoreThanNoise) {
  AgreedLateness lateness(2);
  EXPECT_TRUE(lateness.update(Values{0, 100 * kMs}, 0));
  EXPECT_FALSE(lateness.update(Values{3 * kMs, 108 * kMs}, 0));
  EXPECT_EQ(inForce(lateness), (Values{0, 100 * kMs}));
  EXPECT_TRUE(lateness.update(Values{0, 130 * kMs}, 0));
  EXPECT_TRUE(lateness.update(Values{130 * kMs, 0}, 0));
  EXPECT_EQ(inForce(lateness), (Values{130 * kMs, 0}));
  EXPECT_TRUE(lateness.update(Values{kUptime, kUptime + 10'000}, 0));
  EXPECT_EQ(inForce(lateness), (Values{0, 0}));
}

TEST(AgreedLateness, countsDifferencesWithinTheErrorOfTheClocksAsNone) {
  AgreedLateness lateness(3);
  EXPECT_FALSE(lateness.update(Values{0, 40 * kMs, 90 * kMs}, 100 * kMs));
  EXPECT_TRUE(lateness.update(Values{0, 40 * kMs, 90 * kMs}, 50 * kMs));
  EXPECT_EQ(inForce(lateness), (Values{0, 0, 90 * kMs}));
}

TEST(AgreedLateness, isBounded) {
  AgreedLateness lateness(2);
  EXPECT_TRUE(lateness.update(Values{0, std::numeric_limits<std::int64_t>::max() / 2}, 0));
  EXPECT_LT(inForce(lateness)[1], 1'000'000'000'000'000);
}

}  // namespace
}  // namespace starling
