#include "summary.h"

#include <gtest/gtest.h>

namespace starling::bench {
namespace {

TEST(Distribution, ofOddAndEvenNumbersOfValues) {
  const Distribution odd = distributionOf({{3.0}, {1.0}, {2.0}});
  EXPECT_DOUBLE_EQ(odd.mean.value, 2.0);
  EXPECT_DOUBLE_EQ(odd.minimum.value, 1.0);
  EXPECT_DOUBLE_EQ(odd.median.value, 2.0);
  EXPECT_DOUBLE_EQ(odd.p99.value, 3.0);
  EXPECT_DOUBLE_EQ(distributionOf({{4.0}, {1.0}}).median.value, 2.5);
  EXPECT_DOUBLE_EQ(distributionOf({{4.0}}).p99.value, 4.0);
}

TEST(Distribution, p99LeavesOneOfAHundredAbove) {
  std::vector<Seconds> values;
  for (int i = 1; i <= 200; ++i) values.push_back({static_cast<double>(i)});
  EXPECT_DOUBLE_EQ(distributionOf(values).p99.value, 198.0);
}

TEST(CallTimes, elapsedCountsFromArrivalAndPostArrivalFromTheLastOne) {
  const std::vector<Seconds> arrivals{{0.0}, {10.0}};
  const std::vector<Seconds> exits{{12.0}, {14.0}};
  const CallTimes times = callTimes(arrivals, exits);
  EXPECT_DOUBLE_EQ(times.elapsed.value, 8.0);
  EXPECT_DOUBLE_EQ(times.post_arrival.value, 3.0);
}

TEST(SumsOfPhases, callsCountForTheirPhase) {
  const std::vector<Phase> phases{{"rank_1", {}, 1}, {"nobody", {}, 1}};
  const std::vector<Seconds> times{{1.0}, {2.0}, {4.0}, {8.0}};
  const std::vector<PhaseSum> sums = sumsOfPhases(phases, times);
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].name, "rank_1");
  EXPECT_DOUBLE_EQ(sums[0].post_arrival.value, 3.0);
  EXPECT_EQ(sums[1].name, "nobody");
  EXPECT_DOUBLE_EQ(sums[1].post_arrival.value, 12.0);
}

Summary summaryOf(const char* algorithm, double post_arrival) {
  Summary summary;
  summary.algorithm = algorithm;
  summary.bytes = 1000;
  summary.post_arrival.mean = {post_arrival};
  return summary;
}

TEST(RelateToRing, givesRatioAndShare) {
  std::vector<Summary> summaries{summaryOf("slt", 12.0), summaryOf("ring", 20.0)};
  relateToRing(summaries, 1e7);  // 1000 bytes take 10 s
  EXPECT_DOUBLE_EQ(*summaries[0].ratio_to_ring, 20.0 / 12.0);
  EXPECT_DOUBLE_EQ(*summaries[0].share_of_saving, 0.8);
  EXPECT_DOUBLE_EQ(*summaries[1].share_of_saving, 0.0);
}

TEST(RelateToRing, takesTheRingWithItsDefaultsWhereThereAreSeveral) {
  std::vector<Summary> summaries{summaryOf("ring", 40.0), summaryOf("ring", 20.0)};
  summaries[0].choice = "ring:window=16";
  summaries[1].choice = "ring";
  relateToRing(summaries, std::nullopt);
  EXPECT_DOUBLE_EQ(*summaries[0].ratio_to_ring, 0.5);
  EXPECT_DOUBLE_EQ(*summaries[1].ratio_to_ring, 1.0);
}

TEST(RelateToRing, claimsNothingWithoutRingOrBeta) {
  std::vector<Summary> summaries{summaryOf("slt", 12.0)};
  relateToRing(summaries, 1e7);
  EXPECT_FALSE(summaries[0].ratio_to_ring);
  summaries.push_back(summaryOf("ring", 20.0));
  relateToRing(summaries, std::nullopt);
  EXPECT_TRUE(summaries[0].ratio_to_ring);
  EXPECT_FALSE(summaries[0].share_of_saving);
  relateToRing(summaries, 1e8);  // the bound is above the ring: nothing can be saved
  EXPECT_FALSE(summaries[0].share_of_saving);
}

}  // namespace
}  // namespace starling::bench
