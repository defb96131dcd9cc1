#include "store/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "first_schema.h"
#include "fixture.h"
#include "store/database.h"
#include "store/lateness_classes.h"
#include "store/sqlite.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

void expectOk(const Status& status) { EXPECT_TRUE(status.isOk()) << status.message(); }

// A database of one run, "r", with `batch`.
void makeDatabase(const std::string& path, const Batch& batch) {
  Result<Database> database = Database::open(path);
  ASSERT_TRUE(database.isOk()) << database.status().message();
  expectOk(database.value().beginRun(sampleRun("r")));
  expectOk(database.value().write("r", batch));
}

Reader openReader(const std::string& path) {
  Result<Reader> opened = Reader::open(path);
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

TEST(Reader, everyRecordComesBackAsWritten) {
  const TemporaryFolder folder;
  const Batch batch = sampleBatch();
  makeDatabase(folder.file("a.db"), batch);
  const Reader reader = openReader(folder.file("a.db"));

  const auto runs = reader.runs();
  ASSERT_TRUE(runs.isOk()) << runs.status().message();
  ASSERT_EQ(runs.value().size(), 1u);
  EXPECT_EQ(runs.value().front().run, sampleRun("r"));
  EXPECT_FALSE(runs.value().front().finished.has_value());

  const auto keys = reader.keys(runs.value().front().number);
  ASSERT_TRUE(keys.isOk()) << keys.status().message();
  ASSERT_EQ(keys.value().size(), 1u);
  const KeyRow& row = keys.value().front();
  EXPECT_EQ(row.key, batch.keys.front());
  EXPECT_EQ(row.site, batch.sites.front());
  EXPECT_EQ(row.communicator, batch.communicators.front());
  EXPECT_EQ(reader.observations(row.number).value(), batch.observations);
  EXPECT_EQ(reader.arrivals(row.number).value(), batch.arrivals);
  EXPECT_EQ(reader.histograms(row.number).value(), batch.histograms);
  EXPECT_EQ(reader.decisions(row.number).value(), batch.decisions);
  EXPECT_EQ(reader.policies(runs.value().front().number).value(), batch.policies);
}

TEST(Reader, findsARunByItsId) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  const Reader reader = openReader(folder.file("a.db"));
  EXPECT_EQ(reader.run("r").value().value().run, sampleRun("r"));
  EXPECT_FALSE(reader.run("another").value());
}

TEST(Reader, refusesCommunicatorsThatCannotBe) {
  for (const char* change : {"UPDATE communicators SET size = 2147483647", "UPDATE communicators SET size = 0"}) {
    const TemporaryFolder folder;
    makeDatabase(folder.file("a.db"), sampleBatch());
    auto other = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{5.0});
    expectOk(other.value().execute("PRAGMA foreign_keys = OFF; UPDATE communicators SET number = 7"));
    expectOk(other.value().execute("UPDATE keys SET communicator = 7"));
    expectOk(other.value().execute(change));
    EXPECT_THAT(openReader(folder.file("a.db")).keys(1).status().message(),
                testing::HasSubstr("communicators.size of number 7 is out of bounds"))
        << change;
  }
}

TEST(Reader, countsWhatARunAndASiteHave) {
  const TemporaryFolder folder;
  const Batch batch = sampleBatch();
  makeDatabase(folder.file("a.db"), batch);
  const Reader reader = openReader(folder.file("a.db"));
  const auto records = std::ssize(batch.observations) + std::ssize(batch.arrivals) + std::ssize(batch.histograms) +
                       std::ssize(batch.decisions);
  for (const RunExtent& extent :
       {reader.extent(1).value(), reader.extent(1, std::vector<std::int64_t>{1, 2}).value()}) {
    EXPECT_EQ(extent.keys, 1);
    EXPECT_EQ(extent.records, records);
  }
  for (const RunExtent& extent : {reader.extent(2).value(), reader.extent(1, std::vector<std::int64_t>{2}).value(),
                                  reader.extent(1, std::vector<std::int64_t>{}).value()}) {
    EXPECT_EQ(extent.keys, 0);
    EXPECT_EQ(extent.records, 0);
  }
}

