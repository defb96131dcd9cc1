// Records of ranks that reduce while world rank 0, which writes the database, only waits: they arrive all the same, and
// what adds up is bounded on every rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "launcher.h"
#include "store/sqlite.h"

namespace starling {
namespace {

constexpr std::chrono::milliseconds kPause{20};
constexpr std::chrono::seconds kPatience{50};

bool becomesTrue(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

// -1: the database is not there yet, or is being written.
std::int64_t numberOf(const std::string& database, const std::string& sql) {
  if (!std::filesystem::exists(database)) return -1;
  const auto connection = sqlite::Connection::open(database, sqlite::Access::kReadOnly, Seconds{5.0});
  if (!connection.isOk()) return -1;
  sqlite::Statement statement = connection.value().prepare(sql);
  std::int64_t number = -1;
  if (statement.start().next()) statement.read(number);
  return number;
}

class Master : public testing::Test {
 protected:
  Launch workers(int rounds, const std::string& arguments = "") const {
    Launch what;
    what.program = STARLING_MASTER_AND_WORKERS;
    what.arguments = std::to_string(rounds) + " " + arguments;
    what.ranks = 3;
    what.environment = {{"STARLING_DB", database_}, {"STARLING_FLUSH_INTERVAL", "0.1"}, {"STARLING_PREPARE", "always"}};
    what.launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
    return what;
  }

  // Runs it until the file `prefix`.<suffix> is written.
  std::string prefix() const { return folder_.file("told"); }
  Launch workersUntilTold() const { return workers(8, "'" + prefix() + "'"); }

  std::int64_t communicators() const { return numberOf(database_, "SELECT count(*) FROM communicators"); }
  // Complete files in the spool.
  std::size_t filesInSpool() const {
    std::size_t files = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(spool_, ignored)) {
      if (entry.is_regular_file(ignored) && !entry.path().filename().string().starts_with(".")) ++files;
    }
    return files;
  }

  static void expectBounded(const Launch& what) {
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    // In a quarter of the rounds. SQLite keeps up to 2 MB of pages on rank 0; twice as many rounds grow by hardly more.
    constexpr long kMostKilobytes = 1700;
    std::istringstream stream(outcome.text);
    int told = 0;
    for (std::string line; std::getline(stream, line);) {
      const std::size_t at = line.find("grew by ");
      if (at == std::string::npos) continue;
      ++told;
      EXPECT_LT(std::stol(line.substr(at + 8)), kMostKilobytes) << line;
    }
    EXPECT_EQ(told, what.ranks);
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_.file("tuning.db");
  const std::string spool_ = database_ + "-spool-" + std::to_string(::geteuid());
};

constexpr int kManyRounds = 1200;

TEST_F(Master, memoryIsBoundedWhereRecordsGoByFiles) { expectBounded(workers(kManyRounds)); }

TEST_F(Master, memoryIsBoundedWhereCallsWrite) {
  Launch what = workers(kManyRounds);
  what.environment["STARLING_WRITER"] = "inline";
  expectBounded(what);
}

TEST_F(Master, memoryIsBoundedWhereTheFolderCannotBeUsed) {
  Launch what = workers(kManyRounds);
  what.environment["STARLING_DB"] = "/dev/null/tuning.db";
  expectBounded(what);
}

TEST_F(Master, nothingIsLostWhenTheProgramEnds) {
  constexpr int kRounds = 60;
  const Outcome outcome = launch(workers(kRounds));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::IsEmpty());
  // On a busy machine MPI_Finalize may have ended before all was stored: then a next run does it.
  constexpr int kNextRounds = 4;
  constexpr int kMostRuns = 5;
  int made = kRounds + 1;
  for (int run = 1; run < kMostRuns && std::filesystem::exists(spool_); ++run) {
    EXPECT_EQ(launch(workers(kNextRounds)).exit_code, 0);
    made += kNextRounds + 1;
  }
  EXPECT_FALSE(std::filesystem::exists(spool_));
  EXPECT_EQ(communicators(), made);
  EXPECT_EQ(
      numberOf(database_, "SELECT count(*) FROM communicators WHERE number NOT IN (SELECT communicator FROM keys)"), 0);
  EXPECT_GE(numberOf(database_, "SELECT count(*) FROM runs WHERE finished IS NOT NULL"), 1);
}

TEST_F(Master, recordsArriveWhileItWaits) {
  Outcome outcome;
  std::thread program([&] { outcome = launch(workersUntilTold()); });
  EXPECT_TRUE(becomesTrue([&] { return communicators() > 1; }));
  writeFile(prefix() + ".end", "");
  program.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.messages(), testing::IsEmpty());
}

TEST_F(Master, nextRunStoresWhatAKilledOneLeft) {
  Outcome outcome;
  std::thread program([&] { outcome = launch(workersUntilTold()); });
  EXPECT_TRUE(becomesTrue([&] { return communicators() > 1; }));
  const sqlite::Connection lock =
      std::move(sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{20.0})).value();
  EXPECT_TRUE(lock.execute("BEGIN EXCLUSIVE").isOk());
  EXPECT_TRUE(becomesTrue([&] { return filesInSpool() > 2; }));
  writeFile(prefix() + ".kill", "");
  program.join();
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_GT(filesInSpool(), 2U);
  EXPECT_TRUE(lock.execute("ROLLBACK").isOk());
  const std::int64_t before = communicators();
  constexpr int kRounds = 4;
  const Outcome next = launch(workers(kRounds));
  EXPECT_EQ(next.exit_code, 0) << next.text;
  EXPECT_THAT(next.messages(), testing::IsEmpty());
  EXPECT_GT(communicators(), before + kRounds + 1);
  EXPECT_EQ(filesInSpool(), 0U);
}

}  // namespace
}  // namespace starling
