#include "store/joined_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace starling {
namespace {

using testing::ElementsAre;

ObservationRecord observed(std::int64_t samples, std::optional<double> mean, std::optional<double> deviation = 0.0) {
  ObservationRecord record = sampleBatch().observations.front();
  record.calls = samples + 1;
  record.samples = samples;
  record.epochs = 1;
  record.elapsed_mean = record.elapsed_minimum = record.post_arrival_mean = record.post_arrival_minimum = mean;
  record.elapsed_deviation = record.post_arrival_deviation = deviation;
  return record;
}

TEST(JoinedObservations, areThoseOfAllSamplesTogether) {
  std::vector records{observed(1, 1.0), observed(3, 5.0)};
  records.back().epoch = 9;
  const ObservationRecord whole = joined(records);
  EXPECT_EQ(whole.epoch, 9);
  EXPECT_EQ(whole.epochs, 2);
  EXPECT_EQ(whole.calls, 6);
  EXPECT_EQ(whole.samples, 4);
  EXPECT_DOUBLE_EQ(whole.elapsed_mean.value(), 4.0);
  EXPECT_DOUBLE_EQ(whole.post_arrival_mean.value(), 4.0);
  EXPECT_DOUBLE_EQ(whole.post_arrival_minimum.value(), 1.0);
  EXPECT_DOUBLE_EQ(whole.post_arrival_deviation.value(), std::sqrt(3.0));
}

TEST(JoinedObservations, doNotKnowWhatOneOfThemDoesNotKnow) {
  ObservationRecord without = observed(2, 3.0);
  without.post_arrival_mean.reset();
  without.elapsed_minimum.reset();
  without.elapsed_deviation.reset();
  const ObservationRecord whole = joined(std::vector{observed(2, 1.0), without});
  EXPECT_DOUBLE_EQ(whole.elapsed_mean.value(), 2.0);
  EXPECT_FALSE(whole.elapsed_minimum.has_value());
  EXPECT_FALSE(whole.elapsed_deviation.has_value());
  EXPECT_FALSE(whole.post_arrival_mean.has_value());
  EXPECT_FALSE(whole.post_arrival_deviation.has_value());
}

TEST(JoinedObservations, areUnknownWhereNoCallWasTimed) {
  const ObservationRecord untimed = observed(0, std::nullopt, std::nullopt);
  EXPECT_FALSE(joined(std::vector{untimed, untimed}).elapsed_mean.has_value());
  EXPECT_DOUBLE_EQ(joined(std::vector{untimed, observed(2, 1.0)}).elapsed_mean.value(), 1.0);
}

// In whichever order epochs are joined, the figures are the same.
TEST(JoinedObservations, mayBeJoinedAgain) {
  const std::vector records{observed(1, 1.0, 0.5), observed(3, 5.0, 0.1), observed(2, 2.0, 0.0), observed(7, 0.5, 0.2)};
  const ObservationRecord once = joined(records);
  const ObservationRecord twice =
      joined(std::vector{joined(std::span(records).first(2)), joined(std::span(records).last(2))});
  EXPECT_EQ(once.samples, twice.samples);
  EXPECT_EQ(once.epochs, twice.epochs);
  EXPECT_NEAR(once.elapsed_mean.value(), twice.elapsed_mean.value(), 1e-12);
  EXPECT_NEAR(once.elapsed_deviation.value(), twice.elapsed_deviation.value(), 1e-12);
}

TEST(JoinedHistograms, addUp) {
  const KeyId key = sampleKeyId();
  const HistogramRecord whole = joined(std::vector<HistogramRecord>{{key, 3, 4, {1, 2}, 2}, {key, 5, 1, {0, 1, 7}, 1}});
  EXPECT_EQ(whole, (HistogramRecord{key, 5, 5, {1, 3, 7}, 3}));
}

ArrivalRecord arrived(std::int64_t epoch, std::int32_t rank, std::int64_t samples, double mean) {
  return {sampleKeyId(), epoch, rank, samples, mean, 0.0, 10.0 * mean, "regression"};
}

TEST(JoinedArrivals, areByRankAndPredictWhatTheNewestDoes) {
  const auto joined = joinedByRank(std::vector{arrived(1, 5, 1, 1.0), arrived(1, 2, 1, 4.0), arrived(2, 5, 3, 5.0)}, 7);
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[0].rank, 2);
  EXPECT_EQ(joined[0].epochs, 1);
  EXPECT_EQ(joined[0].epoch, 7);
  EXPECT_EQ(joined[1].rank, 5);
  EXPECT_EQ(joined[1].samples, 4);
  EXPECT_EQ(joined[1].epochs, 2);
  EXPECT_DOUBLE_EQ(joined[1].mean, 4.0);
  EXPECT_DOUBLE_EQ(joined[1].deviation, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(joined[1].predicted, 50.0);
}

TEST(JoinedArrivals, addUpInHowManyCallsARankCameLast) {
  std::vector records(2, sampleBatch().arrivals.front());
  records[0].last = 3;
  records[1].last = 4;
  EXPECT_EQ(joinedByRank(records, 9).front().last, 7);
  EXPECT_EQ(joinedByRank(records, 9).front().world_rank, 5);
  records[1].last.reset();
  EXPECT_FALSE(joinedByRank(records, 9).front().last) << "an older Starling did not count them";
}

TEST(JoinedArrivals, addUpHowLongOthersWaitedForARank) {
  std::vector records(2, sampleBatch().arrivals.front());
  records[0].waited = 0.25;
  records[1].waited = 0.5;
  EXPECT_EQ(joinedByRank(records, 2).front().waited, 0.75);
  records[1].waited.reset();
  EXPECT_FALSE(joinedByRank(records, 2).front().waited) << "an older Starling did not record it";
}

TEST(JoinedArrivals, keepTheRanksThatWereLateForLongest) {
  std::vector<ArrivalRecord> records;
  for (std::int32_t rank = 0; rank < 20; ++rank) records.push_back(arrived(1, rank, 1, rank == 3 ? 9.0 : 0.1 * rank));
  std::vector<std::int32_t> ranks;
  for (const ArrivalRecord& record : joinedByRank(records, 1)) ranks.push_back(record.rank);
  EXPECT_THAT(ranks, ElementsAre(3, 13, 14, 15, 16, 17, 18, 19));
}

}  // namespace
}  // namespace starling
