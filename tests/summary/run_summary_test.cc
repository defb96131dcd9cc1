#include "summary/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "example_records.h"
#include "store/database.h"
#include "summary/summary_text.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kRunSeconds = 100.0;

Run eightRanks() {
  Run run;
  run.id = "r";
  run.environment = {8, 2, 4, "CPU", "MPI", "network"};
  run.program = "app";
  run.hosts = "a:4,b:4";
  return run;
}

// A database with one run, and what is made of it.
class RunSummaryTest : public testing::Test {
 protected:
  RunSummaryTest() {
    std::string name = (std::filesystem::temp_directory_path() / "starling-summary-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~RunSummaryTest() override { std::filesystem::remove_all(folder_); }

  RunSummary summaryOf(const Batch& batch, std::optional<Seconds> lasted = Seconds{kRunSeconds},
                       const BesideKeys& beside_keys = {}) {
    const std::string path = folder_ / "tuning.db";
    Result<Database> database = Database::open(path);
    EXPECT_TRUE(database.isOk()) << database.status().message();
    for (const Status& status : {database.value().beginRun(eightRanks()), database.value().write("r", batch),
                                 database.value().finishRun("r", lasted, beside_keys)}) {
      EXPECT_TRUE(status.isOk()) << status.message();
    }
    const Result<Reader> reader = Reader::open(path);
    EXPECT_TRUE(reader.isOk()) << reader.status().message();
    const Result<RunSummary> summary = summarizeRun(reader.value(), reader.value().runs().value().front());
    EXPECT_TRUE(summary.isOk()) << summary.status().message();
    return summary.value();
  }

  std::filesystem::path folder_;
};

const KeyId kKey = exampleKeyId("label:pressure");

KeyRecord keyOf(const KeyId& id, const std::string& choice, std::int64_t calls, double seconds) {
  KeyRecord key;
  key.id = id;
  key.bytes = 4'000'000;
  key.calls = calls;
  key.seconds = seconds;
  key.state = "settled";
  key.choice = choice;
  return key;
}

// Calls that were no trials and waited 10 ms.
ObservationRecord usual(const KeyId& key, std::int64_t epoch, const std::string& choice, std::int64_t calls,
                        double post_arrival) {
  ObservationRecord record = observation(key, epoch, choice, 4, post_arrival);
  record.calls = calls;
  record.exploration = false;
  return record;
}

ArrivalRecord last(const KeyId& key, std::int32_t rank, std::int64_t calls, std::optional<std::int64_t> world_rank) {
  ArrivalRecord record = arrival(key, 0, rank, 0.01, 0.0, 0.01);
  record.last = calls;
  record.world_rank = world_rank;
  return record;
}

HistogramRecord fourTimed(const KeyId& key) { return {key, 0, 4, std::vector<std::int64_t>(15)}; }

// One key of all ranks: 100 calls of slt at 5 ms in place of native's 10, of which 4 were looked at, after 10 trials of
// ring at 30 ms and 4 calls of native.
Batch settledOnSlt() {
  Batch batch;
  batch.communicators = {{"world", "MPI_COMM_WORLD", 8, kByPostArrival, 0.0}};
  batch.sites = {labelledSite("pressure")};
  KeyRecord key = keyOf(kKey, "slt", 114, 2.0);
  key.gain = 2.0;
  key.gain_error = 0.1;
  key.exploration_calls = 10;
  batch.keys = {key};
  batch.observations = {usual(kKey, 0, "native", 4, 0.010), observation(kKey, 1, "ring", 10, 0.030),
                        usual(kKey, 2, "slt", 100, 0.005)};
  batch.arrivals = {last(kKey, 1, 1, 1), last(kKey, 6, 3, 6)};
  batch.histograms = {fourTimed(kKey)};
  return batch;
}

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

TEST_F(RunSummaryTest, anErrorThatIsNotKnownIsNotStated) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain.reset();
  batch.keys.front().gain_error.reset();
  batch.observations.back().post_arrival_deviation.reset();
  const RunSummary summary = summaryOf(batch);
  EXPECT_TRUE(summary.saved);
  EXPECT_FALSE(summary.saved_error);
}

TEST_F(RunSummaryTest, tellsWaitingFromTheRest) {
  const RunSummary summary = summaryOf(settledOnSlt());
  // 10 ms of each call that was looked at.
  const double elapsed = 4 * 0.020 + 10 * 0.040 + 4 * 0.015;
  EXPECT_NEAR(summary.waiting.value(), 2.0 * (18 * 0.010) / elapsed, 1e-12);
  EXPECT_FALSE(summary.is_waiting_partial);
}

TEST_F(RunSummaryTest, namesTheRankThatOthersWaitedFor) {
  const RunSummary summary = summaryOf(settledOnSlt());
  ASSERT_TRUE(summary.latest);
  EXPECT_EQ(summary.latest->rank, 6);
  EXPECT_EQ(summary.latest->host, "b");
  EXPECT_DOUBLE_EQ(summary.latest->share_last, 0.75);
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
  // Of 154 calls rank 3 was the last in 40, rank 6 in three quarters of 114.
  EXPECT_EQ(summary.latest->rank, 6);
  EXPECT_NEAR(summary.latest->share_last, 0.75 * 114 / 154, 1e-12);
}

TEST_F(RunSummaryTest, statesNothingThatWasNotMeasured) {
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
  EXPECT_THAT(lines[2], HasSubstr("What native would have taken is not known."));
}

// The machine has become 10 times as fast since ring was in force: that ring was slower than native is now is no loss.
TEST_F(RunSummaryTest, comparesFormerChoicesWithWhatNativeTookThen) {
  Batch batch = settledOnSlt();
  batch.observations.push_back(usual(kKey, 3, "ring", 50, 0.009));
  batch.observations[2].post_arrival_mean = 0.0005;
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.001 - 0.0005) + 50 * (0.010 - 0.009), 1e-12);
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

