// A run of eight ranks with one key, and what is made of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../temporary_folder.h"
#include "example_records.h"
#include "store/database.h"
#include "summary/run_summary.h"

namespace starling {

inline constexpr double kRunSeconds = 100.0;

inline Run eightRanks() {
  Run run;
  run.id = "r";
  run.environment = {8, 2, 4, "CPU", "MPI", "network"};
  run.program = "app";
  run.hosts = "a:4,b:4";
  return run;
}

// A database with one run, and what is made of it.
class SummarizedRun : public testing::Test {
 protected:
  RunSummary summaryOf(const Batch& batch, std::optional<Seconds> lasted = Seconds{kRunSeconds},
                       const BesideKeys& beside_keys = {}) {
    const TemporaryFolder folder;
    const std::string path = folder.file("tuning.db");
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
};

inline const KeyId kKey = exampleKeyId("label:pressure");

inline KeyRecord keyOf(const KeyId& id, const std::string& choice, std::int64_t calls, double seconds) {
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
inline ObservationRecord usual(const KeyId& key, std::int64_t epoch, const std::string& choice, std::int64_t calls,
                               double post_arrival) {
  ObservationRecord record = observation(key, epoch, choice, 4, post_arrival);
  record.calls = calls;
  record.exploration = false;
  return record;
}

inline ArrivalRecord last(const KeyId& key, std::int32_t rank, std::int64_t calls,
                          std::optional<std::int64_t> world_rank) {
  ArrivalRecord record = arrival(key, 0, rank, 0.01, 0.0, 0.01);
  record.last = calls;
  record.world_rank = world_rank;
  return record;
}

inline HistogramRecord fourTimed(const KeyId& key) { return {key, 0, 4, std::vector<std::int64_t>(15)}; }

// One key of all ranks: 100 calls of slt at 5 ms in place of native's 10, of which 4 were looked at, after 10 trials of
// ring at 30 ms and 4 calls of native.
inline Batch settledOnSlt() {
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

}  // namespace starling
