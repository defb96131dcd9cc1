// What a run says at its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "launcher.h"
#include "store/reader.h"
#include "store_runs.h"
#include "summary/run_summary.h"
#include "summary/summary_text.h"

namespace starling {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Launch summedUp(const std::string& database, const std::string& length) {
  Launch program = programWith(database);
  program.environment["STARLING_SUMMARY"] = length;
  return program;
}

// What the CLI says of the latest run, as messages.
std::vector<std::string> linesOf(const std::string& database, bool is_full) {
  const Result<Reader> reader = Reader::open(database);
  EXPECT_TRUE(reader.isOk()) << reader.status().message();
  const Result<RunSummary> summary = summarizeRun(reader.value(), runsOf(reader.value()).back());
  EXPECT_TRUE(summary.isOk()) << summary.status().message();
  std::vector<std::string> lines = summaryLines(summary.value(), is_full);
  lines.push_back(furtherLine(summary.value(), database));
  for (std::string& line : lines) line.insert(0, "starling: ");
  return lines;
}

TEST(EndOfRun, tellsWhatTheCommandTells) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  for (const bool is_full : {false, true}) {
    const Outcome outcome = launch(summedUp(database, is_full ? "full" : "short"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    const std::vector<std::string> lines = linesOf(database, is_full);
    if (is_full) {
      EXPECT_THAT(lines, SizeIs(7)) << "preparing has a line, and so have two call sites";
    }
    EXPECT_THAT(outcome.messages(), ElementsAreArray(lines));
    EXPECT_THAT(lines[0], HasSubstr("store_program with 3 ranks on 1 node, took "));
  }
}

// Two of three ranks make three calls on a communicator that is not prepared before the fourth.
TEST(EndOfRun, countsCallsOnCommunicatorsOfFewCalls) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  Launch program = summedUp(database, "full");
  program.arguments = "--calls 3";
  program.environment["STARLING_PREPARE"] = "worthwhile";
  const Outcome outcome = launch(program);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  const Result<Reader> reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const BesideKeys beside_keys = runsOf(reader.value()).back().run.beside_keys;
  EXPECT_EQ(beside_keys.calls, 2) << "mean over ranks";
  EXPECT_GT(beside_keys.seconds.value_or(0.0), 0.0);
  EXPECT_EQ(beside_keys.preparing, 0.0);
  EXPECT_THAT(outcome.text, HasSubstr(" were 2 calls on communicators that were not worth preparing yet."));
}

TEST(EndOfRun, isQuietWhereItIsToBe) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  EXPECT_THAT(launch(summedUp(database, "off")).messages(), IsEmpty());
  Launch silent = summedUp(database, "full");
  silent.environment["STARLING_VERBOSITY"] = "silent";
  EXPECT_THAT(launch(silent).messages(), IsEmpty());
  Launch left_alone = summedUp(database, "full");
  left_alone.environment["STARLING_MODE"] = "off";
  EXPECT_THAT(launch(left_alone).messages(), IsEmpty());
}

TEST(EndOfRun, saysNothingOfARunWithoutCalls) {
  const TemporaryFolder folder;
  for (const char* length : {"short", "full"}) {
    Launch program = summedUp(folder.file("tuning.db"), length);
    program.arguments = "--calls 0";
    EXPECT_THAT(launch(program).messages(), IsEmpty()) << length;
  }
}

TEST(EndOfRun, costsTheSummaryAloneWhereTheDatabaseIsDamaged) {
  const TemporaryFolder folder;
  writeFile(folder.file("tuning.db"), "These are notes, not a database.\n");
  expectOneWarning(launch(summedUp(folder.file("tuning.db"), "full")));
}

}  // namespace
}  // namespace starling
