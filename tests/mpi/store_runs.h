// Runs of store_program, and what they leave in the tuning database.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "launcher.h"
#include "store/reader.h"

namespace starling {

constexpr int kCalls = 60;  // of each site in store_program
constexpr int kRanks = 3;

// Its communicators are prepared as soon as they may be, however short their calls are.
inline Launch programWith(const std::string& database, const std::string& arguments = "") {
  return {.program = STARLING_STORE_PROGRAM,
          .arguments = arguments,
          .ranks = kRanks,
          .environment = {{"STARLING_DB", database}, {"STARLING_PREPARE", "always"}},
          .launcher_options = {}};
}

// The program's sums were right, and it was told of nothing.
inline void expectQuiet(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::IsEmpty());
}

// The program's sums were right, and it was told once.
inline void expectOneWarning(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::SizeIs(1)) << outcome.text;
}

inline std::vector<RunRow> runsOf(const Reader& reader) {
  const auto runs = reader.runs();
  EXPECT_TRUE(runs.isOk()) << runs.status().message();
  return runs.isOk() ? runs.value() : std::vector<RunRow>{};
}

inline std::vector<KeyRow> keysOf(const Reader& reader, const RunRow& run) {
  const auto keys = reader.keys(run.number);
  EXPECT_TRUE(keys.isOk()) << keys.status().message();
  return keys.isOk() ? keys.value() : std::vector<KeyRow>{};
}

inline std::set<std::string> labelsOf(const std::vector<KeyRow>& keys) {
  std::set<std::string> labels;
  for (const KeyRow& row : keys) labels.insert(row.site.label);
  return labels;
}

// What one run of the program leaves: all of it, also of the communicator whose root is not the writer.
inline void expectComplete(const Reader& reader, const RunRow& run) {
  EXPECT_EQ(run.run.program, "store_program");
  EXPECT_EQ(run.run.environment.ranks, kRanks);
  EXPECT_TRUE(run.finished.has_value());
  const std::vector<KeyRow> keys = keysOf(reader, run);
  EXPECT_THAT(labelsOf(keys), testing::ElementsAre("all", "last"));
  for (const KeyRow& row : keys) {
    const bool is_last = row.site.label == "last";
    const std::int32_t size = is_last ? kRanks - 1 : kRanks;
    EXPECT_EQ(row.communicator.size, size);
    EXPECT_EQ(row.communicator.name, is_last ? "last ranks" : "MPI_COMM_WORLD");
    EXPECT_EQ(row.key.calls, kCalls);
    EXPECT_THAT(row.key.state, testing::AnyOf("settled", "exploring")) << "noise may have made it explore again";
    EXPECT_EQ(row.key.bytes, 16000);
    std::int64_t calls = 0;
    const auto observations = reader.observations(row.number);
    for (const ObservationRecord& record : observations.value()) calls += record.calls;
    EXPECT_EQ(calls, kCalls) << "every call is in one observation";
    std::set<std::int32_t> ranks;
    const auto arrivals = reader.arrivals(row.number);
    for (const ArrivalRecord& record : arrivals.value()) ranks.insert(record.rank);
    EXPECT_EQ(ranks.size(), static_cast<std::size_t>(size));
    const auto decisions = reader.decisions(row.number);
    ASSERT_FALSE(decisions.value().empty());
    EXPECT_EQ(decisions.value().back().choice, row.key.choice);
    EXPECT_FALSE(decisions.value().back().reason.empty());
  }
}

}  // namespace starling
