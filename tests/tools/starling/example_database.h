// A database with two runs of one program, written through starling::Database.
//
// Run 2, the latest: site "pressure" settled on slt with rank 2 late by 50 ms; Solver::dot exploring; Solver::norm
// only observed, and none of its calls timed. Run 1 called "pressure" alone.
//
// Run 3 comes with writeApartDatabase(): site "pressure" on ranks whose clocks cannot be compared.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "records.h"
#include "store/database.h"
#include "tuner/recorded_costs.h"

namespace starling::cli {

inline Run exampleRun(const std::string& id) {
  return {id, {4, 1, 4, "Example CPU", "Open MPI 4.1.4", "shared_memory"}, "app", 1'700'000'000, "host1:4"};
}

inline KeyRecord settledKey() {
  KeyRecord key;
  key.id = exampleKeyId("label:pressure");
  key.bytes = 4'000'000;
  key.calls = 120;
  key.exploration_calls = 14;
  key.seconds = 7.5;
  key.imbalance = 0.050;
  key.state = "settled";
  key.choice = "slt:segments=64";
  key.table = {0, 1, 3, 2};
  key.gain = 2.5;
  key.outlook = "predicted";
  key.gain_error = 0.05;
  return key;
}

inline KeyRecord unsettledKey(const std::string& site, const std::string& state, std::optional<double> seconds) {
  KeyRecord key;
  key.id = exampleKeyId(site);
  key.bytes = 8;
  key.calls = 3;
  key.exploration_calls = 2;
  key.seconds = seconds;
  key.state = state;
  key.choice = "native";
  return key;
}

inline Batch latestBatch() {
  const SiteRecord dot = symbolSite("Solver::dot(double const*)", 0x1f);
  const SiteRecord norm = symbolSite("Solver::norm()", 0x2f);
  const KeyRecord pressure = settledKey();
  Batch batch;
  batch.communicators = {{"world", "MPI_COMM_WORLD", 4, kByPostArrival, 3e-6}};
  recordCosts({.alpha = Seconds{25e-6}, .beta = 1e-9}, {.nodes = {0, 0, 0, 0}}, batch.communicators.front());
  batch.sites = {labelledSite("pressure"), dot, norm};
  batch.keys = {unsettledKey(norm.identity, "observing", std::nullopt), pressure,
                unsettledKey(dot.identity, "exploring", 0.5)};
  batch.observations = {observation(pressure.id, 0, "native", 4, 0.0125, 0.001),
                        observation(pressure.id, 1, "slt:segments=64", 4, 0.005, 0.0005),
                        observation(pressure.id, 2, "ring", 4, 0.008, 0.0005)};
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      const double late = rank == 2 ? 0.050 : 0.0001 * rank;
      ArrivalRecord& record =
          batch.arrivals.emplace_back(arrival(pressure.id, epoch, rank, late, 0.0002, late + 0.001));
      record.last = rank == 2 ? record.samples : 0;
      record.world_rank = rank;
    }
    batch.histograms.push_back({pressure.id, epoch, 4, {0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0}});
  }
  batch.decisions = {{pressure.id, 3, 24, pressure.choice, pressure.table, "Least post-arrival time of three.", 0.0048,
                      0.005, 0.0125}};
  batch.policies = {{"label:pressure",
                     4,
                     22,
                     "float",
                     "sum",
                     pressure.choice,
                     pressure.table,
                     {0, 0, 0, 50'000'000},
                     2.5,
                     kByPostArrival,
                     "Least post-arrival time of three."}};
  return batch;
}

// What a run leaves whose ranks' clocks cannot be compared.
inline Batch apartBatch() {
  Batch batch;
  batch.communicators = {{"world", "MPI_COMM_WORLD", 4, kByElapsed, std::nullopt}};
  batch.sites = {labelledSite("pressure")};
  KeyRecord key = settledKey();
  key.imbalance.reset();
  key.table.clear();
  batch.keys = {key};
  batch.observations = {elapsedObservation(key.id, 0, "native", 4, 0.0225, 0.001),
                        elapsedObservation(key.id, 1, "slt:segments=64", 4, 0.009, 0.0005)};
  batch.decisions = {{key.id, 3, 24, key.choice, {}, "Least mean elapsed time of two.", 0.0048, 0.009, 0.0225}};
  batch.policies = {{"label:pressure",
                     4,
                     22,
                     "float",
                     "sum",
                     key.choice,
                     {},
                     {},
                     2.5,
                     kByElapsed,
                     "Least mean elapsed time of two."}};
  return batch;
}

inline void writeApartDatabase(const std::string& path) {
  Result<Database> database = Database::open(path);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  for (const Status& status : {database.value().beginRun(exampleRun("third")),
                               database.value().write("third", apartBatch()), database.value().finishRun("third")}) {
    ASSERT_TRUE(status.isOk()) << status.message();
  }
}

// Run 3, of three communicators, two of which have one name: all call from site "pressure".
inline void writeManyCommunicators(const std::string& path) {
  Batch batch;
  batch.communicators = {{"0:0", "MPI_COMM_WORLD", 4, kByPostArrival, 3e-6},
                         {"0:1", "rows", 2, kByPostArrival, 3e-6},
                         {"2:0", "rows", 2, kByPostArrival, 3e-6}};
  batch.sites = {labelledSite("pressure")};
  for (const CommunicatorRecord& communicator : batch.communicators) {
    KeyRecord& key = batch.keys.emplace_back(settledKey());
    key.id = exampleKeyId("label:pressure", communicator.id);
    key.table.clear();
  }
  Result<Database> database = Database::open(path);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  for (const Status& status : {database.value().beginRun(exampleRun("third")), database.value().write("third", batch),
                               database.value().finishRun("third")}) {
    ASSERT_TRUE(status.isOk()) << status.message();
  }
}

inline void writeExampleDatabase(const std::string& path) {
  Result<Database> database = Database::open(path);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  Batch first;
  first.communicators = {{"world", "MPI_COMM_WORLD", 4, kByPostArrival, 3e-6}};
  first.sites = {labelledSite("pressure")};
  first.keys = {unsettledKey("label:pressure", "exploring", 0.25)};
  for (const auto& [id, batch] : {std::pair{"first", first}, std::pair{"second", latestBatch()}}) {
    for (const Status& status : {database.value().beginRun(exampleRun(id)), database.value().write(id, batch),
                                 database.value().finishRun(id)}) {
      ASSERT_TRUE(status.isOk()) << status.message();
    }
  }
}

}  // namespace starling::cli
