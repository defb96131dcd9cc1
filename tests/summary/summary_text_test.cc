#include "summary/summary_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "summarized_run.h"

namespace starling {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using SummaryTextTest = SummarizedRun;

TEST_F(SummaryTextTest, statesNothingThatWasNotMeasured) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.erase(batch.observations.begin());  // native's
  for (ObservationRecord& one : batch.observations) {
    one.post_arrival_mean.reset();
    one.post_arrival_minimum.reset();
    one.post_arrival_deviation.reset();
  }
  batch.arrivals.clear();
  batch.histograms.clear();
  const RunSummary summary = summaryOf(batch, std::nullopt);
  EXPECT_FALSE(summary.saved || summary.exploring || summary.waiting || summary.latest);
  const std::vector<std::string> lines = summaryLines(summary, true);
  for (const std::string& line : lines) EXPECT_THAT(line, Not(HasSubstr(" 0 s"))) << line;
  EXPECT_THAT(lines[1], HasSubstr("not measured"));
  EXPECT_THAT(lines[2], HasSubstr("What native would have taken cannot be told: "));
}

TEST_F(SummaryTextTest, namesCommunicatorsWhereThereAreSeveral) {
  Batch batch = settledOnSlt();
  for (const char* id : {"1:1", "0:1"}) {
    batch.communicators.push_back({id, "half", 4, kByPostArrival, 0.0});
    KeyRecord key = batch.keys.front();
    key.id.communicator = id;
    batch.keys.push_back(key);
  }
  const std::vector<std::string> lines = summaryLines(summaryOf(batch), true);
  EXPECT_THAT(lines, Contains(HasSubstr("on 8 ranks of MPI_COMM_WORLD, ")));
  EXPECT_THAT(lines, Contains(HasSubstr("on 4 ranks of half (1:1), ")));
  EXPECT_THAT(lines, Contains(HasSubstr("on 4 ranks of half (0:1), ")));
}

TEST_F(SummaryTextTest, listsTwentyKeysAndCountsTheOthers) {
  Batch batch = settledOnSlt();
  for (int i = 0; i < 21; ++i) {
    batch.communicators.push_back({"1:" + std::to_string(i), "", 4, kByPostArrival, 0.0});
    KeyRecord key = batch.keys.front();
    key.id.communicator = batch.communicators.back().id;
    batch.keys.push_back(key);
  }
  const std::vector<std::string> lines = summaryLines(summaryOf(batch), true);
  EXPECT_EQ(std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("Site "); }), 20);
  EXPECT_EQ(lines.back(), "2 other keys took less time.");
}

TEST_F(SummaryTextTest, saysThatAChoiceHasMadeNoCallYet) {
  Batch batch = settledOnSlt();
  batch.observations.resize(1);  // native's
  EXPECT_THAT(summaryLines(summaryOf(batch), true), Contains(HasSubstr("; all calls but trials were native's so far")));
}

TEST_F(SummaryTextTest, countsCallsOnCommunicatorsThatWereNotWorthPreparing) {
  const RunSummary summary = summaryOf(settledOnSlt(), Seconds{kRunSeconds}, {2500, 38.0, 1.5});
  EXPECT_DOUBLE_EQ(summary.seconds.value(), 40.0);
  EXPECT_TRUE(summary.is_waiting_partial);
  const std::vector<std::string> lines = summaryLines(summary, false);
  EXPECT_THAT(lines[0], HasSubstr("40.0 s of it (40%) in allreduce"));
  EXPECT_THAT(lines[1], HasSubstr("At least 1.15 s"));
  EXPECT_EQ(lines[2],
            "38.0 s of the time in allreduce were 2500 calls on communicators that were not worth preparing yet. "
            "Preparing communicators, and what their ranks agreed on, took 1.50 s beside that.");
}

