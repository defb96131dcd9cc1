#include "summary/run_summary.h"

#include <gmock/gmock.h>

#include <cmath>

#include "summarized_run.h"
#include "summary/summary_text.h"

namespace starling {
namespace {

using RunSummaryTest = SummarizedRun;

TEST_F(RunSummaryTest, comparesWithWhatNativeWouldHaveTaken) {
  const RunSummary summary = summaryOf(settledOnSlt());
  ASSERT_EQ(summary.keys.size(), 1U);
  EXPECT_DOUBLE_EQ(summary.seconds.value(), 2.0);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.010 - 0.005), 1e-12);
  EXPECT_NEAR(summary.saved_error.value(), 100 * 0.005 * 0.1, 1e-12);
  EXPECT_NEAR(summary.exploring.value(), 10 * (0.030 - 0.010), 1e-12);
}

// As where arrivals have just changed, and nothing was measured beside native since.
TEST_F(RunSummaryTest, withoutAGainComparesWithTheCallsThatNativeHad) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.front() = usual(kKey, 0, "native", 4, 0.011);
  batch.observations.front().post_arrival_deviation = 0.004;
  batch.observations.back().post_arrival_deviation = 0.003;
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.011 - 0.005), 1e-12);
  EXPECT_NEAR(summary.saved_error.value(), 100 * std::hypot(0.004, 0.003) / std::sqrt(4), 1e-12);
  EXPECT_NEAR(summary.exploring.value(), 10 * (0.030 - 0.011), 1e-12);
}

TEST_F(RunSummaryTest, whereNothingTookThePlaceOfNativeNothingWasSaved) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.pop_back();  // of slt, which is only chosen yet
  EXPECT_FALSE(summaryOf(batch).saved);
}

// Whatever was chosen meanwhile, and however few calls there were.
TEST_F(RunSummaryTest, whereAllCallsWereNativesNothingWasSaved) {
  Batch batch = settledOnSlt();
  batch.keys.front().state = "exploring";
  batch.observations = {usual(kKey, 0, "native", 1, 0.011), usual(kKey, 1, "native", 1, 0.400)};
  const RunSummary summary = summaryOf(batch);
  EXPECT_EQ(summary.keys.front().saved, 0.0);
  EXPECT_EQ(summary.keys.front().saved_error, 0.0);
  EXPECT_EQ(summary.keys.front().exploring, 0.0);
  EXPECT_EQ(summary.unclear_keys, 0);
}

TEST_F(RunSummaryTest, whatIsSavedIsNotKnownWhereItsErrorIsNot) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.back().post_arrival_deviation.reset();
  EXPECT_FALSE(summaryOf(batch).saved);
}

// The one call may have been held up: what is made of it is as long as a hundred others.
TEST_F(RunSummaryTest, oneCallOfNativeDoesNotTellWhatIsSaved) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.front() = usual(kKey, 0, "native", 1, 0.5);
  batch.observations.front().samples = 1;
  const RunSummary summary = summaryOf(batch);
  EXPECT_FALSE(summary.saved);
  EXPECT_EQ(summary.unclear_keys, 1);
}

// Nor does it where a gain says that native takes longer yet.
TEST_F(RunSummaryTest, oneCallOfNativeDoesNotTellWhatIsSavedBesideAGainEither) {
  for (const std::optional<double> gain_error : {std::optional<double>(), std::optional(0.1)}) {
    Batch batch = settledOnSlt();
    batch.keys.front().gain = 4.0;
    batch.keys.front().gain_error = gain_error;
    batch.observations.front() = usual(kKey, 0, "native", 1, 0.008);
    batch.observations.front().samples = 1;
    const RunSummary summary = summaryOf(batch);
    EXPECT_FALSE(summary.saved) << gain_error.value_or(0.0);
    EXPECT_EQ(summary.unclear_keys, 1);
  }
}

TEST_F(RunSummaryTest, tellsWaitingFromTheRest) {
  const RunSummary summary = summaryOf(settledOnSlt());
  // 10 ms of each call.
  const double elapsed = 4 * 0.020 + 10 * 0.040 + 100 * 0.015;
  EXPECT_NEAR(summary.waiting.value(), 2.0 * (114 * 0.010) / elapsed, 1e-12);
  EXPECT_FALSE(summary.is_waiting_partial);
  EXPECT_FALSE(summary.adds_up_to_more);
}

// Most calls that are timed are of the first epochs, where a late rank may have been that came in time later.
TEST_F(RunSummaryTest, goesByTheWaitingThatWasAddedUp) {
  Batch batch = settledOnSlt();
  batch.keys.front().waiting = 0.25;
  EXPECT_DOUBLE_EQ(summaryOf(batch).waiting.value(), 0.25);
  batch.keys.front().waiting = 3.0;  // of 2 s
  EXPECT_DOUBLE_EQ(summaryOf(batch).waiting.value(), 2.0);
}

