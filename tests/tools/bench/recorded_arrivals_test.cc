#include "recorded_arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../../store/fixture.h"
#include "../../summary/example_records.h"
#include "store/database.h"

namespace starling::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Pattern patternOf(const std::string& database, const std::string& site) {
  return parsePattern("recorded:" + database + ":" + site).value();
}

// A run in which two ranks call from `label`, one of them late by `lateness`; without arrivals where that is 0.
Batch runOf(const std::string& label, double lateness) {
  Batch batch;
  batch.communicators = {{"world", "MPI_COMM_WORLD", 2, kByPostArrival, 3e-6}};
  batch.sites = {labelledSite(label)};
  KeyRecord key;
  key.id = exampleKeyId("label:" + label);
  key.state = "settled";
  key.choice = "native";
  batch.keys = {key};
  if (lateness == 0.0) return batch;
  batch.arrivals = {arrival(key.id, 0, 0, 0.0, 0.0, 0.0), arrival(key.id, 0, 1, lateness, 0.0, 0.0)};
  return batch;
}

class RecordedArrivals : public testing::Test {
 protected:
  void add(const std::string& run, const Batch& batch) const {
    Result<Database> database = Database::open(path());
    ASSERT_TRUE(database.isOk()) << database.status().message();
    for (const Status& status : {database.value().beginRun(sampleRun(run)), database.value().write(run, batch)}) {
      ASSERT_TRUE(status.isOk()) << status.message();
    }
  }
  std::string path() const { return folder_.file("tuning.db"); }
  std::string fault(const std::string& site, std::int32_t ranks) const {
    return readRecordedArrivals(patternOf(path(), site), ranks).status().message();
  }

  TemporaryFolder folder_;
};

TEST_F(RecordedArrivals, areThoseOfTheNewestRunThatHasSome) {
  add("first", runOf("halo", 0.01));
  add("second", runOf("halo", 0.02));
  add("third", runOf("halo", 0.0));
  for (const char* site : {"halo", "1"}) {
    const auto patterns = readRecordedArrivals(patternOf(path(), site), 2);
    ASSERT_TRUE(patterns.isOk()) << patterns.status().message();
    ASSERT_EQ(patterns.value().size(), 1U);
    EXPECT_EQ(patterns.value().front().samples, 4);
    EXPECT_THAT(patterns.value().front().lateness, ElementsAre(Seconds{0.0}, Seconds{0.02}));
  }
}

TEST_F(RecordedArrivals, saysSoWhenThereIsNothingToReplay) {
  add("first", runOf("halo", 0.01));
  add("second", runOf("dot", 0.0));
  EXPECT_THAT(fault("norm", 2), AllOf(HasSubstr("there is no site norm"), HasSubstr("starling sites --run all")));
  EXPECT_THAT(fault("halo", 3), AllOf(HasSubstr("recorded on 2 ranks, and these are 3"), HasSubstr("start as many")));
  EXPECT_THAT(fault("dot", 2), HasSubstr("no arrivals are recorded of site dot"));
  EXPECT_THAT(readRecordedArrivals(patternOf(folder_.file("none.db"), "1"), 2).status().message(),
              HasSubstr("no such file"));
}

}  // namespace
}  // namespace starling::bench