TEST_F(RunSummaryTest, namesCommunicatorsWhereThereAreSeveral) {
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

// All epochs of the choice are one record, where interruptions are part of the mean.
TEST_F(RunSummaryTest, nativeTookNoMoreThanInAnyEpoch) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain = 2000.0;
  batch.observations.push_back(usual(kKey, 3, "native", 4, 0.012));
  const RunSummary summary = summaryOf(batch);
  EXPECT_NEAR(summary.saved.value(), 100 * (0.012 - 0.005), 1e-12);
  EXPECT_NEAR(summary.saved_error.value(), 100 * (0.012 - 0.010), 1e-12) << "it is between its usual time and that";
}

TEST_F(RunSummaryTest, neverTakesLongerThanTheRun) {
  Batch batch = settledOnSlt();
  batch.keys.front().seconds = 1000.0;
  const RunSummary summary = summaryOf(batch);
  ASSERT_TRUE(summary.run.run.seconds);
  EXPECT_DOUBLE_EQ(summary.seconds.value(), *summary.run.run.seconds);
  EXPECT_LT(summary.waiting.value(), *summary.seconds);
  // Of threads that call at the same time each saves its own.
  EXPECT_NEAR(summary.saved.value(), kRunSeconds / 1000.0 * 0.5, 1e-12);
  EXPECT_NEAR(summary.saved_error.value(), kRunSeconds / 1000.0 * 0.05, 1e-12);
  EXPECT_NEAR(summary.exploring.value(), kRunSeconds / 1000.0 * 0.2, 1e-12);
}

TEST_F(RunSummaryTest, countsCallsOnCommunicatorsThatWereNotWorthPreparing) {
  const RunSummary summary = summaryOf(settledOnSlt(), Seconds{kRunSeconds}, {2500, 38.0, 1.5});
  EXPECT_DOUBLE_EQ(summary.seconds.value(), 40.0);
  EXPECT_TRUE(summary.is_waiting_partial);
  const std::vector<std::string> lines = summaryLines(summary, false);
  EXPECT_THAT(lines[0], HasSubstr("40.0 s of it (40%) in allreduce"));
  EXPECT_THAT(lines[1], HasSubstr("At least 667 ms"));
  EXPECT_EQ(lines[2],
            "38.0 s of the time in allreduce were 2500 calls on communicators that were not worth preparing. "
            "Preparing communicators took 1.50 s beside that.");
}

TEST_F(RunSummaryTest, tellsOfShortLivedCommunicatorsWhereNothingElseIsKnown) {
  const RunSummary summary = summaryOf({}, Seconds{kRunSeconds}, {2500, 38.0, 0.0});
  EXPECT_TRUE(isWorthTelling(summary));
  EXPECT_THAT(summaryLines(summary, false),
              ElementsAre(HasSubstr("38.0 s of it (38%) in allreduce"), HasSubstr("were 2500 calls on communicators")));
}

TEST_F(RunSummaryTest, leavesOutWhatIsHardlyAnyPartOfTheRun) {
  const RunSummary summary = summaryOf(settledOnSlt(), Seconds{kRunSeconds}, {25, 0.001, 0.002});
  EXPECT_FALSE(summary.is_waiting_partial);
  EXPECT_EQ(summaryLines(summary, false).size(), 3U);
  EXPECT_THAT(summaryLines(summary, true)[2], HasSubstr("Preparing communicators took 2.00 ms"));
}

