#include "summary/arrival_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_records.h"

namespace starling {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const KeyId kKey = exampleKeyId("label:pressure");

std::vector<RankArrival> ranksAt(const std::vector<double>& latenesses, double deviation) {
  std::vector<ArrivalRecord> records;
  for (std::size_t i = 0; i < latenesses.size(); ++i) {
    records.push_back(arrival(kKey, 0, static_cast<std::int32_t>(i), latenesses[i], deviation, latenesses[i]));
  }
  return summarizeArrivals(records, {});
}

TEST(ArrivalSummary, joinsTheEpochsOfARank) {
  const auto ranks = summarizeArrivals(
      std::vector{arrival(kKey, 0, 1, 0.010, 0.0, 0.013), arrival(kKey, 1, 1, 0.014, 0.0, 0.020)}, {});
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 1);
  EXPECT_EQ(ranks[0].samples, 8);
  EXPECT_DOUBLE_EQ(ranks[0].lateness.value, 0.012);
  EXPECT_NEAR(ranks[0].deviation.value, 0.002, 1e-12);
  EXPECT_DOUBLE_EQ(ranks[0].predicted.value, 0.020);
}

TEST(ArrivalSummary, addsUpInHowManyCallsARankCameLastWhereAllEpochsTell) {
  std::vector records{arrival(kKey, 0, 1, 0.010, 0.0, 0.010), arrival(kKey, 1, 1, 0.010, 0.0, 0.010)};
  records[1].last = 3;
  EXPECT_FALSE(summarizeArrivals(records, {})[0].last) << "the first epoch does not";
  records[0].last = 2;
  EXPECT_EQ(summarizeArrivals(records, {})[0].last, 5);
}

TEST(ArrivalSummary, scoresAPredictionByTheNextEpoch) {
  const auto ranks = summarizeArrivals(
      std::vector{arrival(kKey, 0, 1, 0.010, 0.0, 0.013), arrival(kKey, 1, 1, 0.014, 0.0, 0.020)}, {});
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

TEST(ArrivalSummary, nobodyStandsOutInASingleCall) {
  std::vector<RankArrival> ranks = ranksAt({0.0, 0.0, 0.050, 0.0003}, 0.0);
  for (RankArrival& rank : ranks) rank.samples = rank.timed = 1;
  EXPECT_EQ(describeLatest(ranks),
            "No rank stands out: the latest, rank 2, comes 50.0 ms after the first (in one call).");
}

TEST(ArrivalSummary, nobodyStandsOutOfARampOrOfNoise) {
  EXPECT_EQ(standingOut(ranksAt({0.0, 0.010, 0.020, 0.030}, 0.0001)), nullptr);
  EXPECT_EQ(standingOut(ranksAt({0.0, 0.001, 0.050}, 0.100)), nullptr);
  EXPECT_EQ(standingOut(ranksAt({0.0, 0.0}, 0.0)), nullptr);
  EXPECT_THAT(describeLatest(ranksAt({0.0, 0.010, 0.020, 0.030}, 0.0001)), StartsWith("No rank stands out"));
}

HistogramRecord histogram(std::int64_t epoch, std::int64_t samples, std::int64_t epochs = 1) {
  return {kKey, epoch, samples, {3, 0, 1}, epochs};
}

TEST(ArrivalSummary, joinedEpochsScoreNoPrediction) {
  std::vector<ArrivalRecord> records;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) records.push_back(arrival(kKey, epoch, 1, 0.010, 0.0, 0.013));
  records.front().epochs = 4;
  const auto ranks = summarizeArrivals(records, {});
  EXPECT_NEAR(ranks[0].prediction_error.value().value, 0.003, 1e-12);
  records[1].epochs = 4;
  EXPECT_FALSE(summarizeArrivals(records, {})[0].prediction_error.has_value());
}

// Rank 1 was recorded in one epoch only, in which it was later than rank 2 ever is.
TEST(ArrivalSummary, rankThatWasSeldomAmongTheLatestIsNotTheLatest) {
  const std::vector records{arrival(kKey, 0, 1, 0.100, 0.0, 0.1), arrival(kKey, 0, 2, 0.050, 0.0, 0.05),
                            arrival(kKey, 1, 2, 0.050, 0.0, 0.05), arrival(kKey, 2, 2, 0.050, 0.0, 0.05)};
  const std::vector histograms{histogram(0, 4), histogram(1, 4), histogram(2, 4)};
  const auto ranks = summarizeArrivals(records, histograms);
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].samples, 4);
  EXPECT_EQ(ranks[0].timed, 12);
  EXPECT_EQ(latestRank(ranks)->rank, 2);
  const auto seldom = summarizeArrivals(std::span(records).first(1), histograms);
  EXPECT_THAT(describeLatest(seldom), HasSubstr("This is of 4 of 12 timed calls; in the others it was not among"));
}

TEST(ArrivalSummary, rankThatIsRecordedSeldomDoesNotStandOut) {
  const std::vector records{arrival(kKey, 0, 1, 0.100, 0.0, 0.1), arrival(kKey, 0, 2, 0.0, 0.0, 0.0)};
  EXPECT_NE(standingOut(summarizeArrivals(records, std::vector{histogram(0, 4)})), nullptr);
  EXPECT_EQ(standingOut(summarizeArrivals(records, std::vector{histogram(0, 4), histogram(1, 8)})), nullptr);
}

TEST(ArrivalSummary, histogramsAddUp) {
  const ArrivalHistogram all = summarizeHistograms(std::vector{histogram(3, 16, 4), histogram(4, 2)});
  EXPECT_EQ(all.counts, (std::vector<std::int64_t>{6, 0, 2}));
  EXPECT_EQ(all.samples, 18);
  EXPECT_EQ(all.epochs, 5);
  EXPECT_EQ(all.records, 2);
  EXPECT_TRUE(all.isJoined());
  EXPECT_FALSE(summarizeHistograms(std::vector{histogram(0, 4)}).isJoined());
}

TEST(ArrivalSummary, saysWhatIsRecordedOfWhom) {
  const auto ranks = ranksAt({0.0, 0.1}, 0.0);
  EXPECT_TRUE(describeRecorded(ranks, summarizeHistograms(std::vector{histogram(0, 4)}), 2).empty());
  const auto sentences = describeRecorded(ranks, summarizeHistograms(std::vector{histogram(3, 16, 4)}), 64);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_THAT(sentences[0], StartsWith("Of its 64 ranks 2 were recorded by themselves"));
  EXPECT_THAT(sentences[1], StartsWith("Arrivals of 4 epochs are kept in 1 record: old epochs were joined"));
}

TEST(ArrivalSummary, fewRanksHaveNoOneStandingOut) {
  EXPECT_EQ(standingOut(ranksAt({0.0}, 0.0)), nullptr);
  EXPECT_EQ(standingOut({}), nullptr);
  EXPECT_EQ(describeLatest({}), "No arrivals were recorded.");
}

}  // namespace
}  // namespace starling
