// What the database does when it cannot: locks held by others, damage, missing rights, a full disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

#include "database_fixture.h"
#include "file_size_limit.h"
#include "store/database.h"
#include "store/reader.h"
#include "store/sqlite.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Seconds kShort{0.05};

TEST(DatabaseFaults, nothingIsLostWhenAnotherHoldsTheLock) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openDatabase(path, kShort);
  expectOk(database.beginRun(sampleRun("r")));
  {
    const auto other = sqlite::Connection::open(path, sqlite::Access::kReadWrite, kShort);
    const sqlite::Transaction held(other.value());
    ASSERT_TRUE(held.status().isOk());
    EXPECT_THAT(database.write("r", sampleBatch()).message(),
                AllOf(HasSubstr("cannot write to " + path), HasSubstr("lock"), HasSubstr("0.05 s")));
    EXPECT_TRUE(database.policies(sampleEnvironment(), "heat").isOk());  // reading goes on beside a writer
  }
  expectOk(database.write("r", sampleBatch()));
  EXPECT_EQ(count(path, "observations"), 1);
}

TEST(DatabaseFaults, writeEndsWithinPatienceWhenAReaderStays) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openDatabase(path, kShort);
  expectOk(database.beginRun(sampleRun("r")));
  {
    const auto other = sqlite::Connection::open(path, sqlite::Access::kReadOnly, kShort);
    sqlite::Statement reading = other.value().prepare("SELECT number FROM runs");
    ASSERT_TRUE(reading.start().next());  // and stays at the row
    EXPECT_THAT(database.write("r", sampleBatch()).message(), HasSubstr("lock"));
  }
  EXPECT_EQ(count(path, "observations"), 0);
  expectOk(database.write("r", sampleBatch()));
}

// Returns the number as SQLite writes it.
std::string bigEndian(std::uint32_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xffU);
  return bytes;
}

// A journal without pages, at whose end stands that it is one of several files, which this file lists: the format is
// that of "Database File Format", section 3, on sqlite.org.
std::string journalThatNames(const std::string& file, std::uint32_t pages) {
  constexpr std::uint32_t kPageSize = 4096;
  constexpr std::uint32_t kSectorSize = 512;
  constexpr std::uint32_t kPendingByte = 0x40000000;
  const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  std::string header =
      magic + bigEndian(0) + bigEndian(1) + bigEndian(pages) + bigEndian(kSectorSize) + bigEndian(kPageSize);
  header.resize(kSectorSize);
  std::uint32_t sum = 0;
  for (const char c : file) sum += static_cast<std::uint32_t>(static_cast<signed char>(c));
  return header + bigEndian(kPendingByte / kPageSize + 1) + file + bigEndian(static_cast<std::uint32_t>(file.size())) +
         bigEndian(sum) + magic;
}

TEST(DatabaseFaults, noFileIsDeletedThatAJournalNames) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  expectOk(openDatabase(path).beginRun(sampleRun("r")));
  const std::string victim = folder.file("victim");
  writeFile(victim, "somebody's");
  const auto pages = static_cast<std::uint32_t>(std::filesystem::file_size(path) / 4096);
  writeFile(path + "-journal", journalThatNames(victim, pages));
  EXPECT_THAT(Reader::open(path).status().message(),
              AllOf(HasSubstr("cannot open " + path), HasSubstr("its journal named another file")));
  EXPECT_EQ(readFile(victim), "somebody's");
  EXPECT_TRUE(Reader::open(path).isOk()) << "the journal was played back, and is gone";
  EXPECT_EQ(readFile(victim), "somebody's");
}

TEST(DatabaseFaults, computedColumnsAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  expectOk(openDatabase(path).beginRun(sampleRun("r")));
  {
    auto other = sqlite::Connection::open(path, sqlite::Access::kReadWrite, kShort);
    expectOk(other.value().execute("ALTER TABLE runs ADD COLUMN slow AS (hex(zeroblob(1000000))) VIRTUAL"));
  }
  for (const Status& refused : {Reader::open(path).status(), Database::open(path).status()})
    EXPECT_THAT(refused.message(), AllOf(HasSubstr("runs.slow is computed"), HasSubstr("STARLING_DB")));
}

TEST(DatabaseFaults, damagedFileIsRefusedAndKept) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  {
    Database database = openDatabase(path);
    expectOk(database.beginRun(sampleRun("r")));
    Batch batch = sampleBatch();
    for (int epoch = 0; epoch < 5000; ++epoch) {
      batch.arrivals.push_back(batch.arrivals.front());
      batch.arrivals.back().epoch = epoch;
    }
    expectOk(database.write("r", batch));
  }
  const std::string whole = readFile(path);
  const std::size_t tables = whole.size() / 2;  // the schema is before it
  for (const std::size_t first_bad : {std::size_t{4096}, tables}) {
    std::string bytes = whole;
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(first_bad), bytes.end(), '\x5a');
    writeFile(path, bytes);
    Result<Database> opened = Database::open(path);
    const Status status = opened.isOk() ? opened.value().write("r", sampleBatch()) : opened.status();
    EXPECT_THAT(status.message(), AllOf(HasSubstr("damaged"), HasSubstr("move it away"), HasSubstr(path)));
    EXPECT_EQ(opened.isOk(), first_bad == tables);
    EXPECT_TRUE(readFile(path) == bytes);
  }
}

TEST(DatabaseFaults, fileThatWasCutIsRefusedAndKept) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  openDatabase(path);
  const std::string bytes = readFile(path).substr(0, 10'000);
  writeFile(path, bytes);
  EXPECT_THAT(Database::open(path).status().message(), HasSubstr("damaged"));
  EXPECT_TRUE(readFile(path) == bytes);
}

TEST(DatabaseFaults, saysSoWhenFileMayNotBeWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  openDatabase(path);
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  const WithoutPrivileges nobody(folder.path());
  EXPECT_THAT(Database::open(path).status().message(), AllOf(HasSubstr("may not be written"), HasSubstr(path)));
}

TEST(DatabaseFaults, saysSoWhenFolderMayNotBeWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  {
    const WithoutPrivileges nobody(folder.path());
    openDatabase(path);
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const WithoutPrivileges nobody(folder.path());
  Database database = openDatabase(path);
  EXPECT_THAT(database.beginRun(sampleRun("r")).message(), AllOf(HasSubstr("folder"), HasSubstr("STARLING_DB")));
  EXPECT_THAT(Database::open(folder.file("new.db")).status().message(), HasSubstr("may be used by this user"));
  EXPECT_THAT(Database::open(folder.file("b/c.db")).status().message(),
              AllOf(HasSubstr("folder cannot be made"), HasSubstr("Permission denied")));
}

TEST(DatabaseFaults, nothingIsLostWhenDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openDatabase(path);
  expectOk(database.beginRun(sampleRun("r")));
  expectOk(database.write("r", sampleBatch()));
  Batch large = sampleBatch();
  large.decisions.front().call = 13;
  large.decisions.front().reason.assign(1'000'000, 'x');
  {
    const FileSizeLimit limit(std::filesystem::file_size(path) + 8192);
    EXPECT_THAT(database.write("r", large).message(), AllOf(HasSubstr("cannot write to"), HasSubstr("check the disk")));
  }
  EXPECT_EQ(count(path, "decisions"), 1);
  expectOk(database.write("r", large));
  EXPECT_EQ(count(path, "decisions"), 2);
}

}  // namespace
}  // namespace starling