TEST_F(SummaryTextTest, tellsOfShortLivedCommunicatorsWhereNothingElseIsKnown) {
  const RunSummary summary = summaryOf({}, Seconds{kRunSeconds}, {2500, 38.0, 0.0});
  EXPECT_TRUE(isWorthTelling(summary));
  EXPECT_THAT(summaryLines(summary, false),
              ElementsAre(HasSubstr("38.0 s of it (38%) in allreduce"), HasSubstr("were 2500 calls on communicators")));
  EXPECT_THAT(furtherLine(summary, "tuning.db"), testing::StartsWith("STARLING_PREPARE=always records such calls"));
}

TEST_F(SummaryTextTest, saysWhyNothingMayBeKnownOfARun) {
  RunSummary summary = summaryOf({});
  EXPECT_THAT(summaryLines(summary, false), ElementsAre(testing::EndsWith("no call of allreduce was timed.")));
  EXPECT_THAT(furtherLine(summary, "tuning.db"), HasSubstr("no call of MPI_Allreduce"));
  summary.run.finished.reset();
  EXPECT_THAT(summaryLines(summary, false), ElementsAre(HasSubstr("is still going on, or ended without MPI_Finalize")));
}

TEST_F(SummaryTextTest, namesNoRankWhereNoneIsWaitedForMoreThanOthers) {
  RunSummary summary = summaryOf(settledOnSlt());
  ASSERT_TRUE(summary.latest);
  summary.latest->share = 0.24;
  EXPECT_THAT(summaryLines(summary, false)[1], testing::EndsWith("waiting for late ranks, for no rank in particular."));
  summary.latest->share = 0.26;
  EXPECT_THAT(summaryLines(summary, false)[1], HasSubstr(", 26% of it for rank 6 on b.")) << "twice an eighth";
}

TEST_F(SummaryTextTest, saysThatARunDidNotFinish) {
  RunSummary summary = summaryOf(settledOnSlt());
  summary.run.run.seconds.reset();
  EXPECT_THAT(summaryLines(summary, false)[0], testing::EndsWith("in allreduce, mean over ranks."));
  summary.run.finished.reset();
  EXPECT_THAT(summaryLines(summary, false)[0],
              testing::EndsWith("it is still going on, or ended without MPI_Finalize."));
}

TEST_F(SummaryTextTest, saysThatKeysAddUpToMoreThanTheRun) {
  RunSummary summary = summaryOf(settledOnSlt());
  const std::size_t usual = summaryLines(summary, true).size();
  summary.adds_up_to_more = true;
  const std::vector<std::string> lines = summaryLines(summary, true);
  ASSERT_EQ(lines.size(), usual + 1);
  EXPECT_THAT(lines[usual - 1], HasSubstr("add up to more than the run took"));
  EXPECT_EQ(summaryLines(summary, false).size(), usual - 1) << "keys are not told of";
}

TEST_F(SummaryTextTest, leavesOutWhatIsHardlyAnyPartOfTheRun) {
  const RunSummary summary = summaryOf(settledOnSlt(), Seconds{kRunSeconds}, {25, 0.001, 0.002});
  EXPECT_FALSE(summary.is_waiting_partial);
  EXPECT_EQ(summaryLines(summary, false).size(), 3U);
  EXPECT_THAT(summaryLines(summary, true)[2],
              HasSubstr("Preparing communicators, and what their ranks agreed on, took 2.00 ms"));
}

// Of a key that native has it is known that nothing was saved, but that is not what one wants to know of the others.
TEST_F(SummaryTextTest, whatIsNotKnownOfTheOnlyOtherChoiceIsNotKnown) {
  Batch batch = settledOnSlt();
  KeyId other = kKey;
  other.size_class = 3;
  batch.keys.push_back(keyOf(other, "native", 40, 0.1));
  batch.observations.push_back(usual(other, 0, "native", 40, 0.002));
  EXPECT_EQ(summaryOf(batch).unclear_keys, 0);
  batch.observations.front().post_arrival_mean = 2.0;
  batch.observations.front().post_arrival_deviation = 3.4;
  const RunSummary summary = summaryOf(batch);
  EXPECT_EQ(summary.unclear_keys, 1);
  EXPECT_FALSE(summary.saved);
  const std::vector<std::string> lines = summaryLines(summary, true);
  EXPECT_THAT(lines[2], HasSubstr("What native would have taken cannot be told: "));
  EXPECT_THAT(lines, Contains(HasSubstr("gain 2.0x +- 0.1; what native would have taken cannot be told")));
}