TEST(Reader, sitesStayWhenTheirKeysAreRemoved) {
  const TemporaryFolder folder;
  const Batch batch = sampleBatch();
  makeDatabase(folder.file("a.db"), batch);
  for (const bool has_keys : {true, false}) {
    const auto sites = openReader(folder.file("a.db")).sites().value();
    ASSERT_EQ(sites.size(), 1u);
    EXPECT_EQ(sites.front().number, 1);
    EXPECT_EQ(sites.front().site, batch.sites.front());
    EXPECT_EQ(sites.front().has_keys, has_keys);
    const auto editor = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(editor.value().execute("DELETE FROM keys"));
  }
}

TEST(Reader, runsComeOldestFirstWithTheirEnds) {
  const TemporaryFolder folder;
  Database database = std::move(Database::open(folder.file("a.db"))).value();
  starling::Run late = sampleRun("late");
  late.started += 60;
  late.environment.ranks = 16;
  expectOk(database.beginRun(late));
  expectOk(database.beginRun(sampleRun("early")));
  const BesideKeys beside_keys{2500, 3.5, 0.25};
  expectOk(database.finishRun("early", Seconds{12.5}, beside_keys));
  const auto runs = openReader(folder.file("a.db")).runs();
  ASSERT_EQ(runs.value().size(), 2u);
  EXPECT_EQ(runs.value()[0].run.id, "early");
  EXPECT_EQ(runs.value()[0].run.seconds, 12.5);
  EXPECT_EQ(runs.value()[0].run.beside_keys, beside_keys);
  EXPECT_GT(runs.value()[0].finished.value_or(0), sampleRun("early").started);
  EXPECT_EQ(runs.value()[1].run, late);
  EXPECT_FALSE(runs.value()[1].finished.has_value());
}

TEST(Reader, keysComeByFallingSeconds) {
  const TemporaryFolder folder;
  Batch batch = sampleBatch();
  const KeyRecord key = batch.keys.front();
  batch.keys.clear();
  for (const double seconds : {0.5, 3.0, 1.0}) {
    batch.keys.push_back(key);
    batch.keys.back().id.size_class = static_cast<std::int32_t>(10 * seconds);
    batch.keys.back().seconds = seconds;
  }
  makeDatabase(folder.file("a.db"), batch);
  const auto keys = openReader(folder.file("a.db")).keys(1);
  std::vector<double> seconds;
  for (const KeyRow& row : keys.value()) seconds.push_back(row.key.seconds.value_or(-1.0));
  // The last is the key that only observations name: no state of it was written.
  EXPECT_THAT(seconds, ElementsAre(3.0, 1.0, 0.5, -1.0));
}

TEST(Reader, recordsOfAKeyComeOldestFirst) {
  const TemporaryFolder folder;
  Batch batch = sampleBatch();
  for (const std::int64_t epoch : {9, 1}) {
    batch.observations.push_back(batch.observations.front());
    batch.observations.back().epoch = epoch;
    batch.decisions.push_back(batch.decisions.front());
    batch.decisions.back().epoch = epoch;
    for (const std::int32_t rank : {1, 0}) {
      batch.arrivals.push_back(batch.arrivals.front());
      batch.arrivals.back().epoch = epoch;
      batch.arrivals.back().rank = rank;
    }
  }
  makeDatabase(folder.file("a.db"), batch);
  const Reader reader = openReader(folder.file("a.db"));
  const auto observations = reader.observations(1);
  const auto decisions = reader.decisions(1);
  const auto arrivals = reader.arrivals(1);
  std::vector<std::int64_t> epochs;
  for (const auto& row : observations.value()) epochs.push_back(row.epoch);
  for (const auto& row : decisions.value()) epochs.push_back(row.epoch);
  for (const auto& row : arrivals.value()) epochs.push_back(10 * row.epoch + row.rank);
  EXPECT_THAT(epochs, ElementsAre(1, 3, 9, 1, 3, 9, 10, 11, 31, 90, 91));
}

