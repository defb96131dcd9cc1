#include "store/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fixture.h"

namespace starling {
namespace {

using sqlite::Access;
using sqlite::Connection;
using sqlite::Statement;
using sqlite::Transaction;
using testing::AllOf;
using testing::HasSubstr;

Connection openNew(const std::string& path, Seconds patience = Seconds{0.02}) {
  Result<Connection> opened = Connection::open(path, Access::kReadWrite, patience);
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

std::int64_t count(const Connection& connection, const char* table) {
  Statement statement = connection.prepare(std::string("SELECT count(*) FROM ") + table);
  std::int64_t rows = -1;
  if (statement.start().next()) statement.read(rows);
  EXPECT_TRUE(statement.status().isOk()) << statement.status().message();
  return rows;
}

TEST(Statement, valuesComeBackWhenBound) {
  const Connection connection = openNew(":memory:");
  Statement statement = connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7");
  const std::string with_zero("a\0b", 3);
  ASSERT_TRUE(
      statement
          .start(std::int32_t{-7}, std::uint64_t{1} << 63, 0.25, with_zero, true, std::optional<double>(), std::nan(""))
          .next());
  std::int32_t small = 0;
  std::uint64_t large = 0;
  double real = 0.0;
  std::string text;
  bool truth = false;
  std::optional<double> none = 1.0;
  double not_a_number = 0.0;
  statement.read(small, large, real, text, truth, none, not_a_number);
  EXPECT_EQ(small, -7);
  EXPECT_EQ(large, std::uint64_t{1} << 63);
  EXPECT_EQ(real, 0.25);
  EXPECT_EQ(text, with_zero);
  EXPECT_TRUE(truth);
  EXPECT_FALSE(none.has_value());
  EXPECT_TRUE(std::isnan(not_a_number));
  EXPECT_FALSE(statement.next());
  EXPECT_TRUE(statement.status().isOk());
}

TEST(Statement, faultIsKeptWhenSqlIsWrong) {
  const Connection connection = openNew(":memory:");
  Statement statement = connection.prepare("SELECT * FROM missing");
  EXPECT_FALSE(statement.start(1).next());
  EXPECT_THAT(statement.status().message(), AllOf(HasSubstr("cannot open :memory:"), HasSubstr("no such table")));
}

TEST(Transaction, isUndoneWhenNotCommitted) {
  const Connection connection = openNew(":memory:");
  ASSERT_TRUE(connection.execute("CREATE TABLE t (a)").isOk());
  {
    Transaction transaction(connection);
    ASSERT_TRUE(transaction.status().isOk());
    ASSERT_TRUE(connection.execute("INSERT INTO t VALUES (1)").isOk());
  }
  EXPECT_EQ(count(connection, "t"), 0);
  {
    Transaction transaction(connection);
    ASSERT_TRUE(connection.execute("INSERT INTO t VALUES (1)").isOk());
    ASSERT_TRUE(transaction.commit().isOk());
  }
  EXPECT_EQ(count(connection, "t"), 1);
}

TEST(Transaction, sentenceNamesLockWhenAnotherHoldsIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const Connection holder = openNew(path);
  ASSERT_TRUE(holder.execute("CREATE TABLE t (a)").isOk());
  Connection waiter = openNew(path);
  const Transaction held(holder);
  waiter.beginCall("write to");
  const Transaction wanted(waiter);
  EXPECT_THAT(wanted.status().message(), AllOf(HasSubstr("cannot write to " + path), HasSubstr("another process"),
                                               HasSubstr("0.02 s"), HasSubstr("STARLING_DB")));
}

TEST(Transaction, nothingIsWrittenWhenFileIsFull) {
  const Connection connection = openNew(":memory:");
  ASSERT_TRUE(connection.execute("CREATE TABLE t (a); PRAGMA max_page_count = 8").isOk());
  {
    Transaction transaction(connection);
    ASSERT_TRUE(connection.execute("INSERT INTO t VALUES (1)").isOk());
    const Status full = connection.execute("INSERT INTO t VALUES (zeroblob(100000))");
    EXPECT_THAT(full.message(), AllOf(HasSubstr("full"), HasSubstr("free some space")));
  }
  EXPECT_EQ(count(connection, "t"), 0);
  EXPECT_TRUE(connection.execute("INSERT INTO t VALUES (1)").isOk());
}

TEST(Connection, headerTellsFilesApart) {
  const TemporaryFolder folder;
  EXPECT_TRUE(openNew(":memory:").header().value().is_empty);
  EXPECT_TRUE(openNew(folder.file("new.db")).header().value().is_empty);
  writeFile(folder.file("short"), "garbage");
  EXPECT_FALSE(openNew(folder.file("short")).header().value().is_empty);
  EXPECT_FALSE(openNew(folder.file("short")).header().value().is_sqlite);
  const Connection marked = openNew(folder.file("marked.db"));
  ASSERT_TRUE(marked.execute("PRAGMA application_id = 4026531841; PRAGMA user_version = 70000").isOk() &&
              marked.execute("CREATE TABLE t (a)").isOk());
  const sqlite::FileHeader header = marked.header().value();
  EXPECT_TRUE(header.is_sqlite);
  EXPECT_EQ(header.user_version, 70000u);
}

TEST(Connection, refusesToWriteWhenOpenedForReading) {
  const TemporaryFolder folder;
  ASSERT_TRUE(openNew(folder.file("a.db")).execute("CREATE TABLE t (a)").isOk());
  const Result<Connection> opened = Connection::open(folder.file("a.db"), Access::kReadOnly, Seconds{0.02});
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  EXPECT_FALSE(opened.value().execute("INSERT INTO t VALUES (1)").isOk());
  EXPECT_EQ(count(opened.value(), "t"), 0);
}

TEST(Connection, readingDoesNotCreateAFile) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Connection::open(folder.file("a.db"), Access::kReadOnly, Seconds{0.02}).isOk());
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.db")));
}

TEST(Connection, sentenceSaysWhyWhenPathIsAFolder) {
  const TemporaryFolder folder;
  const Result<Connection> opened = Connection::open(folder.path().string(), Access::kReadWrite, Seconds{0.02});
  EXPECT_THAT(opened.status().message(), AllOf(HasSubstr("Is a directory"), HasSubstr("STARLING_DB")));
}

// What another program may have left in a file.
class HostileSchema : public testing::Test {
 protected:
  // Written past the store's own restrictions, which do not hold for what is merely defined.
  void define(const char* sql) const {
    const Connection connection = openNew(path_);
    const Status defined = connection.execute(sql);
    ASSERT_TRUE(defined.isOk()) << defined.message();
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("a.db");
};

TEST_F(HostileSchema, viewInPlaceOfATableIsNotRun) {
  define("CREATE TABLE secret (a); CREATE VIEW runs AS SELECT a FROM secret");
  const Connection connection = openNew(path_);
  EXPECT_THAT(connection.execute("SELECT * FROM runs").message(),
              AllOf(HasSubstr("not those that Starling makes"), HasSubstr("move it away")));
  EXPECT_TRUE(connection.execute("DROP VIEW runs").isOk()) << "migrations may replace views";
}

TEST_F(HostileSchema, triggerIsNotRun) {
  define(
      "CREATE TABLE a (b); CREATE TABLE c (d); CREATE TRIGGER e AFTER INSERT ON a BEGIN INSERT INTO c VALUES (1); END");
  const Connection connection = openNew(path_);
  ASSERT_TRUE(connection.execute("INSERT INTO a VALUES (1)").isOk());
  EXPECT_EQ(count(connection, "c"), 0);
}

TEST_F(HostileSchema, virtualTableIsNotOpened) {
  const Connection connection = openNew(path_);
  EXPECT_THAT(connection.execute("CREATE VIRTUAL TABLE runs USING fts5(a)").message(), HasSubstr("no such module"));
  EXPECT_THAT(connection.execute("CREATE VIRTUAL TABLE runs USING rtree(a, b, c)").message(),
              HasSubstr("no such module"));
}

TEST_F(HostileSchema, valueDoesNotFillTheMemory) {
  define("CREATE TABLE a (b); INSERT INTO a VALUES (500000000); ALTER TABLE a ADD COLUMN c AS (zeroblob(b))");
  EXPECT_THAT(openNew(path_).execute("SELECT c FROM a").message(), HasSubstr("move it away"));
}

TEST_F(HostileSchema, itselfIsNotWritten) {
  const Connection connection = openNew(path_);
  static_cast<void>(connection.execute("PRAGMA writable_schema = ON"));
  EXPECT_FALSE(connection.execute("INSERT INTO sqlite_schema (type, name, sql) VALUES ('view', 'a', 'x')").isOk());
}

}  // namespace
}  // namespace starling