// One rank is a little late in most calls, and another one very late in a few.
TEST_F(RunSummaryTest, namesTheRankThatOthersWaitedForLongestNotMostOften) {
  Batch batch = settledOnSlt();
  batch.keys.front().waiting = 1.0;
  batch.arrivals[0].waited = 0.7;  // rank 1, the last one in 1 of 4 calls
  batch.arrivals[1].waited = 0.2;  // rank 6, in 3
  const RunSummary summary = summaryOf(batch);
  EXPECT_EQ(summary.latest->rank, 1);
  EXPECT_NEAR(summary.latest->share, 0.7, 1e-12);
}

TEST_F(RunSummaryTest, namesTheRankThatOthersWaitedFor) {
  const RunSummary summary = summaryOf(settledOnSlt());
  ASSERT_TRUE(summary.latest);
  EXPECT_EQ(summary.latest->rank, 6);
  EXPECT_EQ(summary.latest->host, "b");
  EXPECT_NEAR(summary.latest->share, 0.75, 1e-12);
}

TEST_F(RunSummaryTest, ofFewRanksCountsForTheirShareOfAll) {
  Batch batch = settledOnSlt();
  batch.communicators.push_back({"rows", "rows", 2, kByPostArrival, 0.0});
  const KeyId rows = exampleKeyId("label:pressure", "rows");
  batch.keys.push_back(keyOf(rows, "native", 40, 4.0));
  batch.observations.push_back(usual(rows, 0, "native", 40, 0.030));
  batch.arrivals.push_back(last(rows, 1, 4, 3));
  batch.histograms.push_back(fourTimed(rows));
  const RunSummary summary = summaryOf(batch);
  EXPECT_DOUBLE_EQ(summary.seconds.value(), 2.0 + 4.0 * 2 / 8);
  EXPECT_EQ(summary.keys.front().row.communicator.id, "rows") << "its ranks spent most time";
  const double of_six = 0.75 * summary.keys[1].waiting.value();
  const double of_three = 4.0 * 2 / 8 * 0.010 / 0.040;
  EXPECT_EQ(summary.latest->rank, 6);
  EXPECT_NEAR(summary.latest->share, of_six / (of_six / 0.75 + of_three), 1e-12);
}

TEST_F(RunSummaryTest, theErrorOfFewRanksCountsForTheirShareOfAll) {
  Batch batch = settledOnSlt();
  batch.communicators.push_back({"rows", "rows", 2, kByPostArrival, 0.0});
  const KeyId rows = exampleKeyId("label:pressure", "rows");
  batch.keys.push_back(keyOf(rows, "slt", 104, 4.0));
  batch.keys.back().gain = 2.0;
  batch.keys.back().gain_error = 0.1;
  batch.observations.push_back(usual(rows, 0, "native", 4, 0.010));
  batch.observations.push_back(usual(rows, 1, "slt", 100, 0.005));
  EXPECT_NEAR(summaryOf(batch).saved_error.value(), 100 * 0.005 * 0.1 * std::hypot(1.0, 2.0 / 8), 1e-12);
}

// The machine has become 10 times as fast since ring was in force: that ring was slower than native is now is no loss.
TEST_F(RunSummaryTest, comparesFormerChoicesWithWhatNativeTookThen) {
  Batch batch = settledOnSlt();
  batch.observations.push_back(usual(kKey, 3, "ring", 50, 0.009));
  batch.observations[2].post_arrival_mean = 0.0005;
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.001 - 0.0005) + 50 * (0.010 - 0.009), 1e-12);
  EXPECT_TRUE(summary.keys.front().has_former_choices);
  EXPECT_THAT(summaryLines(summary, true),
              testing::Contains(testing::HasSubstr("; that and other choices before took")));
}

// The choice in force has made no call yet but trials.
TEST_F(RunSummaryTest, ascribesWhatFormerChoicesSavedToThese) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.front().post_arrival_deviation = 0.001;
  batch.observations.back() = usual(kKey, 2, "prr", 50, 0.005);
  batch.observations.back().post_arrival_deviation = 0.001;
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 50 * (0.010 - 0.005), 1e-12);
  EXPECT_FALSE(summary.keys.front().has_own_calls);
  EXPECT_THAT(summaryLines(summary, true), testing::Contains(testing::HasSubstr("; other choices before took")));
}

