// No fault of the tuning database ever shows in the program, but for one warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "launcher.h"
#include "store/reader.h"
#include "store/sqlite.h"
#include "store_runs.h"

namespace starling {
namespace {

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

}  // namespace
}  // namespace starling
