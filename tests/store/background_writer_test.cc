#include "store/background_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "../kept_messages.h"
#include "database_fixture.h"
#include "store/policy_document.h"

namespace starling {
namespace {

class BackgroundWriterTest : public testing::Test {
 protected:
  const KeptMessages warnings_;
  TemporaryFolder folder_;
  const std::string path_ = folder_.file("tuning.db");
};

Run someRun() {
  Run run;
  run.id = "run-1";
  run.program = "program";
  return run;
}

Batch siteBatch(const std::string& label) {
  Batch batch;
  SiteRecord site;
  site.identity = "label:" + label;
  site.label = label;
  batch.sites.push_back(site);
  return batch;
}

TEST_F(BackgroundWriterTest, writesWhatIsPushedAndFinishesTheRun) {
  BackgroundWriter writer(path_, someRun());
  writer.push(siteBatch("a"));
  writer.push(siteBatch("b"));
  EXPECT_TRUE(writer.flush(Seconds{30}));
  EXPECT_EQ(count(path_, "sites"), 2);
  EXPECT_TRUE(writer.finish(Seconds{30}));
  EXPECT_EQ(count(path_, "runs WHERE finished IS NOT NULL"), 1);
  EXPECT_TRUE(warnings_.all().empty());
}

TEST_F(BackgroundWriterTest, writesBeforePushReturnsWhereThereMayBeNoThread) {
  BackgroundWriter writer(path_, someRun(), WriterThread::kCallers);
  EXPECT_TRUE(writer.policies(Seconds{0}).empty());
  writer.push(siteBatch("a"));
  EXPECT_EQ(count(path_, "sites"), 1);
  writer.push(siteBatch("b"));
  EXPECT_EQ(count(path_, "sites"), 2);
  EXPECT_TRUE(writer.flush(Seconds{0}));
  EXPECT_TRUE(writer.finish(Seconds{0}));
  EXPECT_TRUE(writer.hasEnded());
  EXPECT_EQ(count(path_, "runs WHERE finished IS NOT NULL"), 1);
  EXPECT_TRUE(warnings_.all().empty());
}

Result<std::thread> startNothing(std::function<void()>) { return Status::error("Resource temporarily unavailable"); }

TEST_F(BackgroundWriterTest, writesInTheCallsWhenNoThreadCanBeStarted) {
  BackgroundWriter writer(path_, someRun(), WriterThread::kOwn, Seconds{2.0}, startNothing);
  ASSERT_EQ(warnings_.all().size(), 1U);
  EXPECT_THAT(warnings_.all().front(),
              testing::AllOf(testing::HasSubstr(path_), testing::HasSubstr("Resource temporarily unavailable"),
                             testing::HasSubstr("ulimit -u"), testing::HasSubstr("STARLING_WRITER=inline")));
  EXPECT_TRUE(writer.policies(Seconds{0}).empty());
  writer.push(siteBatch("a"));
  EXPECT_EQ(count(path_, "sites"), 1);
  EXPECT_TRUE(writer.finish(Seconds{0}));
  EXPECT_TRUE(writer.hasEnded());
  EXPECT_EQ(count(path_, "runs WHERE finished IS NOT NULL"), 1);
  EXPECT_EQ(warnings_.all().size(), 1U);
}

TEST_F(BackgroundWriterTest, withoutAThreadAFaultIsTriedAgainAtTheNextPush) {
  const std::string missing = folder_.file("folder") + "/tuning.db";
  std::ofstream(folder_.file("folder")) << "a file where a folder is needed";
  BackgroundWriter writer(missing, someRun(), WriterThread::kCallers);
  writer.push(siteBatch("a"));
  EXPECT_FALSE(writer.flush(Seconds{0}));
  EXPECT_EQ(warnings_.all().size(), 1U);
  std::remove(folder_.file("folder").c_str());
  writer.push(siteBatch("b"));
  EXPECT_EQ(warnings_.all().size(), 1U);
  EXPECT_TRUE(writer.finish(Seconds{0}));
  EXPECT_EQ(count(missing, "sites"), 2);
}

TEST_F(BackgroundWriterTest, readsPoliciesOfAFileThatCannotBeWritten) {
  const PolicyDocument document{someRun().environment, someRun().program, {samplePolicy()}};
  ASSERT_TRUE(openDatabase(path_).importPolicies(document).isOk());
  const sqlite::Connection lock =
      std::move(sqlite::Connection::open(path_, sqlite::Access::kReadWrite, Seconds{5})).value();
  ASSERT_TRUE(lock.execute("BEGIN IMMEDIATE").isOk());
  BackgroundWriter writer(path_, someRun());
  EXPECT_THAT(writer.policies(Seconds{30}), testing::ElementsAre(document.policies.front()));
}

TEST_F(BackgroundWriterTest, warnsOnceAndLosesNothingWhileTheFileIsLocked) {
  { const Database made = openDatabase(path_); }
  auto other = sqlite::Connection::open(path_, sqlite::Access::kReadWrite, Seconds{5.0});
  ASSERT_TRUE(other.isOk());
  expectOk(other.value().execute("BEGIN EXCLUSIVE"));
  BackgroundWriter writer(path_, someRun());
  writer.push(siteBatch("a"));
  EXPECT_FALSE(writer.flush(Seconds{2.5}));
  writer.push(siteBatch("b"));
  expectOk(other.value().execute("ROLLBACK"));
  EXPECT_TRUE(writer.flush(Seconds{30}));
  EXPECT_EQ(count(path_, "sites"), 2);
  EXPECT_EQ(warnings_.all().size(), 1U);
}

// They are written together; what later ones tell of the same key counts.
TEST_F(BackgroundWriterTest, writesWhatHasWaitedInItsOrder) {
  { const Database made = openDatabase(path_); }
  auto other = sqlite::Connection::open(path_, sqlite::Access::kReadWrite, Seconds{5.0});
  ASSERT_TRUE(other.isOk());
  expectOk(other.value().execute("BEGIN EXCLUSIVE"));
  BackgroundWriter writer(path_, someRun());
  constexpr int kBatches = 200;
  for (int i = 1; i <= kBatches; ++i) {
    Batch batch = siteBatch(std::to_string(i));
    const Batch sample = sampleBatch();
    batch.communicators = sample.communicators;
    batch.sites.insert(batch.sites.end(), sample.sites.begin(), sample.sites.end());
    batch.keys = {sample.keys.front()};
    batch.keys.front().calls = i;
    writer.push(std::move(batch));
  }
  expectOk(other.value().execute("ROLLBACK"));
  EXPECT_TRUE(writer.flush(Seconds{60}));
  EXPECT_EQ(count(path_, "sites"), kBatches + 1);
  EXPECT_EQ(count(path_, "keys WHERE calls = 200"), 1);
  EXPECT_EQ(count(path_, "keys"), 1);
}

TEST_F(BackgroundWriterTest, leavesAForeignFileAsItIs) {
  std::ofstream(path_) << "not a database, but somebody's notes";
  BackgroundWriter writer(path_, someRun());
  writer.push(siteBatch("a"));
  EXPECT_FALSE(writer.finish(Seconds{30}));
  EXPECT_TRUE(writer.hasEnded()) << "a fault that does not pass is given up";
  std::ifstream file(path_);
  std::string text;
  std::getline(file, text);
  EXPECT_EQ(text, "not a database, but somebody's notes");
}

TEST_F(BackgroundWriterTest, keepsAllButFiguresOfBatchesThatItHadToDrop) {
  { const Database made = openDatabase(path_); }
  auto other = sqlite::Connection::open(path_, sqlite::Access::kReadWrite, Seconds{5.0});
  ASSERT_TRUE(other.isOk());
  expectOk(other.value().execute("BEGIN EXCLUSIVE"));
  BackgroundWriter writer(path_, someRun());
  constexpr int kMoreThanTheQueueHolds = 1100;
  constexpr int kKeys = 10;
  for (int i = 0; i < kMoreThanTheQueueHolds; ++i) {
    Batch batch = siteBatch(std::to_string(i));
    KeyRecord key;
    key.id = {"0:0", batch.sites.front().identity, 10, "float", "sum"};
    PolicyRecord policy;
    policy.site = "label:" + std::to_string(i % kKeys);
    policy.communicator_size = 4;
    policy.choice = "ring";
    policy.reason = std::to_string(i);
    batch.communicators.push_back({"0:0", "world", 4, kByPostArrival, 0.0});
    batch.keys.push_back(key);
    batch.policies.push_back(policy);
    ObservationRecord observation;
    observation.key = key.id;
    observation.epoch = i;
    observation.choice = "ring";
    observation.calls = 1;
    batch.observations.push_back(observation);
    writer.push(std::move(batch));
  }
  expectOk(other.value().execute("ROLLBACK"));
  EXPECT_TRUE(writer.flush(Seconds{60}));
  EXPECT_EQ(count(path_, "sites"), kMoreThanTheQueueHolds);
  EXPECT_EQ(count(path_, "keys"), kMoreThanTheQueueHolds);
  EXPECT_LT(count(path_, "observations"), kMoreThanTheQueueHolds);
  EXPECT_EQ(count(path_, "observations WHERE epoch = 1099"), 1);
  EXPECT_EQ(count(path_, "policies"), kKeys);
  EXPECT_EQ(count(path_, "policies WHERE CAST(reason AS INTEGER) >= 1090"), kKeys) << "the latest of each";
}

TEST_F(BackgroundWriterTest, readsWhatEarlierRunsLearned) {
  Batch batch = siteBatch("a");
  PolicyRecord policy;
  policy.site = "label:a";
  policy.communicator_size = 4;
  policy.choice = "ring";
  batch.policies.push_back(policy);
  {
    BackgroundWriter first(path_, someRun());
    EXPECT_TRUE(first.policies(Seconds{30}).empty());
    first.push(batch);
    EXPECT_TRUE(first.finish(Seconds{30}));
  }
  auto second_run = someRun();
  second_run.id = "run-2";
  BackgroundWriter second(path_, second_run);
  const std::vector<PolicyRecord> known = second.policies(Seconds{30});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].choice, "ring");
}

