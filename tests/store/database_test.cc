#include "store/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "database_fixture.h"
#include "store/policy_document.h"
#include "store/reader.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Database, foldersAreMadeWhenMissing) {
  const TemporaryFolder folder;
  expectOk(openDatabase(folder.file("a/b/c.db")).beginRun(sampleRun("r")));
  EXPECT_EQ(count(folder.file("a/b/c.db"), "runs"), 1);
}

TEST(Database, worksInMemory) {
  Database database = openDatabase(":memory:");
  expectOk(database.beginRun(sampleRun("r")));
  expectOk(database.write("r", sampleBatch()));
  const auto policies = database.policies(sampleEnvironment(), "heat");
  ASSERT_TRUE(policies.isOk()) << policies.status().message();
  EXPECT_THAT(policies.value(), testing::ElementsAre(samplePolicy()));
}

TEST(Database, emptyFileIsTakenAsNew) {
  const TemporaryFolder folder;
  writeFile(folder.file("a.db"), "");
  expectOk(openDatabase(folder.file("a.db")).beginRun(sampleRun("r")));
}

TEST(Database, keysReferToRecordsOfEarlierBatches) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  Batch first;
  first.communicators = sampleBatch().communicators;
  first.sites = sampleBatch().sites;
  expectOk(database.write("r", first));
  Batch second = sampleBatch();
  second.communicators.clear();
  second.sites.clear();
  expectOk(database.write("r", second));
  EXPECT_EQ(count(folder.file("a.db"), "keys"), 1);
}

TEST(Database, newestKeyStateReplacesOlder) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  expectOk(database.write("r", sampleBatch()));
  Batch later;
  later.keys = sampleBatch().keys;
  later.keys.front().calls = 900;
  later.keys.front().state = "exploring";
  later.keys.front().gain.reset();
  expectOk(database.write("r", later));
  const auto keys = Reader::open(folder.file("a.db")).value().keys(1);
  ASSERT_EQ(keys.value().size(), 1u);
  EXPECT_EQ(keys.value().front().key, later.keys.front());
}

TEST(Database, batchWrittenTwiceIsStoredOnce) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  expectOk(database.write("r", sampleBatch()));
  expectOk(database.write("r", sampleBatch()));
  for (const char* table :
       {"communicators", "sites", "keys", "observations", "arrivals", "arrival_histograms", "decisions", "policies"}) {
    EXPECT_EQ(count(folder.file("a.db"), table), 1) << table;
  }
}

TEST(Database, observationsMayComeBeforeTheirKeysState) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  Batch batch = sampleBatch();
  batch.keys.clear();
  expectOk(database.write("r", batch));
  EXPECT_EQ(count(folder.file("a.db"), "observations"), 1);
  EXPECT_EQ(count(folder.file("a.db"), "keys"), 1);
}

TEST(Database, siteIsSharedBetweenRunsAndItsSymbolFilledInOnce) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  Batch batch = sampleBatch();
  for (const char* symbol : {"", "solve()", "other()"}) {
    const std::string run = std::string("run ") + symbol;
    expectOk(database.beginRun(sampleRun(run)));
    batch.sites.front().symbol = symbol;
    expectOk(database.write(run, batch));
  }
  EXPECT_EQ(count(folder.file("a.db"), "sites"), 1);
  const Reader reader = std::move(Reader::open(folder.file("a.db"))).value();
  for (const std::int64_t run : {1, 2, 3}) {
    const auto keys = reader.keys(run);
    ASSERT_EQ(keys.value().size(), 1u);
    EXPECT_EQ(keys.value().front().site.symbol, "solve()");
    EXPECT_EQ(keys.value().front().site_number, 1);
  }
}

