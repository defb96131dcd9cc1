#include "store/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>

#include "fixture.h"

namespace starling {
namespace {

using sqlite::Access;
using sqlite::Connection;
using sqlite::Statement;
using testing::HasSubstr;

Connection openNew(const std::string& path) {
  Result<Connection> opened = Connection::open(path, Access::kReadWrite, Seconds{0.02});
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

std::vector<std::string> selectTexts(const Connection& connection, const std::string& sql) {
  Statement statement = connection.prepare(sql);
  statement.start();
  std::vector<std::string> texts;
  while (statement.next()) statement.read(texts.emplace_back());
  EXPECT_TRUE(statement.status().isOk()) << statement.status().message();
  return texts;
}

// bringForward() refuses `bytes`, says `reason`, and leaves file and folder as they are.
void expectRefusedUntouched(const std::string& bytes, const std::string& reason) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeFile(path, bytes);
  for (const bool reading : {false, true}) {
    Result<Connection> opened = Connection::open(path, reading ? Access::kReadOnly : Access::kReadWrite, Seconds{0.02});
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    const Status refused = reading ? requireSchema(opened.value()) : bringForward(opened.value());
    EXPECT_THAT(refused.message(), HasSubstr(reason));
    EXPECT_THAT(refused.message(), HasSubstr(path));
    EXPECT_THAT(refused.message(), HasSubstr("STARLING_DB"));
  }
  EXPECT_EQ(readFile(path), bytes);
  const std::filesystem::directory_iterator entries(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

// The bytes of an SQLite file made by `sql`.
std::string fileMadeBy(const std::string& sql) {
  const TemporaryFolder folder;
  {
    const Status made = openNew(folder.file("a.db")).execute(sql.c_str());
    EXPECT_TRUE(made.isOk()) << made.message();
  }
  return readFile(folder.file("a.db"));
}

TEST(Schema, everyTableAndColumnHasAComment) {
  const Connection connection = openNew(":memory:");
  ASSERT_TRUE(bringForward(connection).isOk());
  const std::vector<std::string> tables =
      selectTexts(connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  EXPECT_THAT(tables, testing::ElementsAre("arrivals", "communicators", "decisions", "environments", "keys",
                                           "observations", "policies", "runs", "sites"));
  for (const std::string& table : tables) {
    const std::string sql =
        selectTexts(connection, "SELECT sql FROM sqlite_schema WHERE name = '" + table + "'").front();
    EXPECT_TRUE(std::regex_search(sql, std::regex("\\(\\s*-- [A-Z]"))) << "no comment at the head of " << table;
    for (const std::string& column : selectTexts(connection, "SELECT name FROM pragma_table_info('" + table + "')")) {
      EXPECT_TRUE(std::regex_search(sql, std::regex("\n  " + column + " [^\n]*-- \\S"))) << table << "." << column;
    }
  }
}

TEST(Schema, realColumnsSayTheirUnit) {
  for (const char* step : kSchemaSteps) {
    const std::string text = step;
    const std::regex real("\n  (\\w+) REAL[^\n]*-- ([^\n]*)");
    for (std::sregex_iterator it(text.begin(), text.end(), real); it != std::sregex_iterator(); ++it) {
      if ((*it)[1] == "gain") continue;  // a ratio
      EXPECT_THAT((*it)[2].str(), HasSubstr("seconds")) << (*it)[1] << " says no unit" << (*it)[0];
    }
  }
}

TEST(BringForward, isDoneOnceWhenCalledTwice) {
  const TemporaryFolder folder;
  const Connection connection = openNew(folder.file("a.db"));
  ASSERT_TRUE(bringForward(connection).isOk());
  const std::string bytes = readFile(folder.file("a.db"));
  ASSERT_TRUE(bringForward(connection).isOk());
  EXPECT_TRUE(requireSchema(connection).isOk());
  EXPECT_EQ(readFile(folder.file("a.db")), bytes);
}

TEST(BringForward, takesOnlyTheStepsThatLackWhenFileIsOlder) {
  const TemporaryFolder folder;
  const Connection connection = openNew(folder.file("a.db"));
  constexpr std::array<const char*, 1> kOne = {"CREATE TABLE t (a); INSERT INTO t VALUES ('kept')"};
  constexpr std::array<const char*, 3> kThree = {kOne[0], "ALTER TABLE t ADD COLUMN b", "UPDATE t SET b = a || '!'"};
  ASSERT_TRUE(bringForward(connection, kOne).isOk());
  EXPECT_THAT(requireSchema(connection, kThree).message(), HasSubstr("version 1"));
  ASSERT_TRUE(bringForward(connection, kThree).isOk());
  EXPECT_TRUE(requireSchema(connection, kThree).isOk());
  EXPECT_THAT(selectTexts(connection, "SELECT b FROM t"), testing::ElementsAre("kept!"));
}

TEST(BringForward, undoesEarlierStepsWhenOneFails) {
  const TemporaryFolder folder;
  const Connection connection = openNew(folder.file("a.db"));
  constexpr std::array<const char*, 1> kOne = {"CREATE TABLE t (a)"};
  constexpr std::array<const char*, 3> kBroken = {kOne[0], "CREATE TABLE u (a)", "CREATE TABLE u (a)"};
  ASSERT_TRUE(bringForward(connection, kOne).isOk());
  const std::string bytes = readFile(folder.file("a.db"));
  EXPECT_THAT(bringForward(connection, kBroken).message(), HasSubstr("already exists"));
  EXPECT_EQ(readFile(folder.file("a.db")), bytes);
}

TEST(BringForward, leavesFileUntouchedWhenItIsNoSqliteDatabase) {
  expectRefusedUntouched("This is a letter, not a database.\n", "no SQLite database");
  expectRefusedUntouched(std::string(100'000, '\xff'), "no SQLite database");
}

TEST(BringForward, leavesFileUntouchedWhenItBelongsToAnotherProgram) {
  expectRefusedUntouched(fileMadeBy("CREATE TABLE theirs (a)"), "another program's");
  expectRefusedUntouched(fileMadeBy("CREATE TABLE theirs (a); PRAGMA application_id = 7"), "another program's");
  expectRefusedUntouched(fileMadeBy("PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)"), "another program's");
}

TEST(BringForward, leavesFileUntouchedWhenItsSchemaIsNewer) {
  const std::string mark = "CREATE TABLE t (a); PRAGMA application_id = " + std::to_string(kApplicationId) +
                           "; PRAGMA user_version = " + std::to_string(kSchemaSteps.size() + 1);
  expectRefusedUntouched(fileMadeBy(mark), "use the newer Starling");
}

TEST(RequireSchema, saysSoWhenFileIsEmpty) {
  const TemporaryFolder folder;
  writeFile(folder.file("a.db"), "");
  const Result<Connection> opened = Connection::open(folder.file("a.db"), Access::kReadOnly, Seconds{0.02});
  ASSERT_TRUE(opened.isOk());
  EXPECT_THAT(requireSchema(opened.value()).message(), HasSubstr("empty"));
}

}  // namespace
}  // namespace starling
