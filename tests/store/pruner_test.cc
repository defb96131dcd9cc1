#include "store/pruner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "database_fixture.h"
#include "store/history.h"
#include "store/reader.h"

namespace starling {
namespace {

// Fills the file with so many epochs of one key, as an older Starling left them.
void writeOldEpochs(const std::string& path, std::int64_t epochs) {
  Database database = openDatabase(path);
  expectOk(database.beginRun(sampleRun("r")));
  Batch batch = sampleBatch();
  batch.observations.clear();
  batch.arrivals.clear();
  batch.histograms.clear();
  expectOk(database.write("r", batch));
  const auto editor = sqlite::Connection::open(path, sqlite::Access::kReadWrite, Seconds{1.0});
  const std::string numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(epochs) + ") ";
  expectOk(editor.value().execute(
      (numbers + "INSERT INTO arrivals (key, epoch, rank, samples, mean, deviation, predicted, method, epochs) "
                 "SELECT 1, i, 0, 2, 1e-3, 0.0, 0.0, 'regression', 1 FROM n")
          .c_str()));
  expectOk(editor.value().execute(
      (numbers + "INSERT INTO arrival_histograms (key, epoch, samples, counts, epochs) SELECT 1, i, 2, '[3]', 1 FROM n")
          .c_str()));
  expectOk(editor.value().execute(
      (numbers + "INSERT INTO observations (key, epoch, choice, exploration, calls, samples, elapsed_mean, epochs) "
                 "SELECT 1, i, 'ring', 0, 2, 2, 1e-3, 1 FROM n")
          .c_str()));
}

Pruner openPruner(const std::string& path, const PrunePace& pace = {}) {
  Result<Pruner> opened = Pruner::open(path, pace);
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

std::vector<StoredPolicy> storedPolicies(const std::string& path) {
  return Reader::open(path).value().allPolicies().value();
}

// One step for each transaction.
constexpr PrunePace kStepByStep{std::chrono::milliseconds{0}, std::chrono::milliseconds{0}};

TEST(Pruner, removesASiteAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 10'000);
  Pruner pruner = openPruner(path);
  for (const auto& [site, runs] : {std::pair{2, 1}, std::pair{1, 2}}) {
    expectOk(pruner.removeSites(std::vector<std::int64_t>{site}, std::vector<std::int64_t>{runs}));
    EXPECT_EQ(count(path, "arrivals"), 10'000);
  }
  expectOk(pruner.removeSites(std::vector<std::int64_t>{1}, std::vector<std::int64_t>{1}));
  for (const char* table : {"keys", "observations", "arrivals", "arrival_histograms", "decisions"}) {
    EXPECT_EQ(count(path, table), 0) << table;
  }
  EXPECT_EQ(count(path, "runs"), 1);
  expectOk(pruner.removeRuns(std::vector<std::int64_t>{1}));
  for (const char* table : {"runs", "communicators"}) EXPECT_EQ(count(path, table), 0) << table;
  EXPECT_EQ(count(path, "sites"), 1) << "a site keeps its number";
  EXPECT_EQ(count(path, "policies"), 1);
  expectOk(pruner.removePolicies(storedPolicies(path)));
  EXPECT_EQ(count(path, "policies"), 0) << "it is of no run any more";
}

TEST(Pruner, leavesPoliciesThatAJobHasRenewed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 1);
  const std::vector<StoredPolicy> planned = storedPolicies(path);
  ASSERT_EQ(planned.size(), 1U);
  Database job = openDatabase(path);
  expectOk(job.beginRun(sampleRun("job")));
  expectOk(job.write("job", sampleBatch()));
  Pruner pruner = openPruner(path);
  expectOk(pruner.removePolicies(planned));
  const std::vector<StoredPolicy> renewed = storedPolicies(path);
  ASSERT_EQ(renewed.size(), 1U);
  EXPECT_EQ(renewed.front().number, planned.front().number) << "of the same row";
  EXPECT_EQ(renewed.front().run_id, "job");
  expectOk(pruner.removePolicies(renewed));
  EXPECT_EQ(count(path, "policies"), 0);
}

// Fills the file with runs of so many keys each, of which nothing is to be thinned.
void writeManyKeys(const std::string& path, const std::vector<std::string>& run_ids, std::int32_t keys) {
  Database database = openDatabase(path);
  Batch batch = sampleBatch();
  batch.keys.clear();
  batch.observations.clear();
  for (std::int32_t i = 0; i < keys; ++i) {
    batch.keys.push_back(sampleBatch().keys.front());
    batch.keys.back().id.type = "type " + std::to_string(i);
    batch.observations.push_back(sampleBatch().observations.front());
    batch.observations.back().key = batch.keys.back().id;
  }
  for (const std::string& id : run_ids) {
    expectOk(database.beginRun(sampleRun(id)));
    expectOk(database.write(id, batch));
  }
}

// Counts how often the file changes: SQLite does so in its header.
std::int64_t changesOf(const std::string& path) {
  const std::string header = readFile(path).substr(24, 4);
  std::int64_t changes = 0;
  for (const char byte : header) changes = changes * 256 + static_cast<unsigned char>(byte);
  return changes;
}

TEST(Pruner, removesRunsInFewTransactions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeManyKeys(path, {"a", "b", "c"}, 200);
  const std::int64_t before = changesOf(path);
  Pruner pruner = openPruner(path, {.step = std::chrono::minutes{1}});
  expectOk(pruner.removeRuns(std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(changesOf(path) - before, 1);
  const Reader reader = std::move(Reader::open(path)).value();
  ASSERT_EQ(reader.runs().value().size(), 1U);
  EXPECT_EQ(reader.runs().value().front().run.id, "b");
  EXPECT_EQ(count(path, "keys"), reader.extent(2).value().keys);
  expectOk(pruner.thin());
  EXPECT_EQ(changesOf(path) - before, 1) << "keys of which nothing is to be thinned are not written";
}

TEST(Pruner, removesManyRecordsInSeveralTransactions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 10'000);
  const std::int64_t before = changesOf(path);
  expectOk(openPruner(path, kStepByStep).removeRuns(std::vector<std::int64_t>{1}));
  EXPECT_EQ(count(path, "runs"), 0);
  EXPECT_EQ(changesOf(path) - before, 14)
      << "12 of 2048 of the 30,000 rows, one of the key's last ones, one of the run";
}

// Removes the first run of the file and is killed after so many transactions.
void removeARunUntil(const std::string& path, std::int64_t transactions) {
  const std::int64_t before = changesOf(path);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr std::chrono::milliseconds kUntilKilled{100};
    auto pruner = Pruner::open(path, {std::chrono::milliseconds{0}, kUntilKilled});
    static_cast<void>(pruner.value().removeRuns(std::vector<std::int64_t>{1}));
    ::_exit(1);
  }
  // The header changes before the journal goes, which is what commits.
  const auto is_committed = [&] {
    return changesOf(path) >= before + transactions && !std::filesystem::exists(path + "-journal");
  };
  for (int waits = 0; waits < 5000 && !is_committed(); ++waits) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(Pruner, leavesARunOfFewerCallsWhereItIsKilled) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeManyKeys(path, {"a"}, 4);
  const Reader reader = std::move(Reader::open(path)).value();
  const CallsOfKeys calls = reader.calls(1).value();
  const RunExtent whole = reader.extent(1).value();
  removeARunUntil(path, 1);
  const RunExtent left = reader.extent(1).value();
  EXPECT_LT(left.keys, whole.keys);
  EXPECT_LT(reader.calls(1).value().size(), calls.size()) << "merging takes the others again";
  EXPECT_EQ(whole.records - left.records, whole.keys - left.keys) << "a key with one record is gone";
  expectOk(openPruner(path).removeRuns(std::vector<std::int64_t>{1}));
  for (const char* table : {"runs", "communicators", "keys", "observations"}) EXPECT_EQ(count(path, table), 0) << table;
}

TEST(Pruner, leavesAKeyWithoutCallsWhereItIsKilledAmidItsRecords) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 10'000);
  removeARunUntil(path, 1);
  EXPECT_EQ(count(path, "keys"), 1);
  EXPECT_LT(count(path, "observations"), 10'000);
  EXPECT_THAT(Reader::open(path).value().calls(1).value(), testing::ElementsAre(testing::Pair(testing::_, 0)))
      << "merging takes the whole key again";
}

TEST(Pruner, thinsWhatNobodyThinnedAndGivesTheSpaceBack) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 20'000);
  const std::uintmax_t before = std::filesystem::file_size(path);
  const std::int64_t changes = changesOf(path);
  Pruner pruner = openPruner(path, kStepByStep);
  expectOk(pruner.thin());
  EXPECT_LT(changesOf(path) - changes, 2000) << "all of the history is searched for each, and 13,000 records are made";
  expectOk(pruner.compact());
  EXPECT_LT(count(path, "arrivals"), 600);
  EXPECT_LT(std::filesystem::file_size(path), before / 10);
  const Reader reader = std::move(Reader::open(path)).value();
  std::int64_t epochs = 0;
  const auto stored_arrivals = reader.arrivals(1);
  for (const ArrivalRecord& arrival : stored_arrivals.value()) epochs += arrival.epochs;
  EXPECT_EQ(epochs, 20'000);
  epochs = 0;
  const auto stored_observations = reader.observations(1);
  for (const ObservationRecord& seen : stored_observations.value()) epochs += seen.epochs;
  EXPECT_EQ(epochs, 20'000);
}

TEST(Pruner, thinsDecisionsOfAKeyWithFewEpochs) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 1);
  {
    const auto editor = sqlite::Connection::open(path, sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(
        editor.value().execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
                               "INSERT INTO decisions (key, epoch, call, choice, virtual_ranks, reason) SELECT 1, 7, "
                               "i, 'ring', '[]', '' FROM n"));
  }
  expectOk(openPruner(path).thin());
  EXPECT_EQ(count(path, "decisions"), kDecisionsKept);
}

TEST(Pruner, worksBesideARunThatWrites) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 1000);
  Database writer = openDatabase(path);
  Pruner pruner = openPruner(path);
  expectOk(pruner.removeSites(std::vector<std::int64_t>{1}, std::vector<std::int64_t>{1}));
  expectOk(writer.write("r", sampleBatch()));
  EXPECT_EQ(count(path, "observations"), 1) << "the run makes its key anew";
  expectOk(pruner.compact());
  expectOk(writer.write("r", sampleBatch()));
}

TEST(Pruner, letsWritersComeBetweenItsTransactions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 10'000);
  Database writer = openDatabase(path);
  expectOk(writer.beginRun(sampleRun("other")));
  std::atomic<bool> is_pruned = false;
  std::thread pruning([&] {
    const PrunePace pace{std::chrono::milliseconds{0}, 4 * PrunePace().pause};  // others keep the machine busy, too
    expectOk(openPruner(path, pace).removeRuns(std::vector<std::int64_t>{1}));
    is_pruned = true;
  });
  std::set<std::int64_t> left;  // records of both runs after each of the writer's commits
  while (!is_pruned) {
    expectOk(writer.write("other", sampleBatch()));
    left.insert(count(path, "observations") + count(path, "arrivals") + count(path, "arrival_histograms"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pruning.join();
  EXPECT_GE(left.size(), 4U) << "it has its turn between the 14 transactions";
}

TEST(Pruner, refusesWhatIsNoDatabase) {
  const TemporaryFolder folder;
  writeFile(folder.file("b.db"), "notes");
  EXPECT_THAT(Pruner::open(folder.file("b.db")).status().message(), testing::HasSubstr("no SQLite database"));
}

}  // namespace
}  // namespace starling