TEST(Database, nothingOfABatchIsWrittenWhenOneKeyIsUnknown) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  Batch batch = sampleBatch();
  batch.decisions.front().key.communicator = "never sent";
  EXPECT_THAT(database.write("r", batch).message(), AllOf(HasSubstr("never sent"), HasSubstr("write their records")));
  for (const char* table : {"communicators", "sites", "keys", "observations", "policies"}) {
    EXPECT_EQ(count(folder.file("a.db"), table), 0) << table;
  }
  expectOk(database.write("r", sampleBatch()));
}

TEST(Database, communicatorOfAnotherRunIsUnknown) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r1")));
  expectOk(database.beginRun(sampleRun("r2")));
  expectOk(database.write("r1", sampleBatch()));
  Batch batch;
  batch.keys = sampleBatch().keys;
  EXPECT_THAT(database.write("r2", batch).message(), HasSubstr("\"c1\""));
}

TEST(Database, figuresThatAreNotNumbersDoNotSpoilABatch) {
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  Batch batch = sampleBatch();
  batch.keys.front().imbalance = std::numeric_limits<double>::quiet_NaN();
  expectOk(database.write("r", batch));
  EXPECT_FALSE(Reader::open(folder.file("a.db")).value().keys(1).value().front().key.imbalance.has_value());
}

TEST(Database, runsAreToldApart) {
  Database database = openDatabase(":memory:");
  EXPECT_THAT(database.write("r", sampleBatch()).message(), HasSubstr("no run \"r\""));
  EXPECT_THAT(database.finishRun("r").message(), HasSubstr("no run \"r\""));
  expectOk(database.beginRun(sampleRun("r")));
  EXPECT_THAT(database.beginRun(sampleRun("r")).message(), HasSubstr("a run \"r\" already"));
}

TEST(Database, policiesAreThoseOfTheEnvironmentAndProgramWithAnyLast) {
  Database database = openDatabase(":memory:");
  expectOk(database.beginRun(sampleRun("r")));
  Batch batch;
  batch.policies = {samplePolicy(), samplePolicy(), samplePolicy()};
  batch.policies[0].site = "any";
  batch.policies[1].site = "zebra";
  batch.policies[2].site = "zebra";
  batch.policies[2].size_class = 2;
  expectOk(database.write("r", batch));
  const auto found = database.policies(sampleEnvironment(), "heat");
  EXPECT_THAT(found.value(), testing::ElementsAre(batch.policies[2], batch.policies[1], batch.policies[0]));
  EXPECT_TRUE(database.policies(sampleEnvironment(), "other").value().empty());
  Environment larger = sampleEnvironment();
  larger.ranks = 16;
  EXPECT_TRUE(database.policies(larger, "heat").value().empty());
}

TEST(Database, laterRunReplacesPolicy) {
  Database database = openDatabase(":memory:");
  Batch batch;
  batch.policies = {samplePolicy()};
  for (const char* choice : {"ring", "rabenseifner"}) {
    expectOk(database.beginRun(sampleRun(choice)));
    batch.policies.front().choice = choice;
    expectOk(database.write(choice, batch));
  }
  EXPECT_THAT(database.policies(sampleEnvironment(), "heat").value(), testing::ElementsAre(batch.policies.front()));
}

TEST(Database, importedPoliciesStandBesideLearnedOnes) {
  Database database = openDatabase(":memory:");
  expectOk(database.beginRun(sampleRun("r")));
  Batch learned;
  learned.policies = {samplePolicy(), samplePolicy()};
  learned.policies[1].site = "zebra";
  expectOk(database.write("r", learned));
  PolicyDocument document{sampleEnvironment(), "heat", {samplePolicy(), samplePolicy()}};
  document.policies[0].choice = "ring";  // of a key that was learned
  document.policies[1].site = "any";
  expectOk(database.importPolicies(document));
  EXPECT_THAT(database.policies(sampleEnvironment(), "heat").value(),
              testing::ElementsAre(learned.policies[1], document.policies[0], document.policies[1]));
}