// Stores one policy for each of the labels, with this choice: of a size by how long the label is.
void storePolicies(const std::string& path, const std::string& run, const std::vector<std::string>& labels,
                   const std::string& choice) {
  Batch batch;
  for (const std::string& label : labels) {
    batch.append(siteBatch(label));
    PolicyRecord policy;
    policy.site = "label:" + label;
    policy.communicator_size = 4;
    policy.size_class = static_cast<std::int32_t>(label.size());
    policy.choice = choice;
    batch.policies.push_back(policy);
  }
  Database database = openDatabase(path);
  Run learned = someRun();
  learned.id = run;
  expectOk(database.beginRun(learned));
  expectOk(database.write(run, batch));
}

TEST_F(BackgroundWriterTest, startsFromAnotherDatabaseWhereItsOwnHasNoPolicy) {
  const std::string other = folder_.file("other.db");
  storePolicies(path_, "own", {"a"}, "ring");
  storePolicies(other, "other", {"b", "long"}, "slt");
  const std::string before = readFile(other);
  BackgroundWriter writer(path_, someRun(), WriterThread::kOwn, Seconds{2.0}, startThread, other);
  const std::vector<PolicyRecord> policies = writer.policies(Seconds{60.0});
  ASSERT_EQ(policies.size(), 2U);
  EXPECT_EQ(policies[0].site + " " + policies[0].choice, "label:a ring");
  EXPECT_EQ(policies[1].site + " " + policies[1].choice, "label:long slt") << "of calls of another size";
  writer.push(siteBatch("c"));
  EXPECT_TRUE(writer.finish(Seconds{60.0}));
  EXPECT_EQ(readFile(other), before);
  EXPECT_THAT(warnings_.all(), testing::IsEmpty());
}

