// Records that reach the database as files: both sides of the spool, in one process and in several.
#include "store/spool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../kept_messages.h"
#include "database_fixture.h"
#include "file_size_limit.h"
#include "store/background_writer.h"
#include "store/codec.h"
#include "store/spool_sender.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Seconds kLong{60.0};
constexpr Seconds kSeldom{1000.0};
constexpr Seconds kOften{0.01};

class SpoolTest : public testing::Test {
 protected:
  SpoolTest() { expectOk(openDatabase(path_).beginRun(sampleRun("first"))); }

  std::string spoolFile(const std::string& name) const { return spool_ + "/" + name; }
  bool spoolIsGone() const { return !std::filesystem::exists(spool_); }

  const KeptMessages warnings_;
  TemporaryFolder folder_;
  const std::string path_ = folder_.file("tuning.db");
  const std::string spool_ = path_ + "-spool-" + std::to_string(::geteuid());
};

Batch siteBatch(const std::string& label) {
  Batch batch;
  batch.sites.push_back({.identity = "label:" + label, .label = label, .module = {}, .build_id = {}, .symbol = {}});
  return batch;
}

Spool openSpool(const std::string& database, const std::string& run_id) {
  Result<Spool> opened = Spool::open(database, run_id);
  EXPECT_TRUE(opened.isOk()) << opened.status().message();
  return std::move(opened).value();
}

void writeSpoolFile(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  writeFile(path, std::string(bytes.begin(), bytes.end()));
}

// Sends the batches and waits until they lie in the spool.
void sendAll(const std::string& database, const std::string& run_id, std::vector<Batch> batches) {
  SpoolSender sender(database, run_id);
  ASSERT_TRUE(sender.isThere(kLong));
  for (Batch& batch : batches) ASSERT_TRUE(sender.push(std::move(batch)));
  ASSERT_TRUE(sender.finish(kLong));
}

// Keeps what is delivered, as "run: label".
struct Delivered {
  std::vector<std::string> batches;
  Spool::Deliver keep = [this](const std::string& run_id, const Batch& batch) {
    batches.push_back(run_id + ": " + batch.sites.at(0).label);
    return true;
  };
};