TEST(Reader, unknownNumbersGiveNothing) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  const Reader reader = openReader(folder.file("a.db"));
  EXPECT_TRUE(reader.keys(7).value().empty());
  EXPECT_TRUE(reader.observations(7).value().empty());
  EXPECT_TRUE(reader.policies(7).value().empty());
}

TEST(Reader, saysSoWhenThereIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(Reader::open(folder.file("a.db")).status().message(),
              AllOf(HasSubstr("no such file"), HasSubstr(folder.file("a.db")), HasSubstr("STARLING_DB")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.db")));
}

TEST(Reader, saysSoWhenFileIsNoDatabase) {
  const TemporaryFolder folder;
  writeFile(folder.file("a.db"), "garbage");
  EXPECT_THAT(Reader::open(folder.file("a.db")).status().message(), HasSubstr("no SQLite database"));
}

TEST(Reader, readsWhenFileAndFolderAreReadOnly) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  std::filesystem::permissions(folder.file("a.db"), std::filesystem::perms(0444));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const WithoutPrivileges nobody;
  const Reader reader = openReader(folder.file("a.db"));
  EXPECT_EQ(reader.keys(1).value().size(), 1u);
}

TEST(Reader, seesWhatIsCommittedWhileAWriterWorks) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  const auto writer = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{1.0});
  sqlite::Transaction transaction(writer.value());
  expectOk(writer.value().execute("UPDATE keys SET calls = 1"));
  const Reader reader = openReader(folder.file("a.db"));
  EXPECT_EQ(reader.keys(1).value().front().key.calls, 500);
  expectOk(transaction.commit());
  EXPECT_EQ(reader.keys(1).value().front().key.calls, 1);
}

TEST(Reader, readsWhenAWriterWasKilledInTheMiddle) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  const pid_t child = ::fork();
  if (child == 0) {
    const auto writer = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{1.0});
    // A cache of one page, so that pages of the unfinished transaction are in the file when it ends.
    static_cast<void>(
        writer.value().execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE keys SET calls = 1; "
                               "INSERT INTO sites VALUES (9, 'x', zeroblob(99999), '', '', 0, '')"));
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(std::filesystem::exists(folder.file("a.db-journal")));
  EXPECT_EQ(openReader(folder.file("a.db")).keys(1).value().front().key.calls, 500);
}

TEST(Reader, errorNamesRowWhenAListIsDamaged) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  {
    const auto editor = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{1.0});
    for (const char* table : {"keys", "decisions"}) {
      expectOk(editor.value().execute(("UPDATE " + std::string(table) + " SET virtual_ranks = '[1,x]'").c_str()));
    }
  }
  const Reader reader = openReader(folder.file("a.db"));
  EXPECT_THAT(reader.keys(1).status().message(), HasSubstr("keys.virtual_ranks of number 1"));
  EXPECT_THAT(reader.decisions(1).status().message(), HasSubstr("decisions.virtual_ranks of number 1"));
}

TEST(Reader, numberThatDoesNotFitIsAnError) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  {
    const auto editor = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(editor.value().execute("UPDATE arrivals SET rank = 4294967296"));
  }
  EXPECT_THAT(openReader(folder.file("a.db")).arrivals(1).status().message(), HasSubstr("arrivals.rank of number 1"));
}

