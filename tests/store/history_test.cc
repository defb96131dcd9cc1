#include "store/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "database_fixture.h"
#include "store/lateness_classes.h"
#include "store/reader.h"

namespace starling {
namespace {

constexpr std::int32_t kRanks = 64;
// The flush interval is two seconds: so many epochs of a key a run of 24 hours records.
constexpr std::int64_t kEpochsOfADay = 24 * 3600 / 2;

KeyId keyOf(std::int64_t number) {
  KeyId id = sampleKeyId();
  id.size_class = static_cast<std::int32_t>(number);
  return id;
}

Database openRun(const std::string& path) {
  Database database = openDatabase(path);
  expectOk(database.beginRun(sampleRun("r")));
  Batch first;
  first.communicators = {{"c1", "world", kRanks, kByPostArrival, 0.0}};
  first.sites = sampleBatch().sites;
  expectOk(database.write("r", first));
  return database;
}

// What the tuner records of an epoch of a key in steady use: of 64 ranks one is late, and another one is among the
// latest by chance.
void addEpoch(Batch& batch, const KeyId& key, std::int64_t epoch) {
  ObservationRecord& seen = batch.observations.emplace_back(sampleBatch().observations.front());
  seen.key = key;
  seen.epoch = epoch;
  seen.exploration = false;
  seen.epochs = 1;
  seen.post_arrival_mean = 0.003 + 1e-6 * static_cast<double>(epoch % 7);
  const auto by_chance = static_cast<std::int32_t>(20 + epoch % 40);
  batch.arrivals.push_back({key, epoch, 3, 2, 0.050, 1e-3, 0.050, "exponential_average"});
  batch.arrivals.push_back({key, epoch, by_chance, 2, 1e-5, 1e-6, 0.0, "exponential_average"});
  std::vector<std::int64_t> counts(kLatenessClasses);
  counts[latenessClass(Seconds{5e-6})] = kRanks - 2;
  counts[latenessClass(Seconds{1e-5})] = 1;
  counts[latenessClass(Seconds{0.050})] = 1;
  batch.histograms.push_back({key, epoch, 2, counts});
}

Batch epochsOf(std::int64_t keys, std::int64_t first, std::int64_t last) {
  Batch batch;
  for (std::int64_t key = 0; key < keys; ++key) {
    for (std::int64_t epoch = first; epoch < last; ++epoch) addEpoch(batch, keyOf(key), epoch);
  }
  return batch;
}

void writeEpochs(Database& database, std::int64_t keys, std::int64_t from, std::int64_t to, std::int64_t at_once) {
  for (std::int64_t first = from; first < to; first += at_once) {
    expectOk(database.write("r", epochsOf(keys, first, std::min(first + at_once, to))));
  }
}

std::int64_t bytesOf(const std::string& path) { return static_cast<std::int64_t>(std::filesystem::file_size(path)); }

// Rows of keys that are written by turns leave pages of the file less full, at worst half: so one key tells what twenty
// take at most. (All twenty for the whole day, which takes a minute to write, are 9.4 MB.)
constexpr std::int64_t kWorstFilling = 2;

TEST(History, ofADayOfTwentyKeysStaysBelowTwentyMegabytes) {
  const TemporaryFolder folder;
  Database database = openRun(folder.file("a.db"));
  const std::int64_t empty = bytesOf(folder.file("a.db"));
  writeEpochs(database, 1, 0, kEpochsOfADay / 2, 240);
  const std::int64_t half = bytesOf(folder.file("a.db"));
  writeEpochs(database, 1, kEpochsOfADay / 2, kEpochsOfADay, 240);
  const std::int64_t whole = bytesOf(folder.file("a.db"));
  std::printf("[ figures  ] %lld bytes of one key\n", static_cast<long long>(whole - empty));
  EXPECT_LT(empty + kWorstFilling * 20 * (whole - empty), 20'000'000);
  EXPECT_LT(whole - half, (half - empty) / 4) << "as much again takes little more, because free pages are used again";
}

TEST(History, ofKeysByTurnsTakesLittleMoreThanOfEachAlone) {
  const TemporaryFolder folder;
  std::int64_t taken[2] = {};
  for (const bool many : {false, true}) {
    const std::string path = folder.file(many ? "many.db" : "one.db");
    Database database = openRun(path);
    const std::int64_t empty = bytesOf(path);
    writeEpochs(database, many ? 20 : 1, 0, 960, 60);
    taken[many ? 1 : 0] = bytesOf(path) - empty;
  }
  EXPECT_LE(taken[1], kWorstFilling * 20 * taken[0]);
}

TEST(History, growsWithTheLogarithmOfTheEpochs) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openRun(path);
  writeEpochs(database, 1, 0, 4 * 960, 60);
  // Five levels at most, of 64 and what one batch brings.
  for (const char* table : {"observations", "arrival_histograms"})
    EXPECT_LE(count(path, table), 5 * (64 + 60)) << table;
  EXPECT_LE(count(path, "arrivals"), 5 * (64 + 60) * static_cast<std::int64_t>(kRecordedRanks));
}

// A write that is interrupted between, or a batch at a time: the figures are those of all epochs.
TEST(History, figuresAreThoseOfAllEpochs) {
  const TemporaryFolder folder;
  Database database = openRun(folder.file("a.db"));
  writeEpochs(database, 1, 0, 1000, 25);
  const Reader reader = std::move(Reader::open(folder.file("a.db"))).value();
  std::int64_t epochs = 0;
  std::int64_t calls = 0;
  double sum = 0.0;
  double minimum = 1.0;
  const auto observations = reader.observations(1).value();
  for (const ObservationRecord& seen : observations) {
    epochs += seen.epochs;
    calls += seen.calls;
    sum += static_cast<double>(seen.samples) * seen.post_arrival_mean.value();
    minimum = std::min(minimum, seen.post_arrival_minimum.value());
  }
  double expected = 0.0;
  const Batch written = epochsOf(1, 0, 1000);
  for (const ObservationRecord& seen : epochsOf(1, 0, 1000).observations)
    expected += 2.0 * seen.post_arrival_mean.value();
  EXPECT_LT(observations.size(), 250U);
  EXPECT_EQ(epochs, 1000);
  EXPECT_EQ(calls, 4000);
  EXPECT_NEAR(sum, expected, 1e-9);
  EXPECT_EQ(minimum, 0.001);
  std::int64_t samples = 0;
  std::int64_t ranks = 0;
  const auto stored_histograms = reader.histograms(1);
  for (const HistogramRecord& histogram : stored_histograms.value()) {
    samples += histogram.samples;
    for (const std::int64_t class_count : histogram.counts) ranks += class_count;
  }
  EXPECT_EQ(samples, 2000);
  EXPECT_EQ(ranks, 1000 * kRanks);
  std::int64_t of_late_rank = 0;
  const auto stored_arrivals = reader.arrivals(1);
  for (const ArrivalRecord& arrival : stored_arrivals.value()) of_late_rank += arrival.rank == 3 ? arrival.samples : 0;
  EXPECT_EQ(of_late_rank, 2000) << "the late rank is never joined away";
}

TEST(History, latestEpochsStayAsTheyWereRecorded) {
  const TemporaryFolder folder;
  Database database = openRun(folder.file("a.db"));
  writeEpochs(database, 1, 0, 400, 4);
  const Reader reader = std::move(Reader::open(folder.file("a.db"))).value();
  const std::vector<ObservationRecord> kept = reader.observations(1).value();
  const std::vector<ObservationRecord> written = epochsOf(1, 400 - kEpochsKept, 400).observations;
  ASSERT_GE(kept.size(), written.size());
  EXPECT_TRUE(std::equal(written.rbegin(), written.rend(), kept.rbegin()));
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.epochs > b.epochs;
  })) << "the older, the more epochs in one record";
}

