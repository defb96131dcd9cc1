#include "store/pruner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

Pruner openPruner(const std::string& path) {
  Result<Pruner> opened = Pruner::open(path);
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

TEST(Pruner, removesAKeyAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 10'000);
  Pruner pruner = openPruner(path);
  expectOk(pruner.removeKey(7));
  EXPECT_EQ(count(path, "arrivals"), 10'000);
  expectOk(pruner.removeKey(1));
  for (const char* table : {"keys", "observations", "arrivals", "arrival_histograms", "decisions"}) {
    EXPECT_EQ(count(path, table), 0) << table;
  }
  EXPECT_EQ(count(path, "runs"), 1);
  expectOk(pruner.removeRun(1));
  for (const char* table : {"runs", "communicators"}) EXPECT_EQ(count(path, table), 0) << table;
  EXPECT_EQ(count(path, "sites"), 1) << "a site keeps its number";
  EXPECT_EQ(count(path, "policies"), 1);
  expectOk(pruner.removePolicies(std::vector<std::int64_t>{1}));
  EXPECT_EQ(count(path, "policies"), 0);
}

TEST(Pruner, thinsWhatNobodyThinnedAndGivesTheSpaceBack) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 20'000);
  const std::uintmax_t before = std::filesystem::file_size(path);
  Pruner pruner = openPruner(path);
  expectOk(pruner.thin());
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

TEST(Pruner, worksBesideARunThatWrites) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  writeOldEpochs(path, 1000);
  Database writer = openDatabase(path);
  Pruner pruner = openPruner(path);
  expectOk(pruner.removeKey(1));
  expectOk(writer.write("r", sampleBatch()));
  EXPECT_EQ(count(path, "observations"), 1) << "the run makes its key anew";
  expectOk(pruner.compact());
  expectOk(writer.write("r", sampleBatch()));
}

TEST(Pruner, refusesWhatIsNoDatabase) {
  const TemporaryFolder folder;
  writeFile(folder.file("b.db"), "notes");
  EXPECT_THAT(Pruner::open(folder.file("b.db")).status().message(), testing::HasSubstr("no SQLite database"));
}

}  // namespace
}  // namespace starling
