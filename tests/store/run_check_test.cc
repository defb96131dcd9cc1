#include "store/run_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fixture.h"

namespace starling {
namespace {

using testing::HasSubstr;

StoredRun sampleStoredRun() { return {sampleRun("r"), 1'700'000'100, sampleBatch()}; }

// What checkRun() says of a run that was changed by `change`.
template <typename Change>
std::string faultAfter(Change change) {
  StoredRun run = sampleStoredRun();
  change(run.records);
  return checkRun(run).message();
}

TEST(CheckRun, takesWhatIsRecorded) { EXPECT_TRUE(checkRun(sampleStoredRun()).isOk()); }

TEST(CheckRun, namesRunTableAndColumn) {
  EXPECT_THAT(faultAfter([](Batch& all) { all.arrivals.front().mean = HUGE_VAL; }),
              HasSubstr("run r, arrivals, mean: is inf; expected a number"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.arrivals.front().mean = std::nan(""); }), HasSubstr("arrivals, mean"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.keys.front().gain = -HUGE_VAL; }), HasSubstr("keys, gain: is -inf"));
}

TEST(CheckRun, refusesCountsThatCannotBe) {
  EXPECT_THAT(faultAfter([](Batch& all) { all.observations.front().calls = -1; }),
              HasSubstr("observations, calls: is -1"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.histograms.front().samples = std::numeric_limits<std::int64_t>::max(); }),
              HasSubstr("arrival_histograms, samples"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.histograms.front().counts[2] = -7; }), HasSubstr("counts: is -7"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.histograms.front().counts.resize(16); }), HasSubstr("has 16 entries"));
  for (const std::string table : {"observations", "arrivals", "arrival_histograms"}) {
    EXPECT_THAT(faultAfter([&table](Batch& all) {
                  if (table == "observations") all.observations.front().epochs = 0;
                  if (table == "arrivals") all.arrivals.front().epochs = 0;
                  if (table == "arrival_histograms") all.histograms.front().epochs = 0;
                }),
                HasSubstr(table + ", epochs: is 0; expected 1 or more"));
  }
}

TEST(CheckRun, refusesRanksBeyondTheCommunicator) {
  EXPECT_THAT(faultAfter([](Batch& all) { all.arrivals.front().rank = 3; }), HasSubstr("its communicator has 3 ranks"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.arrivals.front().rank = -1; }), HasSubstr("arrivals, rank: is -1"));
  EXPECT_THAT(faultAfter([](Batch& all) { all.keys.front().table.front() = -1; }), HasSubstr("keys, table"));
}

}  // namespace
}  // namespace starling