TEST_F(BackgroundWriterTest, goesOnWithoutAnotherDatabaseThatIsNotThere) {
  storePolicies(path_, "own", {"a"}, "ring");
  BackgroundWriter writer(path_, someRun(), WriterThread::kOwn, Seconds{2.0}, startThread, folder_.file("none.db"));
  EXPECT_EQ(writer.policies(Seconds{60.0}).size(), 1U);
  EXPECT_TRUE(writer.finish(Seconds{60.0}));
  EXPECT_THAT(warnings_.all(), testing::ElementsAre(testing::AllOf(testing::HasSubstr("set STARLING_START_DB"),
                                                                   testing::HasSubstr("there is no such file"))));
}

TEST_F(BackgroundWriterTest, writesNothingForAnEmptyBatch) {
  BackgroundWriter writer(path_, someRun());
  writer.push(Batch{});
  EXPECT_TRUE(writer.finish(Seconds{30}));
  EXPECT_EQ(count(path_, "sites"), 0);
}

// The limit's signal would end a program that does not expect it, and is sent to the thread that writes.
TEST_F(BackgroundWriterTest, callersThatWriteBeyondTheFileSizeLimitAreNotEndedByItsSignal) {
  EXPECT_EXIT(
      {
        BackgroundWriter writer(path_, sampleRun("run"), WriterThread::kCallers);
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = 1;
        ::setrlimit(RLIMIT_FSIZE, &limit);
        writer.push(sampleBatch());
        std::exit(writer.flush(Seconds{}) ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace starling
