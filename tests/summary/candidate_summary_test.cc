#include "summary/candidate_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "example_records.h"

namespace starling {
namespace {

const KeyId kKey = exampleKeyId("label:pressure");

TEST(CandidateSummary, weighsEpochsByTheirSamples) {
  const std::vector<ObservationRecord> observations = {observation(kKey, 0, "ring", 1, 0.010),
                                                       observation(kKey, 1, "ring", 3, 0.002)};
  const auto summaries = summarizeCandidates(observations);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].epochs, 2);
  EXPECT_EQ(summaries[0].samples, 4);
  EXPECT_EQ(summaries[0].exploration_calls, 4);
  EXPECT_DOUBLE_EQ(summaries[0].post_arrival.mean.value(), 0.004);
  EXPECT_DOUBLE_EQ(summaries[0].elapsed.mean.value(), 0.014);
  EXPECT_DOUBLE_EQ(summaries[0].post_arrival.minimum.value(), 0.002);
  // Three samples at -2 ms and one at 6 ms from the mean.
  EXPECT_NEAR(summaries[0].post_arrival.deviation.value(), std::sqrt((3 * 4e-6 + 36e-6) / 4), 1e-12);
}

TEST(CandidateSummary, putsTheQuickestFirstAndTheUnmeasuredLast) {
  const std::vector<ObservationRecord> observations = {observation(kKey, 0, "prr", 0, 0.0),
                                                       observation(kKey, 1, "native", 2, 0.009),
                                                       observation(kKey, 2, "slt", 2, 0.003)};
  const auto summaries = summarizeCandidates(observations);
  ASSERT_EQ(summaries.size(), 3U);
  EXPECT_EQ(summaries[0].choice, "slt");
  EXPECT_EQ(summaries[1].choice, "native");
  EXPECT_EQ(summaries[2].choice, "prr");
}

TEST(CandidateSummary, comparesElapsedTimesWherePostArrivalTimesAreNotKnown) {
  const auto summaries = summarizeCandidates(std::vector{elapsedObservation(kKey, 0, "ring", 2, 0.020, 0.001),
                                                         elapsedObservation(kKey, 1, "slt", 2, 0.015, 0.002)});
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].choice, "slt");
  EXPECT_FALSE(summaries[0].post_arrival.mean || summaries[0].post_arrival.minimum);
  EXPECT_NEAR(summaries[0].compared().mean.value(), 0.015, 1e-12);
  EXPECT_NEAR(summaries[0].compared().minimum.value(), 0.013, 1e-12);
  EXPECT_NEAR(summaries[0].compared().deviation.value(), 0.002, 1e-12);
}

TEST(CandidateSummary, whatOneEpochLacksIsNotKnownOfAll) {
  ObservationRecord old = observation(kKey, 0, "ring", 2, 0.002);
  old.elapsed_minimum.reset();
  old.elapsed_deviation.reset();
  const auto summaries = summarizeCandidates(std::vector{old, observation(kKey, 1, "ring", 2, 0.002)});
  EXPECT_TRUE(summaries[0].elapsed.mean.has_value());
  EXPECT_FALSE(summaries[0].elapsed.minimum.has_value());
  EXPECT_FALSE(summaries[0].elapsed.deviation.has_value());
  EXPECT_TRUE(summaries[0].post_arrival.deviation.has_value());
}

TEST(CandidateSummary, aSingleCallHasNoDeviation) {
  const ObservationRecord once = observation(kKey, 0, "ring", 1, 0.002);
  EXPECT_FALSE(summarizeCandidates(std::vector{once})[0].post_arrival.deviation.has_value());
  const auto twice = summarizeCandidates(std::vector{once, observation(kKey, 1, "ring", 1, 0.004)});
  EXPECT_NEAR(twice[0].post_arrival.deviation.value(), 0.001, 1e-12) << "of epochs with one call each";
}

TEST(CandidateSummary, countsOnlyExplorationAsExploration) {
  ObservationRecord steady = observation(kKey, 5, "ring", 8, 0.002);
  steady.exploration = false;
  const auto summaries = summarizeCandidates(std::vector{observation(kKey, 0, "ring", 2, 0.002), steady});
  EXPECT_EQ(summaries[0].calls, 10);
  EXPECT_EQ(summaries[0].exploration_calls, 2);
}

TEST(CandidateSummary, findsByChoice) {
  const auto summaries = summarizeCandidates(std::vector{observation(kKey, 0, "ring", 2, 0.002)});
  EXPECT_EQ(findCandidate(summaries, "ring"), &summaries[0]);
  EXPECT_EQ(findCandidate(summaries, "slt"), nullptr);
}

}  // namespace
}  // namespace starling
