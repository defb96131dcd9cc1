// What a program leaves in the tuning database, and what a later run takes from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "launcher.h"
#include "planted_policies.h"
#include "store/reader.h"
#include "store/sqlite.h"
#include "store_runs.h"

namespace starling {
namespace {

TEST(Store, keepsRunKeysArrivalsAndDecisions) {
  const TemporaryFolder folder;
  const std::string database = folder.file("new/folders/tuning.db");
  expectQuiet(launch(programWith(database)));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<RunRow> runs = runsOf(reader.value());
  ASSERT_EQ(runs.size(), 1U);
  expectComplete(reader.value(), runs[0]);
  std::int64_t exploration_calls = 0;
  std::size_t decided = 0;
  for (const KeyRow& row : keysOf(reader.value(), runs[0])) {
    exploration_calls += row.key.exploration_calls;
    // Where times vary much a key may still explore at the end.
    decided += row.key.state == "settled" || row.key.choice != "native" ? 1 : 0;
  }
  EXPECT_GT(exploration_calls, 0);
  const auto policies = reader.value().policies(runs[0].number);
  ASSERT_TRUE(policies.isOk());
  EXPECT_GE(policies.value().size(), decided);
}

// What one number of the database is, past the reader.
std::int64_t numberOf(const std::string& database, const std::string& sql) {
  const auto connection = sqlite::Connection::open(database, sqlite::Access::kReadOnly, Seconds{5.0});
  EXPECT_TRUE(connection.isOk()) << connection.status().message();
  sqlite::Statement statement = connection.value().prepare(sql);
  std::int64_t number = -1;
  if (statement.start().next()) statement.read(number);
  EXPECT_TRUE(statement.status().isOk()) << statement.status().message();
  return number;
}

TEST(Store, bringsTogetherClocksThatDifferAndSaysHowWell) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  Launch apart = programWith(
      database, ": -n 1 env STARLING_CLOCK_OFFSET=7200 STARLING_CLOCK_DRIFT=50 '" STARLING_STORE_PROGRAM "'");
  apart.ranks = kRanks - 1;
  expectQuiet(launch(apart));
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM communicators WHERE compared_by = 'post_arrival'"), 2);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM communicators WHERE alpha >= 0 AND beta > 0 AND nodes NOT NULL"),
            2)
      << "what messages cost is there for whatif";
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM communicators WHERE clock_error > 0 AND clock_error < 1"), 2);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM keys WHERE imbalance IS NULL OR imbalance > 3600"), 0);
  EXPECT_GT(numberOf(database, "SELECT count(*) FROM arrivals"), 0);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM arrivals WHERE mean > 3600"), 0);
}

TEST(Store, saysThatPostArrivalTimesAreComparedWhereRanksReadOneClock) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM communicators WHERE clock_error = 0"), 2);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM communicators WHERE compared_by = 'post_arrival'"), 2);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM keys WHERE imbalance IS NULL OR seconds IS NULL"), 0);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM observations WHERE samples > 0 AND post_arrival_mean IS NULL"), 0);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM observations WHERE samples = 0 AND elapsed_mean IS NOT NULL"), 0);
  EXPECT_EQ(numberOf(database, "SELECT count(*) FROM policies WHERE compared_by IS NOT 'post_arrival'"), 0);
}

// The sites that runs have learned a policy of.
std::set<std::string> learnedSites(const std::string& database) {
  const auto reader = Reader::open(database);
  EXPECT_TRUE(reader.isOk()) << reader.status().message();
  std::set<std::string> sites;
  for (const RunRow& run : runsOf(reader.value())) {
    const auto policies = reader.value().policies(run.number);
    EXPECT_TRUE(policies.isOk()) << policies.status().message();
    for (const PolicyRecord& policy : policies.value()) sites.insert(policy.site);
  }
  return sites;
}

// Runs the program until it has a policy of some site, and returns of which. Where times vary much a run may still
// explore at a site when it ends, and has none of it then.
std::set<std::string> learnInto(const std::string& database) {
  constexpr int kMostRuns = 5;
  std::set<std::string> learned;
  for (int run = 0; run < kMostRuns && learned.empty(); ++run) {
    expectQuiet(launch(programWith(database)));
    learned = learnedSites(database);
  }
  return learned;
}

// The database's latest run began with what was learned at these sites, and at no others.
void expectStartFrom(const std::set<std::string>& learned, const std::string& database) {
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const RunRow later = runsOf(reader.value()).back();
  expectComplete(reader.value(), later);
  for (const KeyRow& row : keysOf(reader.value(), later)) {
    const auto decisions = reader.value().decisions(row.number);
    ASSERT_FALSE(decisions.value().empty());
    const std::string& reason = decisions.value().front().reason;
    const bool starts_from_it = reason.starts_with("The tuning database says of an earlier run");
    EXPECT_EQ(starts_from_it, learned.contains(row.site.identity)) << row.site.label << ": " << reason;
  }
}

TEST(Store, laterRunStartsFromWhatWasLearned) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  const std::set<std::string> learned = learnInto(database);
  ASSERT_FALSE(learned.empty());
  expectQuiet(launch(programWith(database)));
  expectStartFrom(learned, database);
}