// Of a key that native has it is known that nothing was saved, but that is not what one wants to know of the others.
TEST_F(RunSummaryTest, whatIsNotKnownOfTheOnlyOtherChoiceIsNotKnown) {
  Batch batch = settledOnSlt();
  KeyId other = kKey;
  other.size_class = 3;
  batch.keys.push_back(keyOf(other, "native", 40, 0.1));
  batch.observations.push_back(usual(other, 0, "native", 40, 0.002));
  EXPECT_EQ(summaryOf(batch).unclear_keys, 0);
  batch.observations.front().post_arrival_mean = 2.0;
  batch.observations.front().post_arrival_deviation = 3.4;
  std::filesystem::remove(folder_ / "tuning.db");
  const RunSummary summary = summaryOf(batch);
  EXPECT_EQ(summary.unclear_keys, 1);
  EXPECT_FALSE(summary.saved);
  const std::vector<std::string> lines = summaryLines(summary, true);
  EXPECT_THAT(lines[2], HasSubstr("What native would have taken is not known."));
  EXPECT_THAT(lines, Contains(HasSubstr("gain 2.00 +- 0.10; what native would have taken is not known")));
}

TEST_F(RunSummaryTest, saysOfHowManyKeysItDoesNotKnow) {
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
              HasSubstr("less than native would have, and trials took 200 ms more; of 1 other key it is not known."));
}

TEST_F(RunSummaryTest, tellsWhatWasSavedBeforeNativeWasChosen) {
  Batch batch = settledOnSlt();
  batch.keys.front().choice = "native";
  const std::vector<std::string> lines = summaryLines(summaryOf(batch), true);
  EXPECT_THAT(lines[2], HasSubstr("1 settled on native. Other choices before took 500 ms"));
  EXPECT_THAT(lines[3], HasSubstr("native, settled; other choices before took 500 ms"));
}

TEST_F(RunSummaryTest, aLossIsALoss) {
  Batch batch = settledOnSlt();
  batch.keys.front().gain = 0.8;
  const RunSummary summary = summaryOf(batch);
  EXPECT_LT(summary.saved.value(), 0.0);
  EXPECT_THAT(summaryLines(summary, false)[2], HasSubstr("took 100 ms +- 50.0 ms more than native would have"));
}

TEST_F(RunSummaryTest, readsAsSentences) {
  const RunSummary summary = summaryOf(settledOnSlt());
  EXPECT_THAT(
      summaryLines(summary, true),
      ElementsAre(
          "Run 1, app with 8 ranks on 2 nodes, took 100 s, 2.00 s of it (2.0%) in allreduce, mean over ranks.",
          "667 ms (33%) of that was waiting for late ranks, most of it for rank 6 on b, which came last in 75% of the "
          "calls.",
          "Of 1 key (call site, size of vectors, communicator): 1 settled on another algorithm. That took 500 ms +- "
          "50.0 ms less "
          "than native would have, and trials took 200 ms more.",
          "Site 1, pressure: 114 calls of 3.81 MiB (float, sum) on 8 ranks, 2.00 s, 667 ms waiting; slt, settled, gain "
          "2.00 +- 0.10, took 500 ms +- 50.0 ms less than native, trials took 200 ms more."));
  EXPECT_EQ(furtherLine(summary, "/my runs/tuning.db"), "For more: starling sites --run 1 --db '/my runs/tuning.db'");
}

TEST_F(RunSummaryTest, isWorthTellingWhereAllreduceTakesAHundredthOfTheRun) {
  Batch batch = settledOnSlt();
  EXPECT_TRUE(isWorthTelling(summaryOf(batch)));
  std::filesystem::remove(folder_ / "tuning.db");
  batch.keys.front().seconds = 0.9;
  EXPECT_FALSE(isWorthTelling(summaryOf(batch)));
  std::filesystem::remove(folder_ / "tuning.db");
  EXPECT_TRUE(isWorthTelling(summaryOf(batch, std::nullopt))) << "how long it took is not known";
  std::filesystem::remove(folder_ / "tuning.db");
  batch.keys.front().seconds.reset();
  EXPECT_FALSE(isWorthTelling(summaryOf(batch)));
}

TEST_F(RunSummaryTest, ofNoKeysSaysSo) {
  const RunSummary summary = summaryOf({});
  EXPECT_FALSE(isWorthTelling(summary));
  EXPECT_THAT(summaryLines(summary, true), ElementsAre(HasSubstr("no call of allreduce was timed")));
}

}  // namespace
}  // namespace starling