TEST_F(SummaryTextTest, saysOfHowManyKeysItDoesNotKnow) {
  Batch batch = settledOnSlt();
  KeyId other = kKey;
  other.size_class = 3;
  KeyRecord key = keyOf(other, "ring", 40, 0.1);
  key.gain = 1600.0;
  batch.keys.push_back(key);
  batch.observations.push_back(usual(other, 0, "native", 3, 2.0));
  batch.observations.back().post_arrival_deviation = 3.4;
  batch.observations.push_back(usual(other, 1, "ring", 40, 0.001));
  EXPECT_THAT(summaryLines(summaryOf(batch), false)[2],
              HasSubstr("less than native would have, and trials took 200 ms more; of 1 key that cannot be told."));
}

TEST_F(SummaryTextTest, tellsWhatWasSavedBeforeNativeWasChosen) {
  Batch batch = settledOnSlt();
  batch.keys.front().choice = "native";
  const std::vector<std::string> lines = summaryLines(summaryOf(batch), true);
  EXPECT_THAT(lines[2], HasSubstr("1 settled on native. Calls of other algorithms took 500 ms"));
  EXPECT_THAT(lines[3], HasSubstr("native, settled; other choices before took 500 ms"));
}

TEST_F(SummaryTextTest, aLossIsALoss) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain = 0.8;
  const RunSummary summary = summaryOf(batch);
  EXPECT_LT(summary.saved.value(), 0.0);
  EXPECT_THAT(summaryLines(summary, false)[2], HasSubstr("took 100 ms +- 50.0 ms more than native would have"));
}

TEST_F(SummaryTextTest, readsAsSentences) {
  const RunSummary summary = summaryOf(settledOnSlt());
  EXPECT_THAT(
      summaryLines(summary, true),
      ElementsAre(
          "Run 1, app with 8 ranks on 2 nodes, took 100 s, 2.00 s of it (2.0%) in allreduce, mean over ranks.",
          "1.15 s (58%) of that was waiting for late ranks, 75% of it for rank 6 on b.",
          "Of 1 key (call site, size of vectors, communicator): 1 settled on another algorithm. Calls of other "
          "algorithms took 500 ms +- 50.0 ms less than native would have, and trials took 200 ms more.",
          "Site 1, pressure: 114 calls of 3.81 MiB (float, sum) on 8 ranks, 2.00 s, 1.15 s waiting; slt, settled, gain "
          "2.0x +- 0.1, took 500 ms +- 50.0 ms less than native, trials took 200 ms more."));
  EXPECT_EQ(furtherLine(summary, "/my runs/tuning.db"), "For more: starling sites --run 1 --db '/my runs/tuning.db'");
}

TEST_F(SummaryTextTest, isWorthTellingWhereAllreduceTakesAHundredthOfTheRun) {
  Batch batch = settledOnSlt();
  EXPECT_TRUE(isWorthTelling(summaryOf(batch)));
  batch.keys.front().seconds = 0.9;
  EXPECT_FALSE(isWorthTelling(summaryOf(batch)));
  EXPECT_TRUE(isWorthTelling(summaryOf(batch, std::nullopt))) << "how long it took is not known";
  batch.keys.front().seconds.reset();
  EXPECT_FALSE(isWorthTelling(summaryOf(batch)));
}

TEST_F(SummaryTextTest, ofNoKeysSaysSo) {
  const RunSummary summary = summaryOf({});
  EXPECT_FALSE(isWorthTelling(summary));
  EXPECT_THAT(summaryLines(summary, true), ElementsAre(HasSubstr("no call of allreduce was timed")));
}

}  // namespace
}  // namespace starling