TEST(Store, runStartsFromAnotherDatabaseAndStoresInItsOwn) {
  const TemporaryFolder folder;
  const std::string other = folder.file("other.db");
  const std::set<std::string> learned = learnInto(other);
  ASSERT_FALSE(learned.empty());
  Launch program = programWith(folder.file("own.db"));
  program.environment["STARLING_START_DB"] = other;
  const std::string before = readFile(other);
  expectQuiet(launch(program));
  expectStartFrom(learned, folder.file("own.db"));
  EXPECT_EQ(readFile(other), before);
}

TEST(Store, forcedAlgorithmIsWhatIsRecordedOfEveryCall) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  Launch forced = programWith(database);
  forced.environment["STARLING_ALGORITHM"] = "ring_segmented";
  expectQuiet(launch(forced));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  for (const KeyRow& row : keysOf(reader.value(), runsOf(reader.value()).at(0))) {
    const auto observations = reader.value().observations(row.number);
    for (const ObservationRecord& record : observations.value()) EXPECT_EQ(record.choice, "ring_segmented");
  }
}

TEST(Store, killedRunKeepsWhatWasFlushed) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  EXPECT_NE(launch(programWith(database, "--kill")).exit_code, 0);
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<RunRow> runs = runsOf(reader.value());
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_FALSE(runs[0].finished.has_value());
  EXPECT_THAT(labelsOf(keysOf(reader.value(), runs[0])), testing::Contains("all"));
}

TEST(Store, concurrentJobsShareTheFile) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  Outcome first;
  std::thread other([&] { first = launch(programWith(database)); });
  const Outcome second = launch(programWith(database));
  other.join();
  EXPECT_EQ(first.exit_code, 0) << first.text;
  EXPECT_EQ(second.exit_code, 0) << second.text;
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<RunRow> runs = runsOf(reader.value());
  ASSERT_EQ(runs.size(), 2U);
  for (const RunRow& run : runs) expectComplete(reader.value(), run);
}

TEST(Store, isQuietAndEmptyWhenTuningIsOff) {
  const TemporaryFolder folder;
  Launch off = programWith(folder.file("tuning.db"));
  off.environment["STARLING_MODE"] = "off";
  expectQuiet(launch(off));
  EXPECT_FALSE(std::filesystem::exists(folder.file("tuning.db")));
}

TEST(StoredPolicy, isRunFromTheSecondCallOfTheWorldOnWhateverFormerBuildsLearned) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  ASSERT_TRUE(learnAndPlant(programWith(database), database, "recursive_doubling", 2.0));
  {
    const auto former = sqlite::Connection::open(database, sqlite::Access::kReadWrite, Seconds{5.0});
    ASSERT_TRUE(former.isOk()) << former.status().message();
    const std::string columns =
        "communicator_size, size_class, type, operation, virtual_ranks, lateness_ns, gain, compared_by, reason";
    const std::string planting = "INSERT OR IGNORE INTO policies (environment, program, site, choice, " + columns +
                                 ") SELECT environment, program, 'store_program[0123456789abcdef]+0x10', 'ring', " +
                                 columns + " FROM policies";
    const Status planted = former.value().execute(planting.c_str());
    ASSERT_TRUE(planted.isOk()) << planted.message();
    ASSERT_GT(former.value().changes(), 0);
  }
  expectQuiet(launch(programWith(database)));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<KeyRow> keys = keysOf(reader.value(), runsOf(reader.value()).back());
  const auto all = std::ranges::find(keys, "all", [](const KeyRow& row) { return row.site.label; });
  ASSERT_NE(all, keys.end());
  const auto decisions = reader.value().decisions(all->number);
  ASSERT_FALSE(decisions.value().empty());
  EXPECT_EQ(decisions.value().front().call, 1);
  EXPECT_EQ(decisions.value().front().choice, "recursive_doubling");
}

// Whether it is foretold, or the plan of its key. It takes three calls to give it up, as the tests of the tuner show;
// where the machine was busy while messages were probed, the first of them do not look slow.
TEST(StoredPolicy, thatIsVerySlowIsGivenUpWithinFewCalls) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  const Launch program = programWith(database, "--count 100000");
  ASSERT_TRUE(learnAndPlant(program, database, "slt:segments=65536", 2.0));
  expectQuiet(launch(program));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  std::int64_t all_slow_calls = 0;
  for (const KeyRow& row : keysOf(reader.value(), runsOf(reader.value()).back())) {
    const auto observations = reader.value().observations(row.number);
    ASSERT_TRUE(observations.isOk());
    std::int64_t slow_calls = 0;
    for (const ObservationRecord& seen : observations.value()) {
      if (seen.choice == "slt:segments=65536") slow_calls += seen.calls;
    }
    EXPECT_LE(slow_calls, kCalls / 5) << row.site.label;
    EXPECT_NE(row.key.choice, "slt:segments=65536") << row.site.label;
    all_slow_calls += slow_calls;
  }
  // A key may know from another one that the choice is slow.
  EXPECT_GT(all_slow_calls, 0);
}

}  // namespace
}  // namespace starling