TEST(History, batchThatIsRepeatedChangesNothing) {
  const TemporaryFolder folder;
  Database database = openRun(folder.file("a.db"));
  writeEpochs(database, 1, 0, 200, 1);
  const Reader reader = std::move(Reader::open(folder.file("a.db"))).value();
  const auto observations = reader.observations(1).value();
  const auto histograms = reader.histograms(1).value();
  expectOk(database.write("r", epochsOf(1, 200 - kEpochsKept, 200)));
  EXPECT_EQ(reader.observations(1).value(), observations);
  EXPECT_EQ(reader.histograms(1).value(), histograms);
}

TEST(History, damagedRowHoldsUpNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openRun(path);
  expectOk(database.write("r", epochsOf(1, 0, 5)));
  {
    const auto editor = sqlite::Connection::open(path, sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(editor.value().execute("UPDATE arrival_histograms SET counts = 'all' WHERE epoch = 2"));
    expectOk(editor.value().execute("UPDATE arrivals SET rank = (1 << 40) + rank WHERE epoch = 3"));
  }
  writeEpochs(database, 1, 5, 300, 5);
  EXPECT_LT(count(path, "arrival_histograms"), 130);
}

TEST(History, latestDecisionsStay) {
  const TemporaryFolder folder;
  Database database = openRun(folder.file("a.db"));
  for (std::int64_t epoch = 0; epoch < 2 * kDecisionsKept; epoch += 32) {
    Batch batch;
    for (std::int64_t later = 0; later < 32; ++later) {
      batch.decisions.push_back(sampleBatch().decisions.front());
      batch.decisions.back().epoch = epoch + later;
    }
    expectOk(database.write("r", batch));
  }
  const auto decisions = std::move(Reader::open(folder.file("a.db"))).value().decisions(1);
  ASSERT_EQ(decisions.value().size(), static_cast<std::size_t>(kDecisionsKept));
  EXPECT_EQ(decisions.value().front().epoch, kDecisionsKept);
}

TEST(History, aWriteJoinsABoundedNumberOfRecords) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openRun(path);
  {
    const auto editor = sqlite::Connection::open(path, sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(database.write("r", epochsOf(1, 0, 1)));
    expectOk(editor.value().execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) INSERT INTO arrival_histograms "
        "(key, epoch, samples, counts, epochs) SELECT 1, i, 2, '[64]', 1 FROM n"));
  }
  std::int64_t before = count(path, "arrival_histograms");
  EXPECT_EQ(before, 10'000);
  expectOk(database.write("r", epochsOf(1, 10'000, 10'001)));
  const std::int64_t after = count(path, "arrival_histograms");
  EXPECT_LT(after, before);
  EXPECT_GE(after, before + 1 - 66 * (kEpochsJoined - 1)) << "64 joins, and one for each record that came";
}

TEST(History, aWriteJoinsABoundedNumberOfRecordsOfAllKeysTogether) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  Database database = openRun(path);
  {
    const auto editor = sqlite::Connection::open(path, sqlite::Access::kReadWrite, Seconds{1.0});
    expectOk(database.write("r", epochsOf(3, 0, 1)));
    expectOk(editor.value().execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) INSERT INTO arrival_histograms "
        "(key, epoch, samples, counts, epochs) SELECT number, i, 2, '[64]', 1 FROM n, keys"));
  }
  const std::int64_t before = count(path, "arrival_histograms");
  EXPECT_EQ(before, 3'000);
  expectOk(database.write("r", epochsOf(3, 1'000, 1'001)));
  const std::int64_t after = count(path, "arrival_histograms");
  EXPECT_LT(after, before);
  EXPECT_GE(after, before + 3 - (64 + 3 + 3) * (kEpochsJoined - 1)) << "64 joins, and one for each record that came";
}

}  // namespace
}  // namespace starling