// A rank that was interrupted for seconds says nothing of the algorithm; times a gain it would be more than the run.
TEST_F(RunSummaryTest, anInterruptionIsNoGain) {
  Batch batch = settledOnSlt();
  batch.observations.back().calls = 80;
  batch.observations.push_back(usual(kKey, 3, "slt", 10, 0.005));
  batch.observations.push_back(usual(kKey, 4, "slt", 10, 3.0));
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.010 - 0.005), 1e-12);
}

TEST_F(RunSummaryTest, claimsNothingWhereOneOfNativesFewCallsWasInterrupted) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain = 1600.0;
  batch.observations.front().post_arrival_mean = 2.0;
  batch.observations.front().post_arrival_deviation = 3.4;
  EXPECT_FALSE(summaryOf(batch).saved.has_value());
}

TEST_F(RunSummaryTest, claimsNothingWhereEpochsOfNativeAreFarApart) {
  Batch batch = settledOnSlt();
  batch.observations.push_back(usual(kKey, 3, "native", 3, 2.0));
  batch.observations.push_back(usual(kKey, 4, "native", 3, 0.2));
  EXPECT_FALSE(summaryOf(batch).saved.has_value());
}

TEST_F(RunSummaryTest, goesByNativeWhereMostOfItsCallsAgree) {
  Batch batch = settledOnSlt();
  batch.observations.push_back(usual(kKey, 3, "native", 3, 2.0));
  EXPECT_NEAR(summaryOf(batch).saved.value(), 100 * (0.010 - 0.005), 1e-12);
}

TEST_F(RunSummaryTest, claimsNothingWhereGainAndCallsContradictEachOther) {
  Batch batch = settledOnSlt();
  batch.observations.back().post_arrival_mean = 0.030;  // thrice native's time, where the gain says half
  EXPECT_FALSE(summaryOf(batch).saved.has_value());
}

// All epochs of the choice are one record, where interruptions are part of the mean.
TEST_F(RunSummaryTest, nativeTookNoMoreThanInAnyEpoch) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain = 2000.0;
  batch.observations.push_back(usual(kKey, 3, "native", 4, 0.012));
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.012 - 0.005), 1e-12);
  EXPECT_NEAR(summary.saved_error.value(), 100 * (0.012 - 0.010), 1e-12) << "it is between its usual time and that";
}

// What native took is known from another key's calls alone: from one that was interrupted nothing follows for this one.
TEST_F(RunSummaryTest, claimsNothingThatCallsOfOtherKeysContradict) {
  const auto summary_with = [this](double gain, double native_elsewhere) {
    Batch batch = settledOnSlt();
    batch.keys.front().gain = gain;
    batch.observations.erase(batch.observations.begin());
    const KeyId other = exampleKeyId("label:other");
    batch.sites.push_back(labelledSite("other"));
    batch.keys.push_back(keyOf(other, "native", 4, 0.1));
    batch.observations.push_back(usual(other, 0, "native", 4, native_elsewhere));
    return summaryOf(batch);
  };
  EXPECT_NEAR(summary_with(2.0, 0.010).keys.front().saved.value(), 100 * (0.010 - 0.005), 1e-12);
  EXPECT_FALSE(summary_with(2000.0, 0.010).keys.front().saved);
}

TEST_F(RunSummaryTest, claimsNothingThatMayBeOffByMoreThanAllOfIt) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain_error = 0.9;  // of a gain of 2
  EXPECT_TRUE(summaryOf(batch).saved);
  // Nor what a gain tells that may be half of it, though native never took long: it is no less off for being cut.
  batch.keys.front().gain = 80.0;
  batch.keys.front().gain_error = 60.0;
  EXPECT_FALSE(summaryOf(batch).saved);
}

TEST_F(RunSummaryTest, neverTakesLongerThanTheRun) {
  Batch batch = settledOnSlt();
  batch.keys.front().seconds = 1000.0;
  const RunSummary summary = summaryOf(batch);
  ASSERT_TRUE(summary.run.run.seconds);
  EXPECT_DOUBLE_EQ(summary.seconds.value(), *summary.run.run.seconds);
  EXPECT_LT(summary.waiting.value(), *summary.seconds);
  EXPECT_TRUE(summary.adds_up_to_more);
  // Of threads that call at the same time each saves its own.
  EXPECT_NEAR(summary.saved.value(), kRunSeconds / 1000.0 * 0.5, 1e-12);
  EXPECT_NEAR(summary.saved_error.value(), kRunSeconds / 1000.0 * 0.05, 1e-12);
  EXPECT_NEAR(summary.exploring.value(), kRunSeconds / 1000.0 * 0.2, 1e-12);
}

}  // namespace
}  // namespace starling