void makeOld(const std::string& path, int seconds) {
  timespec times[2]{};
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

// Runs `body` in a process of its own, which is killed at its end.
void runKilled(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(SpoolName, isSafeAndComesBack) {
  EXPECT_EQ(spoolFolderName("65a1-7f-00c0ffee"), "65a1-7f-00c0ffee");
  EXPECT_EQ(spoolFolderName("../a b%"), "%2E%2E%2Fa%20b%25");
  for (const std::string id : {"65a1-7f-00c0ffee", "../a b%", "\n\xff", "%2", ""}) {
    EXPECT_EQ(spoolRunId(spoolFolderName(id)), id);
  }
}

TEST_F(SpoolTest, batchesArriveInOrderAndTheFolderGoes) {
  Delivered delivered;
  {
    Spool spool = openSpool(path_, "first");
    struct stat status {};
    ASSERT_EQ(::stat(spoolFile("first").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    sendAll(path_, "first", {siteBatch("a"), siteBatch("b"), siteBatch("c")});
    spool.take(delivered.keep);
    EXPECT_TRUE(std::filesystem::is_empty(spoolFile("first")));
    spool.take(delivered.keep);
  }
  EXPECT_THAT(delivered.batches, ElementsAre("first: a", "first: b", "first: c"));
  EXPECT_TRUE(spoolIsGone());
}

TEST_F(SpoolTest, batchThatCannotBeDeliveredStays) {
  Spool spool = openSpool(path_, "first");
  sendAll(path_, "first", {siteBatch("a"), siteBatch("b")});
  int tries = 0;
  for (int i = 0; i < 2; ++i) {
    spool.take([&tries](const std::string&, const Batch&) { return ++tries == 0; });
  }
  EXPECT_EQ(tries, 2) << "the first failure ends each look";
  Delivered delivered;
  spool.takeAll(delivered.keep);
  EXPECT_THAT(delivered.batches, ElementsAre("first: a", "first: b"));
}

TEST_F(SpoolTest, batchThatFailsAlwaysDoesNotHoldUpTheOthers) {
  Spool spool = openSpool(path_, "first");
  sendAll(path_, "first", {siteBatch("refused"), siteBatch("b")});
  Delivered delivered;
  for (int i = 0; i < 5; ++i) {
    spool.take([&delivered](const std::string& run_id, const Batch& batch) {
      return batch.sites.at(0).label != "refused" && delivered.keep(run_id, batch);
    });
  }
  EXPECT_THAT(delivered.batches, ElementsAre("first: b"));
  spool.takeAll(delivered.keep);
  EXPECT_THAT(delivered.batches, ElementsAre("first: b", "first: refused")) << "in the end it is tried again";
}

TEST_F(SpoolTest, damagedFileIsRemovedWithOneWarning) {
  Spool spool = openSpool(path_, "first");
  writeFile(spoolFile("first/damaged"), "no records");
  writeSpoolFile(spoolFile("first/good"), encodeBatch(siteBatch("a")));
  Delivered delivered;
  spool.take(delivered.keep);
  EXPECT_THAT(delivered.batches, ElementsAre("first: a"));
  ASSERT_THAT(warnings_.all(), SizeIs(1));
  EXPECT_THAT(warnings_.all().front(), HasSubstr("first/damaged is removed"));
  EXPECT_TRUE(std::filesystem::is_empty(spoolFile("first")));
}

TEST_F(SpoolTest, filesOfARunThatIsAtWorkAreItsOwnForAMinute) {
  const Spool other = openSpool(path_, "other");
  writeSpoolFile(spoolFile("other/young"), encodeBatch(siteBatch("young")));
  writeSpoolFile(spoolFile("other/old"), encodeBatch(siteBatch("old")));
  makeOld(spoolFile("other/old"), 90);
  Spool spool = openSpool(path_, "first");
  Delivered delivered;
  spool.takeLeftovers(delivered.keep);
  EXPECT_THAT(delivered.batches, ElementsAre("other: old"));
  EXPECT_TRUE(std::filesystem::exists(spoolFile("other/young")));
}

TEST_F(SpoolTest, folderThatIsALinkIsRefused) {
  std::filesystem::create_directory(folder_.file("victim"));
  std::filesystem::create_symlink("victim", spool_);
  EXPECT_FALSE(Spool::open(path_, "first").isOk());
  EXPECT_FALSE(SpoolSender(path_, "first").isThere(kLong));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.file("victim")));
}

TEST_F(SpoolTest, folderThatOthersMayWriteToIsRefused) {
  std::filesystem::create_directory(spool_);
  std::filesystem::permissions(spool_, std::filesystem::perms(0777));
  EXPECT_THAT(Spool::open(path_, "first").status().message(), HasSubstr("may be written to by others"));
}

TEST_F(SpoolTest, linkInTheFolderIsNotFollowed) {
  writeSpoolFile(folder_.file("elsewhere"), encodeBatch(siteBatch("elsewhere")));
  Spool spool = openSpool(path_, "first");
  std::filesystem::create_symlink(folder_.file("elsewhere"), spoolFile("first/link"));
  Delivered delivered;
  spool.take(delivered.keep);
  EXPECT_THAT(delivered.batches, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder_.file("elsewhere")));
}

TEST_F(SpoolTest, writerStoresWhatAnotherProcessSends) {
  {
    const Spool ready = openSpool(path_, "second");
    runKilled([this] { sendAll(path_, "second", {siteBatch("a")}); });
    BackgroundWriter writer(path_, sampleRun("second"), WriterThread::kOwn, kOften);
    ASSERT_TRUE(writer.policies(kLong).empty());
    SpoolSender sender(path_, "second");
    ASSERT_TRUE(sender.isThere(kLong));
    ASSERT_TRUE(sender.push(siteBatch("b")));
    ASSERT_TRUE(sender.finish(kLong));
    // Without finish(): the thread looks by itself.
    for (int i = 0; i < 6000 && !std::filesystem::is_empty(spoolFile("second")); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(count(path_, "sites"), 2);
    EXPECT_TRUE(writer.finish(kLong));
  }
  EXPECT_TRUE(spoolIsGone());
  EXPECT_THAT(warnings_.all(), IsEmpty());
}

// Keys of a file may be of a communicator of whom only a message has told, which waits for the next write.
TEST_F(SpoolTest, filesDoNotOvertakeWhatWaitsInTheWriter) {
  BackgroundWriter writer(path_, sampleRun("second"), WriterThread::kOwn, Seconds{0.5});
  writer.push(siteBatch("a"));
  ASSERT_TRUE(writer.flush(kLong));
  Batch later = sampleBatch();
  Batch earlier;
  earlier.communicators.swap(later.communicators);
  earlier.sites.swap(later.sites);
  SpoolSender sender(path_, "second");
  ASSERT_TRUE(sender.isThere(kLong));
  writer.push(std::move(earlier));
  ASSERT_TRUE(sender.push(std::move(later)));
  ASSERT_TRUE(sender.finish(kLong));
  for (int i = 0; i < 6000 && count(path_, "observations") == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(count(path_, "observations"), 1);
  EXPECT_TRUE(writer.finish(kLong));
  EXPECT_THAT(warnings_.all(), IsEmpty());
}

TEST_F(SpoolTest, whatAKilledRunLeftIsStoredByTheNext) {
  runKilled([this] {
    BackgroundWriter writer(path_, sampleRun("killed"), WriterThread::kOwn, kSeldom);
    writer.policies(kLong);
    SpoolSender sender(path_, "killed");
    while (!sender.isThere(kLong)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    sender.push(sampleBatch());
    sender.finish(kLong);
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_EQ(count(path_, "observations"), 0);
  ASSERT_FALSE(spoolIsGone());
  BackgroundWriter next(path_, sampleRun("next"));
  EXPECT_TRUE(next.finish(kLong));
  EXPECT_EQ(count(path_, "observations"), 1);
  EXPECT_EQ(count(path_, "runs WHERE id = 'killed' AND finished IS NULL"), 1);
  EXPECT_TRUE(spoolIsGone());
}

TEST_F(SpoolTest, writerWithoutAThreadTakesFilesInItsCalls) {
  BackgroundWriter writer(path_, sampleRun("second"), WriterThread::kCallers, kSeldom);
  sendAll(path_, "second", {siteBatch("a")});
  EXPECT_TRUE(writer.finish(kLong));
  EXPECT_EQ(count(path_, "sites"), 1);
  EXPECT_TRUE(spoolIsGone());
}

TEST_F(SpoolTest, fullDiskLosesNothing) {
  BackgroundWriter writer(path_, sampleRun("second"), WriterThread::kOwn, kOften);
  writer.policies(kLong);
  SpoolSender sender(path_, "second");
  ASSERT_TRUE(sender.isThere(kLong));
  int pushed = 0;
  {
    const FileSizeLimit limit(16);
    while (pushed < 100 && sender.push(siteBatch(std::to_string(pushed)))) ++pushed;
    EXPECT_LT(pushed, 100) << "what waits is bounded";
    EXPECT_TRUE(sender.isFull());
    Batch refused = siteBatch("refused");
    EXPECT_FALSE(sender.push(std::move(refused)));
    EXPECT_EQ(refused, siteBatch("refused"));  // NOLINT(bugprone-use-after-move): refused batches are left alone
  }
  EXPECT_TRUE(sender.finish(kLong));
  EXPECT_TRUE(writer.finish(kLong));
  EXPECT_EQ(count(path_, "sites"), pushed);
  EXPECT_TRUE(spoolIsGone());
}

TEST_F(SpoolTest, senderRefusesWhereThereIsNoFolder) {
  SpoolSender sender(path_, "unknown");
  EXPECT_FALSE(sender.isThere(kLong));
  Batch batch = siteBatch("a");
  EXPECT_FALSE(sender.push(std::move(batch)));
  EXPECT_EQ(batch, siteBatch("a"));  // NOLINT(bugprone-use-after-move): refused batches are left alone
  EXPECT_TRUE(sender.finish(kLong));
  EXPECT_TRUE(sender.hasEnded());
  EXPECT_TRUE(spoolIsGone());
}

TEST_F(SpoolTest, senderFindsAFolderThatIsMadeLater) {
  SpoolSender sender(path_, "second");
  EXPECT_FALSE(sender.isThere(kLong));
  const Spool spool = openSpool(path_, "second");
  EXPECT_TRUE(sender.isThere(kLong));
  EXPECT_TRUE(sender.finish(kLong));
}

TEST_F(SpoolTest, senderRefusesWithoutAThread) {
  const Spool spool = openSpool(path_, "second");
  SpoolSender sender(path_, "second",
                     [](std::function<void()>) -> Result<std::thread> { return Status::error("no threads"); });
  EXPECT_FALSE(sender.isThere(kLong));
  EXPECT_FALSE(sender.push(siteBatch("a")));
  EXPECT_TRUE(sender.finish(kLong));
  EXPECT_TRUE(sender.hasEnded());
}

TEST_F(SpoolTest, senderStopsWhereTheSpoolIsFull) {
  const Spool spool = openSpool(path_, "second");
  const std::string large = spoolFile("second/large");
  writeFile(large, "");
  ASSERT_EQ(::truncate(large.c_str(), static_cast<off_t>(kMaxSpoolBytes)), 0);  // takes no space on the disk
  SpoolSender sender(path_, "second");
  ASSERT_TRUE(sender.isThere(kLong));
  ASSERT_TRUE(sender.push(siteBatch("a")));
  EXPECT_FALSE(sender.finish(kLong));
  std::filesystem::remove(large);
  EXPECT_TRUE(std::filesystem::is_empty(spoolFile("second")));
}

}  // namespace
}  // namespace starling