// What all schemas record is as it was written; what only later ones record is empty.
TEST(Reader, databaseOfTheFirstSchemaIsReadWithoutWriting) {
  const TemporaryFolder folder;
  writeFirstSchemaDatabase(folder.file("a.db"));
  const std::string bytes = readFile(folder.file("a.db"));
  const Reader reader = openReader(folder.file("a.db"));
  Batch batch = sampleBatch();
  const CommunicatorRecord& written = batch.communicators.front();
  batch.communicators = {{written.id, written.name, written.size, std::nullopt, std::nullopt}};
  batch.observations.front().elapsed_minimum.reset();
  batch.observations.front().elapsed_deviation.reset();
  batch.observations.front().epochs = batch.arrivals.front().epochs = 1;
  batch.policies.front().compared_by.reset();
  KeyId all_calls = sampleKeyId();
  all_calls.part = 0;
  batch.keys.front().id = batch.observations.front().key = batch.arrivals.front().key = all_calls;
  batch.decisions.front().key = all_calls;
  batch.keys.front().cycle = batch.keys.front().outlook = "";
  batch.arrivals.front().error.reset();
  batch.arrivals.front().last.reset();
  batch.arrivals.front().world_rank.reset();
  batch.keys.front().gain_error.reset();
  starling::Run run = sampleRun("r");
  run.hosts.clear();
  run.seconds.reset();
  EXPECT_EQ(reader.runs().value().front().run, run);
  const KeyRow row = reader.keys(1).value().front();
  EXPECT_EQ(row.key, batch.keys.front());
  EXPECT_EQ(row.site, batch.sites.front());
  EXPECT_EQ(row.communicator, batch.communicators.front());
  EXPECT_EQ(reader.observations(1).value(), batch.observations);
  EXPECT_EQ(reader.arrivals(1).value(), batch.arrivals);
  std::vector<std::int64_t> counts(kLatenessClasses);
  counts[latenessClass(Seconds{batch.arrivals.front().mean})] = 1;
  EXPECT_EQ(reader.histograms(1).value(), (std::vector<HistogramRecord>{{all_calls, 3, 2, counts, 1}}));
  EXPECT_EQ(reader.decisions(1).value(), batch.decisions);
  EXPECT_EQ(reader.policies(1).value(), batch.policies);
  EXPECT_EQ(readFile(folder.file("a.db")), bytes);
}

TEST(Reader, zerosOfTheFirstSchemaThatStandForUnknownAreEmpty) {
  const TemporaryFolder folder;
  writeFirstSchemaDatabase(folder.file("a.db"));
  const Reader reader = openReader(folder.file("a.db"));
  const auto keys = reader.keys(1);
  ASSERT_EQ(keys.value().size(), 3U);
  EXPECT_FALSE(keys.value()[1].key.imbalance.has_value()) << "of ranks whose clocks differ";
  EXPECT_EQ(keys.value()[1].key.seconds, 1.5);
  EXPECT_FALSE(keys.value()[2].key.seconds.has_value()) << "without a timed call";
  const ObservationRecord untimed = reader.observations(keys.value()[2].number).value().front();
  EXPECT_FALSE(untimed.elapsed_mean || untimed.post_arrival_mean || untimed.post_arrival_minimum);
}

TEST(Overview, namesSiteAndCommunicatorAsPeopleKnowThem) {
  const TemporaryFolder folder;
  makeDatabase(folder.file("a.db"), sampleBatch());
  const auto connection = sqlite::Connection::open(folder.file("a.db"), sqlite::Access::kReadOnly, Seconds{1.0});
  // The store itself runs no view of a file.
  sqlite::Statement schema = connection.value().prepare("SELECT sql FROM sqlite_schema WHERE name = 'overview'");
  ASSERT_TRUE(schema.start().next()) << schema.status().message();
  std::string view;
  schema.read(view);
  sqlite::Statement statement = connection.value().prepare("SELECT run, site, communicator, ranks FROM (" +
                                                           view.substr(view.find("SELECT")) + ")");
  ASSERT_TRUE(statement.start().next()) << statement.status().message();
  std::int64_t run = 0;
  std::string site;
  std::string communicator;
  std::int32_t ranks = 0;
  statement.read(run, site, communicator, ranks);
  EXPECT_EQ(run, 1);
  EXPECT_EQ(site, "residual");
  EXPECT_EQ(communicator, "rows");
  EXPECT_EQ(ranks, 3);
}

}  // namespace
}  // namespace starling
