#include "summary/recorded_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "example_records.h"

namespace starling {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

const KeyId kKey = exampleKeyId("label:a");

ArrivalRecord row(std::int64_t epoch, std::int32_t rank, std::int64_t samples, double mean, std::int64_t epochs = 1) {
  ArrivalRecord record = arrival(kKey, epoch, rank, mean, 0.0, mean);
  record.samples = samples;
  record.epochs = epochs;
  return record;
}

std::vector<double> values(const RecordedPattern& pattern) {
  std::vector<double> seconds;
  for (const Seconds lateness : pattern.lateness) seconds.push_back(lateness.value);
  return seconds;
}

// Counts by class: [3, 10 ms) is class 8, [10, 30 ms) is class 9.
std::vector<std::int64_t> counts(std::int64_t on_time, std::int64_t class_8, std::int64_t class_9) {
  return {on_time, 0, 0, 0, 0, 0, 0, 0, class_8, class_9, 0, 0, 0, 0, 0};
}

TEST(RecordedPatterns, epochsComeInTheirOrderWithTheirCalls) {
  const std::vector<ArrivalRecord> arrivals{row(2, 0, 4, 0.0), row(2, 1, 4, 0.02), row(5, 0, 8, 0.01),
                                            row(5, 1, 8, 0.0)};
  const auto patterns = recordedPatterns(arrivals, {}, 2);
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(patterns[0].samples, 4);
  EXPECT_THAT(values(patterns[0]), ElementsAre(0.0, 0.02));
  EXPECT_EQ(patterns[1].samples, 8);
  EXPECT_THAT(values(patterns[1]), ElementsAre(0.01, 0.0));
}

TEST(RecordedPatterns, ofOneRankThereIsNobodyToBeLate) {
  const std::vector<ArrivalRecord> arrivals{row(0, 0, 4, 0.0)};
  const auto patterns = recordedPatterns(arrivals, {}, 1);
  ASSERT_EQ(patterns.size(), 1U);
  EXPECT_THAT(values(patterns[0]), ElementsAre(0.0));
}

TEST(RecordedPatterns, latenessesThatAreNotKnownMakeNoPattern) {
  const std::vector<ArrivalRecord> arrivals{row(0, 0, 0, 0.0), row(0, 1, 0, 0.0),
                                            row(1, 0, 4, std::numeric_limits<double>::quiet_NaN())};
  const std::vector<HistogramRecord> histograms{{kKey, 2, 4, counts(2, 0, 0)}};
  EXPECT_TRUE(recordedPatterns(arrivals, histograms, 2).empty());
  EXPECT_TRUE(recordedPatterns({}, {}, 3).empty());
}

TEST(RecordedPatterns, aRankWhoseLatenessIsNotKnownIsOneOfTheOthers) {
  const std::vector<ArrivalRecord> arrivals{row(0, 0, 4, 0.02), row(0, 2, 4, std::nan(""))};
  const auto patterns = recordedPatterns(arrivals, {}, 3);
  ASSERT_EQ(patterns.size(), 1U);
  EXPECT_THAT(values(patterns[0]), ElementsAre(0.02, 0.0, 0.0));
}

TEST(RecordedPatterns, ranksOfTheHistogramComeInItsClassesAndNotAfterTheTwoLatest) {
  const std::vector<ArrivalRecord> arrivals{row(0, 1, 4, 0.025), row(0, 3, 4, 0.012)};
  const std::vector<HistogramRecord> histograms{{kKey, 0, 4, counts(1, 1, 3)}};
  const auto patterns = recordedPatterns(arrivals, histograms, 5);
  ASSERT_EQ(patterns.size(), 1U);
  // The middle of [3, 10 ms) is 5.5 ms; that of [10, 30 ms), 17 ms, is later than rank 3 was.
  EXPECT_THAT(values(patterns[0]), ElementsAre(0.0, 0.025, DoubleNear(std::sqrt(0.003 * 0.01), 1e-12), 0.012, 0.012));
}

TEST(RecordedPatterns, inJoinedEpochsARankIsOnTimeWhereItWasNotRecorded) {
  const std::vector<ArrivalRecord> arrivals{row(3, 0, 16, 0.02, 4), row(3, 2, 4, 0.008, 1)};
  const std::vector<HistogramRecord> histograms{{kKey, 3, 16, counts(7, 1, 4), 4}};
  const auto patterns = recordedPatterns(arrivals, histograms, 3);
  ASSERT_EQ(patterns.size(), 1U);
  EXPECT_EQ(patterns[0].samples, 16);
  EXPECT_THAT(values(patterns[0]), ElementsAre(0.02, 0.0, 0.002));
}

TEST(RecordedPatterns, inJoinedEpochsARankThatWasRecordedIsNoneOfTheOthersInAnyOfThem) {
  const std::vector<ArrivalRecord> arrivals{row(0, 2, 16, 0.01, 4)};
  const std::vector<HistogramRecord> histograms{{kKey, 0, 16, counts(12, 0, 4), 4}};
  const auto patterns = recordedPatterns(arrivals, histograms, 4);
  ASSERT_EQ(patterns.size(), 1U);
  EXPECT_THAT(values(patterns[0]), ElementsAre(0.0, 0.0, 0.01, 0.0));
}

TEST(RecordedPatterns, ranksBeyondTheCommunicatorAreLeftOut) {
  const std::vector<ArrivalRecord> arrivals{row(0, 0, 4, 0.01), row(0, 7, 4, 0.02)};
  EXPECT_THAT(values(recordedPatterns(arrivals, {}, 2).front()), ElementsAre(0.01, 0.0));
}

TEST(JoinedPatterns, weighTheCallsOfNeighbours) {
  const std::vector<RecordedPattern> patterns{
      {1, {Seconds{}, Seconds{0.04}}}, {3, {Seconds{}, Seconds{0.08}}}, {4, {Seconds{0.01}, Seconds{}}}};
  const auto fewer = joinedPatterns(patterns, 2);
  ASSERT_EQ(fewer.size(), 2U);
  EXPECT_EQ(fewer[0].samples, 4);
  EXPECT_THAT(values(fewer[0]), ElementsAre(0.0, DoubleNear(0.07, 1e-12)));
  EXPECT_THAT(values(fewer[1]), ElementsAre(0.01, 0.0));
  EXPECT_EQ(joinedPatterns(patterns, 3).size(), 3U);
  EXPECT_EQ(joinedPatterns(patterns, 1).front().samples, 8);
}

TEST(JoinedPatterns, loseNoCallWhereOneEpochHasMost) {
  std::vector<RecordedPattern> patterns{{100, {Seconds{0.02}}}};
  for (int i = 0; i < 9; ++i) patterns.push_back({1, {Seconds{}}});
  const auto fewer = joinedPatterns(patterns, 4);
  EXPECT_LE(fewer.size(), 4U);
  std::int64_t samples = 0;
  for (const RecordedPattern& pattern : fewer) samples += pattern.samples;
  EXPECT_EQ(samples, 109);
}

TEST(PatternOfCall, takesAsManyCallsOfEachAsWereTimed) {
  const std::vector<RecordedPattern> patterns{{1, {Seconds{}}}, {3, {Seconds{0.01}}}};
  std::vector<std::int64_t> samples;
  for (std::uint64_t call = 0; call < 8; ++call) samples.push_back(patternOfCall(patterns, call, 8).samples);
  EXPECT_THAT(samples, ElementsAre(1, 1, 3, 3, 3, 3, 3, 3));
  EXPECT_EQ(patternOfCall(patterns, 0, 1).samples, 3);
}

}  // namespace
}  // namespace starling
