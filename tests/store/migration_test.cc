#include "store/migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>

#include "first_schema.h"
#include "fixture.h"
#include "store/reader.h"

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
    const Status refused = reading ? schemaSteps(opened.value()).status() : bringForward(opened.value());
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
  EXPECT_THAT(tables, testing::ElementsAre("arrival_histograms", "arrivals", "communicators", "decisions",
                                           "environments", "keys", "observations", "policies", "runs", "sites"));
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
      if ((*it)[1] == "gain" || (*it)[1] == "gain_error") continue;  // ratios
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
  EXPECT_EQ(schemaSteps(connection).value(), kSchemaSteps.size());
  EXPECT_EQ(readFile(folder.file("a.db")), bytes);
}

TEST(BringForward, takesOnlyTheStepsThatLackWhenFileIsOlder) {
  const TemporaryFolder folder;
  const Connection connection = openNew(folder.file("a.db"));
  constexpr std::array<const char*, 1> kOne = {"CREATE TABLE t (a); INSERT INTO t VALUES ('kept')"};
  constexpr std::array<const char*, 3> kThree = {kOne[0], "ALTER TABLE t ADD COLUMN b", "UPDATE t SET b = a || '!'"};
  ASSERT_TRUE(bringForward(connection, kOne).isOk());
  EXPECT_EQ(schemaSteps(connection, kThree).value(), 1U);
  ASSERT_TRUE(bringForward(connection, kThree).isOk());
  EXPECT_EQ(schemaSteps(connection, kThree).value(), 3U);
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

TEST(BringForward, secondStepTellsWhatTheFirstLeftOpen) {
  const TemporaryFolder folder;
  writeFirstSchemaDatabase(folder.file("a.db"));
  const Connection connection = openNew(folder.file("a.db"));
  // Referring rows stay where the tables that they refer to are rebuilt.
  ASSERT_TRUE(connection.execute("PRAGMA foreign_keys = ON").isOk());
  const Status forward = bringForward(connection);
  ASSERT_TRUE(forward.isOk()) << forward.message();
  EXPECT_TRUE(selectTexts(connection, "SELECT \"table\" FROM pragma_foreign_key_check").empty());
  const auto rows = [&connection](const std::string& sql) { return selectTexts(connection, sql); };
  EXPECT_THAT(rows("SELECT id || ' ' || compared_by FROM communicators ORDER BY id"),
              testing::ElementsAre("c1 post_arrival", "c2 elapsed"));
  EXPECT_THAT(rows("SELECT concat FROM (SELECT number, coalesce(seconds, 'NULL') || ' ' || coalesce(imbalance, 'NULL') "
                   "AS concat FROM keys) ORDER BY number"),
              testing::ElementsAre("1.5 0.002", "NULL NULL", "1.5 NULL"));
  EXPECT_THAT(rows("SELECT coalesce(elapsed_mean, 'NULL') || ' ' || coalesce(elapsed_minimum, 'NULL') || ' ' || "
                   "coalesce(elapsed_deviation, 'NULL') FROM observations ORDER BY number"),
              testing::ElementsAre("0.004 NULL NULL", "NULL NULL NULL", "0.004 0.0035 0.0005"));
  EXPECT_THAT(rows("SELECT coalesce(post_arrival_mean, 'NULL') || ' ' || coalesce(post_arrival_minimum, 'NULL') || ' ' "
                   "|| coalesce(post_arrival_deviation, 'NULL') FROM observations ORDER BY number"),
              testing::ElementsAre("0.003 0.001 0.0005", "NULL NULL NULL", "NULL NULL NULL"));
  EXPECT_THAT(rows("SELECT compared_by FROM policies"), testing::ElementsAre("post_arrival"));
  EXPECT_THAT(rows("SELECT compared_by FROM keys JOIN communicators ON communicators.number = keys.communicator ORDER "
                   "BY keys.number"),
              testing::ElementsAre("post_arrival", "post_arrival", "elapsed"));
}

TEST(BringForward, secondStepKeepsEveryOtherValue) {
  const TemporaryFolder folder;
  writeFirstSchemaDatabase(folder.file("a.db"));
  const Connection connection = openNew(folder.file("a.db"));
  const std::vector<std::string> kept = {
      "SELECT group_concat(number || run || id || name || size) FROM communicators",
      "SELECT group_concat(number || communicator || site || size_class || type || operation || bytes || calls || "
      "exploration_calls || state || choice || virtual_ranks || coalesce(gain, '')) FROM keys",
      "SELECT group_concat(number || key || epoch || choice || exploration || calls || samples) FROM observations",
      "SELECT group_concat(number || key || epoch || call || choice || virtual_ranks || reason || expected || measured "
      "|| native) FROM decisions",
      "SELECT group_concat(number || environment || program || run || site || communicator_size || size_class || type "
      "|| operation || choice || virtual_ranks || lateness_ns || gain || reason) FROM policies"};
  std::vector<std::string> before;
  for (const std::string& sql : kept) before.push_back(selectTexts(connection, sql).front());
  ASSERT_TRUE(bringForward(connection).isOk());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_FALSE(before[i].empty());
    EXPECT_EQ(selectTexts(connection, kept[i]).front(), before[i]);
  }
  EXPECT_THAT(selectTexts(connection, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"),
              testing::UnorderedElementsAre("runs_by_program", "keys_by_site"));
}

// A file of two steps with the arrivals of three ranks in two epochs.
void writeSecondSchemaDatabase(const std::string& path) {
  constexpr std::array kTwo = {kSchemaStep1, kSchemaStep2};
  const Connection connection = openNew(path);
  writeFirstSchemaDatabase(path);
  ASSERT_TRUE(bringForward(connection, kTwo).isOk());
  const Status filled = connection.execute(
      "DELETE FROM arrivals; INSERT INTO arrivals VALUES (1, 1, 3, 0, 4, 0.0, 0.0, 0.0, 'regression'), "
      "(2, 1, 3, 1, 4, 2.9e-6, 0.0, 0.0, 'regression'), (3, 1, 3, 2, 4, 4.0, 0.1, 0.0, 'regression'), "
      "(4, 1, 5, 0, 2, 3e-6, 0.0, 0.0, 'regression'), (5, 1, 5, 1, 2, NULL, 0.0, 0.0, 'regression')");
  ASSERT_TRUE(filled.isOk()) << filled.message();
}

TEST(BringForward, thirdStepCountsTheArrivalsOfEachEpoch) {
  const TemporaryFolder folder;
  writeSecondSchemaDatabase(folder.file("a.db"));
  std::vector<HistogramRecord> before;
  {
    const Reader reader = std::move(Reader::open(folder.file("a.db"))).value();
    before = reader.histograms(1).value();
  }
  const Connection connection = openNew(folder.file("a.db"));
  ASSERT_TRUE(bringForward(connection).isOk());
  EXPECT_THAT(selectTexts(connection,
                          "SELECT epoch || ' ' || samples || ' ' || counts || ' ' || epochs FROM "
                          "arrival_histograms ORDER BY epoch"),
              testing::ElementsAre("3 4 [1,1,0,0,0,0,0,0,0,0,0,0,0,0,1] 1", "5 2 [0,0,1,0,0,0,0,0,0,0,0,0,0,0,0] 1"));
  EXPECT_THAT(selectTexts(connection, "SELECT count(*) || ' ' || sum(epochs) FROM arrivals"),
              testing::ElementsAre("5 5"));
  EXPECT_THAT(selectTexts(connection, "SELECT count(*) || ' ' || sum(epochs) FROM observations"),
              testing::ElementsAre("3 3"));
  const Reader reader = std::move(Reader::open(folder.file("a.db"))).value();
  EXPECT_EQ(reader.histograms(1).value(), before) << "an older file is read as it will be after its migration";
}

TEST(BringForward, fifthStepHasAllCallsOfASiteTogether) {
  const TemporaryFolder folder;
  writeSecondSchemaDatabase(folder.file("a.db"));
  const Connection connection = openNew(folder.file("a.db"));
  constexpr std::array kFour = {kSchemaStep1, kSchemaStep2, kSchemaStep3, kSchemaStep4};
  ASSERT_TRUE(bringForward(connection, kFour).isOk());
  const auto rows = [&connection](const std::string& sql) { return selectTexts(connection, sql); };
  const std::string kept =
      "SELECT group_concat(number || key || epoch || rank || samples || method || epochs) FROM arrivals";
  const std::vector<std::string> before = rows(kept);
  // Referring rows stay where the tables that they refer to are rebuilt.
  ASSERT_TRUE(connection.execute("PRAGMA foreign_keys = ON").isOk());
  const Status forward = bringForward(connection);
  ASSERT_TRUE(forward.isOk()) << forward.message();
  EXPECT_TRUE(rows("SELECT \"table\" FROM pragma_foreign_key_check").empty());
  EXPECT_EQ(rows(kept), before);
  EXPECT_THAT(rows("SELECT part || cycle || outlook FROM keys"), testing::ElementsAre("0", "0", "0"));
  EXPECT_THAT(rows("SELECT count(*) FROM arrivals WHERE error IS NULL"), testing::ElementsAre("5"));
  EXPECT_THAT(rows("SELECT count(*) FROM observations"), testing::ElementsAre("3"));
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

TEST(SchemaSteps, saysSoWhenFileIsEmpty) {
  const TemporaryFolder folder;
  writeFile(folder.file("a.db"), "");
  const Result<Connection> opened = Connection::open(folder.file("a.db"), Access::kReadOnly, Seconds{0.02});
  ASSERT_TRUE(opened.isOk());
  EXPECT_THAT(schemaSteps(opened.value()).status().message(), HasSubstr("empty"));
}

}  // namespace
}  // namespace starling