TEST(Database, policiesOfTheLatestRunComeFirst) {
  Database database = openDatabase(":memory:");
  Batch batch;
  batch.policies = {samplePolicy()};
  for (const char* site : {"first", "second", "third"}) {
    expectOk(database.beginRun(sampleRun(site)));
    batch.policies.front().site = site;
    expectOk(database.write(site, batch));
  }
  const std::vector<PolicyRecord> policies = database.policies(sampleEnvironment(), "heat").value();
  ASSERT_EQ(policies.size(), 3U);
  EXPECT_EQ(policies.front().site, "third");
  EXPECT_EQ(policies.back().site, "first");
}

TEST(Database, policiesAreImportedForAnEnvironmentThatNeverRan) {
  Database database = openDatabase(":memory:");
  PolicyDocument document{sampleEnvironment(), "heat", {samplePolicy()}};
  document.environment.nodes = 64;
  expectOk(database.importPolicies(document));
  EXPECT_THAT(database.policies(document.environment, "heat").value(), testing::ElementsAre(samplePolicy()));
  EXPECT_TRUE(database.policies(sampleEnvironment(), "heat").value().empty());
}

// One warning that names the row and what is wrong with it, and the other policies.
void expectRowIsLeftOut(const std::string& damage, const std::string& complaint) {
  SCOPED_TRACE(damage);
  const TemporaryFolder folder;
  Database database = openDatabase(folder.file("a.db"));
  expectOk(database.beginRun(sampleRun("r")));
  Batch batch;
  batch.policies = {samplePolicy(), samplePolicy()};
  batch.policies[1].site = "zebra";
  expectOk(database.write("r", batch));
  {
    const auto editor = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(editor.value().execute(("UPDATE policies SET " + damage + " WHERE number = 1").c_str()));
  }
  testing::internal::CaptureStderr();
  const auto found = database.policies(sampleEnvironment(), "heat");
  const std::string said = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_THAT(found.value(), testing::ElementsAre(batch.policies[1]));
  EXPECT_THAT(said, AllOf(HasSubstr("policies of number 1." + complaint), HasSubstr(folder.file("a.db"))));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(count(folder.file("a.db"), "policies"), 2);
}

class DatabaseWithDamagedPolicy : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DatabaseWithDamagedPolicy, leavesTheRowOutAndKeepsTheOthers) {
  expectRowIsLeftOut(GetParam().first, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    Columns, DatabaseWithDamagedPolicy,
    testing::Values(std::pair("communicator_size = 0", "communicator_size: is 0"),
                    std::pair("communicator_size = 4294967299", "communicator_size: is too large a number"),
                    std::pair("size_class = 63", "size_class: is 63"), std::pair("site = ''", "site: is empty"),
                    std::pair("choice = ''", "choice: is empty"),
                    std::pair("virtual_ranks = '[0,1]'", "table: is no order"),
                    std::pair("virtual_ranks = '[1,x]'", "virtual_ranks: is too large a number, or no list"),
                    std::pair("lateness_ns = '[0]'", "lateness_ns: has 1 entries"),
                    std::pair("gain = 9e999", "gain: is inf"),
                    std::pair("compared_by = 'size'", "compared_by: is \"size\"")));

TEST(Database, bothProcessesSucceedWhenTheyWriteInTurn) {
  const TemporaryFolder folder;
  constexpr int kWrites = 40;
  const auto write_all = [&folder](const std::string& run) {
    Database database = openDatabase(folder.file("a.db"), Seconds{60.0});
    expectOk(database.beginRun(sampleRun(run)));
    for (int i = 0; i < kWrites; ++i) {
      Batch batch = sampleBatch();
      batch.observations.front().epoch = i;
      expectOk(database.write(run, batch));
    }
    expectOk(database.finishRun(run));
  };
  const pid_t child = ::fork();
  if (child == 0) {
    write_all("r1");
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  write_all("r2");
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(folder.file("a.db"), "observations"), 2 * kWrites);
}

}  // namespace
}  // namespace starling
