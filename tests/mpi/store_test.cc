// What a program leaves in the tuning database, and that no fault of the database ever shows in the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "launcher.h"
#include "store/reader.h"
#include "store/sqlite.h"

namespace starling {
namespace {

constexpr int kCalls = 60;  // of each site in store_program
constexpr int kRanks = 3;

// Its communicators are prepared as soon as they may be, however short their calls are.
Launch programWith(const std::string& database, const std::string& arguments = "") {
  return {.program = STARLING_STORE_PROGRAM,
          .arguments = arguments,
          .ranks = kRanks,
          .environment = {{"STARLING_DB", database}, {"STARLING_PREPARE", "always"}},
          .launcher_options = {}};
}

// The program's sums were right, and it was told of nothing.
void expectQuiet(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::IsEmpty());
}

// The program's sums were right, and it was told once.
void expectOneWarning(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::SizeIs(1)) << outcome.text;
}

std::vector<RunRow> runsOf(const Reader& reader) {
  const auto runs = reader.runs();
  EXPECT_TRUE(runs.isOk()) << runs.status().message();
  return runs.isOk() ? runs.value() : std::vector<RunRow>{};
}

std::vector<KeyRow> keysOf(const Reader& reader, const RunRow& run) {
  const auto keys = reader.keys(run.number);
  EXPECT_TRUE(keys.isOk()) << keys.status().message();
  return keys.isOk() ? keys.value() : std::vector<KeyRow>{};
}

std::set<std::string> labelsOf(const std::vector<KeyRow>& keys) {
  std::set<std::string> labels;
  for (const KeyRow& row : keys) labels.insert(row.site.label);
  return labels;
}

// What one run of the program leaves: all of it, also of the communicator whose root is not the writer.
void expectComplete(const Reader& reader, const RunRow& run) {
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

TEST(Store, secondRunStartsFromTheFirst) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  expectQuiet(launch(programWith(database)));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<RunRow> runs = runsOf(reader.value());
  ASSERT_EQ(runs.size(), 2U);
  expectComplete(reader.value(), runs[1]);
  for (const KeyRow& row : keysOf(reader.value(), runs[1])) {
    const auto decisions = reader.value().decisions(row.number);
    ASSERT_FALSE(decisions.value().empty());
    EXPECT_THAT(decisions.value().front().reason, testing::StartsWith("The tuning database says of an earlier run"));
  }
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

TEST(StoreFault, pathThatCannotExistCostsOneWarning) { expectOneWarning(launch(programWith("/dev/null/tuning.db"))); }

#ifdef STARLING_NO_THREADS
TEST(StoreFault, systemWithoutThreadsCostsOneWarningAndLosesNothing) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  Launch program = programWith(database);
  program.environment["LD_PRELOAD"] = STARLING_NO_THREADS;
  const Outcome outcome = launch(program);
  expectOneWarning(outcome);
  EXPECT_THAT(outcome.text, testing::HasSubstr("ulimit -u"));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  expectComplete(reader.value(), runsOf(reader.value()).at(0));
}
#endif

// From here on permissions count for the programs that this process starts, also for root.
void dropOverride() { ::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0); }

TEST(StoreFault, readOnlyFolderCostsOneWarning) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  dropOverride();
  expectOneWarning(launch(programWith(folder.file("tuning.db"))));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(StoreFault, readOnlyDatabaseCostsOneWarningAndStaysAsItIs) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  const std::string before = readFile(database);
  std::filesystem::permissions(database, std::filesystem::perms::owner_read);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  dropOverride();
  expectOneWarning(launch(programWith(database)));
  EXPECT_EQ(readFile(database), before);
}

TEST(StoreFault, fileThatIsNoDatabaseCostsOneWarningAndStaysAsItIs) {
  const TemporaryFolder folder;
  const std::string database = folder.file("thesis.txt");
  const std::string text(10'000, 'x');
  writeFile(database, text);
  expectOneWarning(launch(programWith(database)));
  EXPECT_EQ(readFile(database), text);
}

TEST(StoreFault, damagedDatabaseCostsOneWarning) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  std::string bytes = readFile(database);
  ASSERT_GT(bytes.size(), 8192U);
  std::fill(bytes.begin() + 4096, bytes.end(), '\xa5');  // the first page still says that all is well
  writeFile(database, bytes);
  expectOneWarning(launch(programWith(database)));
}

TEST(StoreFault, fullDiskCostsOneWarningAndKeepsWhatWasThere) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  const auto size = std::filesystem::file_size(database);  // half of it can still be written
  expectOneWarning(launch(programWith(database, "--limit-file-size " + std::to_string(size / 2))));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  expectComplete(reader.value(), runsOf(reader.value()).at(0));
}

sqlite::Connection lockedBy(const std::string& database) {
  sqlite::Connection connection =
      std::move(sqlite::Connection::open(database, sqlite::Access::kReadWrite, Seconds{5.0})).value();
  EXPECT_TRUE(connection.execute("BEGIN EXCLUSIVE").isOk());
  return connection;
}

TEST(StoreFault, lockThatStaysCostsOneWarning) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  const std::string before = readFile(database);
  const sqlite::Connection lock = lockedBy(database);
  expectOneWarning(launch(programWith(database)));
  EXPECT_EQ(readFile(database), before);
}

TEST(StoreFault, lockThatPassesLosesNothing) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database)));
  const sqlite::Connection lock = lockedBy(database);
  Outcome outcome;
  std::thread program([&] { outcome = launch(programWith(database, "--rendezvous '" + folder.file("run") + "'")); });
  for (int i = 0; i < 6000 && !std::filesystem::exists(folder.file("run.asked")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(lock.execute("ROLLBACK").isOk());
  writeFile(folder.file("run.go"), "");
  program.join();
  expectOneWarning(outcome);
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<RunRow> runs = runsOf(reader.value());
  ASSERT_EQ(runs.size(), 2U);
  expectComplete(reader.value(), runs[1]);
}

// Its schedules need memory that the ranks have to agree on first. Until they have, its calls run native.
TEST(StoredPolicy, thatIsVerySlowMakesThreeCallsAtMost) {
  const TemporaryFolder folder;
  const std::string database = folder.file("tuning.db");
  expectQuiet(launch(programWith(database, "--count 100000")));
  {
    const auto opened = sqlite::Connection::open(database, sqlite::Access::kReadWrite, Seconds{5.0});
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    const Status planted = opened.value().execute(
        "UPDATE policies SET choice = 'slt:segments=65536', virtual_ranks = '[]', lateness_ns = '[]'");
    ASSERT_TRUE(planted.isOk()) << planted.message();
    ASSERT_GT(opened.value().changes(), 0);
  }
  expectQuiet(launch(programWith(database, "--count 100000")));
  const auto reader = Reader::open(database);
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  const std::vector<RunRow> runs = runsOf(reader.value());
  ASSERT_EQ(runs.size(), 2U);
  std::int64_t all_slow_calls = 0;
  for (const KeyRow& row : keysOf(reader.value(), runs.back())) {
    const auto observations = reader.value().observations(row.number);
    ASSERT_TRUE(observations.isOk());
    std::int64_t slow_calls = 0;
    for (const ObservationRecord& seen : observations.value()) {
      if (seen.choice == "slt:segments=65536") slow_calls += seen.calls;
    }
    EXPECT_LE(slow_calls, 3) << row.site.label;
    all_slow_calls += slow_calls;
  }
  // A key may know from another one that the choice is slow.
  EXPECT_GT(all_slow_calls, 0);
}

}  // namespace
}  // namespace starling
