#include "store/record_sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"
#include "store/migration.h"

namespace starling {
namespace {

using sqlite::Access;
using sqlite::Connection;
using sqlite::Statement;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Table {
  const char* name;
  std::vector<Column> columns;           // by the record's list
  std::vector<std::string> not_carried;  // numbers of rows, and what only the database itself knows
};

std::vector<Table> tables() {
  std::vector<Column> key_columns = columnsOf<KeyId>();
  for (const Column& column : columnsOf<KeyRecord>()) key_columns.push_back(column);
  return {{"environments", columnsOf<Environment>(), {"number"}},
          {"runs", columnsOf<Run>(), {"number", "environment", "finished"}},
          {"communicators", columnsOf<CommunicatorRecord>(), {"number", "run"}},
          {"sites", columnsOf<SiteRecord>(), {"number"}},
          {"keys", key_columns, {"number", "communicator", "site"}},
          {"observations", columnsOf<ObservationRecord>(), {"number", "key"}},
          {"arrivals", columnsOf<ArrivalRecord>(), {"number", "key"}},
          {"arrival_histograms", columnsOf<HistogramRecord>(), {"number", "key"}},
          {"decisions", columnsOf<DecisionRecord>(), {"number", "key"}},
          {"policies", columnsOf<PolicyRecord>(), {"number", "environment", "program", "run"}}};
}

Connection openSchema() {
  Result<Connection> opened = Connection::open(":memory:", Access::kReadWrite, Seconds{1.0});
  EXPECT_TRUE(bringForward(opened.value()).isOk());
  return std::move(opened).value();
}

// "keys.seconds" of all that either the table or the list has alone.
std::vector<std::string> differences(const Connection& connection, const Table& table) {
  std::vector<std::string> listed = table.not_carried;
  for (const Column& column : table.columns) listed.emplace_back(column.name);
  Statement statement = connection.prepare("SELECT name FROM pragma_table_info(?1)");
  statement.start(std::string(table.name));
  std::vector<std::string> present;
  while (statement.next()) statement.read(present.emplace_back());
  std::sort(listed.begin(), listed.end());
  std::sort(present.begin(), present.end());
  std::vector<std::string> alone;
  std::set_symmetric_difference(listed.begin(), listed.end(), present.begin(), present.end(),
                                std::back_inserter(alone));
  for (std::string& name : alone) name.insert(0, std::string(table.name) += ".");
  return alone;
}

TEST(RecordSql, tablesHaveTheListedColumns) {
  const Connection connection = openSchema();
  for (const Table& table : tables()) EXPECT_THAT(differences(connection, table), IsEmpty());
}

TEST(RecordSql, columnThatOneSideLacksIsSeen) {
  const Connection connection = openSchema();
  ASSERT_TRUE(connection.execute("ALTER TABLE arrivals ADD COLUMN planted REAL").isOk());
  Table arrivals = tables()[6];
  ASSERT_STREQ(arrivals.name, "arrivals");
  arrivals.columns.push_back({"unplanted", OnConflict::kReplaces});
  EXPECT_THAT(differences(connection, arrivals), UnorderedElementsAre("arrivals.planted", "arrivals.unplanted"));
}

// What says that a row is there is what the table says is unique.
TEST(RecordSql, rowsAreToldApartAsTheTableTellsThem) {
  const Connection connection = openSchema();
  for (const auto& [table, owner, columns] : {std::tuple{"communicators", "run", columnsOf<CommunicatorRecord>()},
                                              std::tuple{"observations", "key", columnsOf<ObservationRecord>()},
                                              std::tuple{"arrivals", "key", columnsOf<ArrivalRecord>()},
                                              std::tuple{"arrival_histograms", "key", columnsOf<HistogramRecord>()},
                                              std::tuple{"decisions", "key", columnsOf<DecisionRecord>()}}) {
    const Statement statement = connection.prepare(upsertion(table, {{owner, OnConflict::kIdentifies}}, columns));
    EXPECT_TRUE(statement.status().isOk()) << table << ": " << statement.status().message();
  }
}

TEST(RecordSql, textFollowsFromTheColumns) {
  const std::vector<Column> columns = {{"a", OnConflict::kIdentifies}, {"b", OnConflict::kReplaces}};
  EXPECT_EQ(namesOf(columns), "a, b");
  EXPECT_EQ(selected(columns, "t", 1), "t.a, t.b");
  EXPECT_EQ(selected({columns[0], {"c", OnConflict::kReplaces, "0", 2}}, "t", 1), "t.a, NULL");
  EXPECT_EQ(parametersOf(columns, 4), "?4, ?5");
  EXPECT_EQ(equations(columns, 2, " AND "), "a = ?2 AND b = ?3");
  EXPECT_EQ(upsertion("t", {{"owner", OnConflict::kIdentifies}}, columns),
            "INSERT INTO t (owner, a, b) VALUES (?1, ?2, ?3) ON CONFLICT (owner, a) DO UPDATE SET b = excluded.b");
  EXPECT_EQ(upsertion("t", {}, {{"a", OnConflict::kIdentifies}, {"b", OnConflict::kFillsIn, "''"}}),
            "INSERT INTO t (a, b) VALUES (?1, ?2) ON CONFLICT (a) DO UPDATE SET b = CASE b WHEN '' THEN excluded.b "
            "ELSE b END");
}

TEST(RecordSql, recordComesBackAsStored) {
  const Connection connection = openSchema();
  ASSERT_TRUE(connection.execute("CREATE TABLE t AS SELECT * FROM policies").isOk());
  const PolicyRecord policy = samplePolicy();
  Statement insert = connection.prepare(insertion("t", {}, columnsOf<PolicyRecord>()));
  ASSERT_TRUE(runWith(insert, policy).isOk());
  Statement statement = connection.prepare("SELECT " + selected<PolicyRecord>("t") + ", 7 FROM t");
  ASSERT_TRUE(statement.start().next());
  PolicyRecord read;
  std::int64_t seven = 0;
  EXPECT_EQ(readRow(statement, read, seven), nullptr);
  EXPECT_EQ(read, policy);
  EXPECT_EQ(seven, 7);
}

TEST(RecordSql, damagedListIsNamed) {
  const Connection connection = openSchema();
  Statement statement = connection.prepare("SELECT '', 3, 0, '', '', '', '[0,1,2]', '[0,', NULL, NULL, ''");
  ASSERT_TRUE(statement.start().next());
  PolicyRecord policy;
  EXPECT_STREQ(readRow(statement, policy), "lateness_ns");
}

}  // namespace
}  // namespace starling
