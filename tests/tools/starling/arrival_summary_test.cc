#include "arrival_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace starling::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const KeyId kKey = exampleKeyId("label:pressure");

std::vector<RankArrival> ranksAt(const std::vector<double>& latenesses, double deviation) {
  std::vector<ArrivalRecord> records;
  for (std::size_t i = 0; i < latenesses.size(); ++i) {
    records.push_back(arrival(kKey, 0, static_cast<std::int32_t>(i), latenesses[i], deviation, latenesses[i]));
  }
  return summarizeArrivals(records);
}

TEST(ArrivalSummary, joinsTheEpochsOfARank) {
  const auto ranks =
      summarizeArrivals(std::vector{arrival(kKey, 0, 1, 0.010, 0.0, 0.013), arrival(kKey, 1, 1, 0.014, 0.0, 0.020)});
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 1);
  EXPECT_EQ(ranks[0].samples, 8);
  EXPECT_DOUBLE_EQ(ranks[0].lateness.value, 0.012);
  EXPECT_NEAR(ranks[0].deviation.value, 0.002, 1e-12);
  EXPECT_DOUBLE_EQ(ranks[0].predicted.value, 0.020);
}

TEST(ArrivalSummary, scoresAPredictionByTheNextEpoch) {
  const auto ranks =
      summarizeArrivals(std::vector{arrival(kKey, 0, 1, 0.010, 0.0, 0.013), arrival(kKey, 1, 1, 0.014, 0.0, 0.020)});
  ASSERT_TRUE(ranks[0].prediction_error.has_value());
  EXPECT_NEAR(ranks[0].prediction_error->value, 0.001, 1e-12);
  EXPECT_FALSE(ranksAt({0.0, 0.1}, 0.0)[0].prediction_error.has_value());
}

TEST(ArrivalSummary, oneLateRankStandsOut) {
  const auto ranks = ranksAt({0.0, 0.0003, 0.050, 0.0002}, 0.0005);
  ASSERT_NE(standingOut(ranks), nullptr);
  EXPECT_EQ(standingOut(ranks)->rank, 2);
  EXPECT_THAT(describeLatest(ranks), StartsWith("Rank 2 stands out: it comes 50.0 ms after the first"));
  EXPECT_THAT(describeLatest(ranks), HasSubstr("49.7 ms after the last of the others"));
}

TEST(ArrivalSummary, nobodyStandsOutOfARampOrOfNoise) {
  EXPECT_EQ(standingOut(ranksAt({0.0, 0.010, 0.020, 0.030}, 0.0001)), nullptr);
  EXPECT_EQ(standingOut(ranksAt({0.0, 0.001, 0.050}, 0.100)), nullptr);
  EXPECT_EQ(standingOut(ranksAt({0.0, 0.0}, 0.0)), nullptr);
  EXPECT_THAT(describeLatest(ranksAt({0.0, 0.010, 0.020, 0.030}, 0.0001)), StartsWith("No rank stands out"));
}

TEST(ArrivalSummary, fewRanksHaveNoOneStandingOut) {
  EXPECT_EQ(standingOut(ranksAt({0.0}, 0.0)), nullptr);
  EXPECT_EQ(standingOut({}), nullptr);
  EXPECT_EQ(describeLatest({}), "No arrivals were recorded.");
}

}  // namespace
}  // namespace starling::cli
