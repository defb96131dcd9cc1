// Databases that reports are tested with, beside those of example_database.h.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "example_database.h"
#include "tuner/recorded_costs.h"

namespace starling::cli {

inline const std::string kScriptLabel = "<script>alert(1)</script></script><b>{{title}}&amp;<!--";

// Writes one run of `batch`.
inline void writeRun(const std::string& path, const Run& run, const Batch& batch) {
  Result<Database> database = Database::open(path);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  for (const Status& status : {database.value().beginRun(run), database.value().write(run.id, batch),
                               database.value().finishRun(run.id, Seconds{20.0})}) {
    ASSERT_TRUE(status.isOk()) << status.message();
  }
}

// Every text of this run wants to be HTML.
inline void writeScriptDatabase(const std::string& path) {
  Batch batch = latestBatch();
  const std::string identity = "label:" + kScriptLabel;
  const auto rename = [&identity](KeyId& key) {
    if (key.site == "label:pressure") key.site = identity;
  };
  batch.sites.front() = labelledSite(kScriptLabel);
  recordCosts({.alpha = Seconds{25e-6}, .beta = 1e-9}, {}, batch.communicators.front());
  for (KeyRecord& key : batch.keys) rename(key.id);
  for (ObservationRecord& one : batch.observations) rename(one.key);
  for (ArrivalRecord& one : batch.arrivals) rename(one.key);
  for (HistogramRecord& one : batch.histograms) rename(one.key);
  for (DecisionRecord& one : batch.decisions) {
    rename(one.key);
    one.reason = kScriptLabel;
  }
  batch.policies.clear();
  Run run = exampleRun("script");
  run.program = kScriptLabel;
  run.environment.processor = kScriptLabel;
  writeRun(path, run, batch);
}

// A run of 4,096 ranks with 200 sites, each of which has a long history.
inline void writeLargeDatabase(const std::string& path) {
  constexpr std::int32_t kRanks = 4096;
  constexpr int kSites = 200;
  constexpr std::int64_t kEpochs = 60;
  Batch batch;
  batch.communicators = {{"world", "MPI_COMM_WORLD", kRanks, kByPostArrival, 3e-6}};
  for (int number = 0; number < kSites; ++number) {
    const std::string symbol = "solver::stage_" + std::to_string(number) + "::reduceResiduals(double const*, int)";
    const SiteRecord& site = batch.sites.emplace_back(symbolSite(symbol, static_cast<std::uint64_t>(16 * number)));
    KeyRecord key = settledKey();
    key.id.site = site.identity;
    key.seconds = 100.0 - 0.3 * number;
    key.table.clear();
    batch.keys.push_back(key);
    for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
      const double drift = 1e-4 * static_cast<double>((7 * epoch + number) % 13);
      batch.observations.push_back(observation(key.id, epoch, "slt:segments=64", 4, 0.005 + drift, 0.0005));
      batch.observations.push_back(observation(key.id, epoch, epoch % 2 == 0 ? "native" : "ring", 2, 0.012 + drift));
      for (std::int32_t late = 0; late < 8; ++late) {
        const auto rank = static_cast<std::int32_t>((511 * late + number + epoch / 20) % kRanks);
        batch.arrivals.push_back(arrival(key.id, epoch, rank, 0.001 * late + drift, 0.0002, 0.001 * late));
        batch.arrivals.back().last = late == 7 ? 4 : 0;
        batch.arrivals.back().world_rank = rank;
      }
      batch.histograms.push_back({key.id, epoch, 4, {0, 0, 0, 0, 0, kRanks - 8, 0, 7, 1, 0, 0, 0, 0, 0, 0}});
    }
    for (std::int64_t call = 0; call < 20; ++call) {
      batch.decisions.push_back({key.id,
                                 call,
                                 24 * call,
                                 key.choice,
                                 {},
                                 "Least post-arrival time of three; the "
                                 "predicted arrivals changed, and the virtual-rank table follows them.",
                                 0.0048,
                                 0.005,
                                 0.0125});
    }
  }
  Run run = exampleRun("large");
  run.environment = {kRanks, 512, 8, "Example CPU", "Open MPI 4.1.4", "network"};
  writeRun(path, run, batch);
}

}  // namespace starling::cli
