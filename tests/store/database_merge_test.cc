// How the database takes in runs and policies of another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database_fixture.h"
#include "store/reader.h"
#include "store/stored_run.h"

namespace starling {
namespace {

StoredRun storedRun(const std::string& id, std::int64_t calls, std::optional<std::int64_t> finished = std::nullopt) {
  StoredRun run{sampleRun(id), finished, sampleBatch()};
  run.records.policies.clear();
  run.records.keys.front().calls = calls;
  return run;
}

StoredPolicy storedPolicy(const std::string& choice, std::optional<std::string> run_id,
                          std::optional<std::int64_t> started) {
  StoredPolicy stored{1, sampleEnvironment(), "heat", std::move(run_id), started, 0, samplePolicy()};
  stored.policy.choice = choice;
  return stored;
}

class DatabaseMerge : public testing::Test {
 protected:
  Merged merge(const StoredRun& run) {
    const Result<Merged> merged = database_.mergeRun(run);
    EXPECT_TRUE(merged.isOk()) << merged.status().message();
    return merged.value();
  }
  Merged merge(const StoredPolicy& policy) {
    const Result<Merged> merged = database_.mergePolicy(policy);
    EXPECT_TRUE(merged.isOk()) << merged.status().message();
    return merged.value();
  }
  Reader reader() const { return std::move(Reader::open(path_)).value(); }
  std::string choiceInForce() {
    const auto policies = database_.policies(sampleEnvironment(), "heat").value();
    return policies.size() == 1 ? policies.front().choice : "not one policy";
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("a.db");
  Database database_ = openDatabase(path_);
};

TEST_F(DatabaseMerge, runComesWithAllItsRecords) {
  StoredRun theirs = storedRun("r", 500, 1'700'000'100);
  theirs.run.seconds = 12.5;
  theirs.run.beside_keys = {2500, 3.5, 0.25};
  EXPECT_EQ(merge(theirs), Merged::kAdded);
  const auto runs = reader().runs().value();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().finished, theirs.finished);
  const StoredRun ours = reader().wholeRun(runs.front()).value();
  EXPECT_EQ(ours.run, theirs.run);
  EXPECT_TRUE(ours.records == theirs.records);
}

TEST_F(DatabaseMerge, runComesOnce) {
  merge(storedRun("r", 500, 1));
  const std::string bytes = readFile(path_);
  EXPECT_EQ(merge(storedRun("r", 500, 1)), Merged::kKept);
  EXPECT_EQ(merge(storedRun("r", 499, 1)), Merged::kKept) << "an earlier state of it";
  EXPECT_EQ(merge(storedRun("r", 500)), Merged::kKept) << "before it finished";
  EXPECT_EQ(readFile(path_), bytes);
}

TEST_F(DatabaseMerge, runIsRenewedByALaterState) {
  merge(storedRun("r", 500));
  StoredRun later = storedRun("r", 501);
  later.records.observations.front().epoch = 77;
  EXPECT_EQ(merge(later), Merged::kRenewed);
  later = storedRun("r", 501, 1'700'000'100);
  later.run.beside_keys = {2500, 3.5, 0.25};
  EXPECT_EQ(merge(later), Merged::kRenewed) << "it has finished";
  const auto runs = reader().runs().value();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().finished, 1'700'000'100);
  EXPECT_EQ(runs.front().run.beside_keys, later.run.beside_keys);
  EXPECT_EQ(count(path_, "keys"), 1);
  EXPECT_EQ(count(path_, "observations"), 1) << "its records take the place of the former ones";
}

TEST_F(DatabaseMerge, saysBeforehandWhatBecomesOfARun) {
  const auto compare = [this](const std::string& id, std::int64_t calls, bool has_finished) {
    return database_.compareRun(id, {{sampleBatch().keys.front().id, calls}}, has_finished).value();
  };
  EXPECT_EQ(compare("r", 0, false), Merged::kAdded);
  merge(storedRun("r", 500));
  const KeyId key = sampleBatch().keys.front().id;
  EXPECT_EQ(reader().calls(1).value(), (CallsOfKeys{{key, 500}}));
  EXPECT_EQ(compare("r", 501, false), Merged::kRenewed);
  EXPECT_EQ(compare("r", 500, true), Merged::kRenewed);
  EXPECT_EQ(compare("r", 500, false), Merged::kKept);
  EXPECT_EQ(compare("r", 499, true), Merged::kRenewed) << "it has finished there";
  KeyId other = key;
  ++other.size_class;
  EXPECT_EQ(database_.compareRun("r", {{key, 499}, {other, 1}}, false).value(), Merged::kRenewed) << "a key more";
}

// As where other sites were pruned there.
TEST_F(DatabaseMerge, keysThatAreNotThereStayHere) {
  StoredRun both = storedRun("r", 500);
  KeyRecord other = both.records.keys.front();
  ++other.id.size_class;
  other.calls = 700;
  both.records.keys.push_back(other);
  merge(both);
  EXPECT_EQ(merge(storedRun("r", 499)), Merged::kKept);
  StoredRun later = storedRun("r", 501);
  later.records.observations.front().epoch = 77;
  EXPECT_EQ(merge(later), Merged::kRenewed);
  EXPECT_EQ(reader().calls(1).value(), (CallsOfKeys{{later.records.keys.front().id, 501}, {other.id, 700}}));
  EXPECT_EQ(count(path_, "observations"), 1);
}

TEST_F(DatabaseMerge, keysThatAreNotHereComeAlone) {
  merge(storedRun("r", 500));
  StoredRun theirs = storedRun("r", 400);
  KeyRecord other = theirs.records.keys.front();
  ++other.id.size_class;
  other.calls = 7;
  theirs.records.keys.push_back(other);
  theirs.records.observations.front().epoch = 77;
  EXPECT_EQ(merge(theirs), Merged::kRenewed);
  EXPECT_EQ(reader().calls(1).value(), (CallsOfKeys{{theirs.records.keys.front().id, 500}, {other.id, 7}}));
  EXPECT_NE(reader().observations(1).value().front().epoch, 77) << "ours made more calls";
}

TEST_F(DatabaseMerge, policyOfTheLaterRunWins) {
  merge(storedRun("early", 1));
  StoredRun late = storedRun("late", 1);
  late.run.started += 60;
  merge(late);
  const std::int64_t started = sampleRun("early").started;
  EXPECT_EQ(merge(storedPolicy("ring", "early", started)), Merged::kAdded);
  EXPECT_EQ(merge(storedPolicy("slt", "late", started + 60)), Merged::kRenewed);
  EXPECT_EQ(merge(storedPolicy("ring", "early", started)), Merged::kKept);
  EXPECT_EQ(merge(storedPolicy("prr", "late", started + 60)), Merged::kKept);
  EXPECT_EQ(choiceInForce(), "slt");
}

TEST_F(DatabaseMerge, ourPolicyStaysWhereTheRunOfEitherIsNotKnown) {
  merge(storedRun("r", 1));
  EXPECT_EQ(merge(storedPolicy("ring", {}, {})), Merged::kAdded);
  EXPECT_EQ(merge(storedPolicy("prr", {}, {})), Merged::kKept);
  EXPECT_EQ(merge(storedPolicy("slt", "r", sampleRun("r").started)), Merged::kKept) << "ours may be the newer one";
  EXPECT_EQ(choiceInForce(), "ring");
}

TEST_F(DatabaseMerge, policyOfNoKnownRunDoesNotTakeThePlaceOfOneThatARunLearned) {
  merge(storedRun("r", 1));
  EXPECT_EQ(merge(storedPolicy("slt", "r", sampleRun("r").started)), Merged::kAdded);
  EXPECT_EQ(merge(storedPolicy("ring", {}, {})), Merged::kKept);
  EXPECT_EQ(choiceInForce(), "slt");
}

TEST_F(DatabaseMerge, ofOneRunThePolicyWinsOfWhichMoreCallsAreKnown) {
  merge(storedRun("r", 100));
  StoredPolicy policy = storedPolicy("slt", "r", sampleRun("r").started);
  policy.calls = 100;
  EXPECT_EQ(merge(policy), Merged::kAdded);
  EXPECT_EQ(merge(policy), Merged::kKept);
  merge(storedRun("r", 200));
  policy.policy.choice = "ring";
  EXPECT_EQ(merge(policy), Merged::kKept) << "an earlier state of it";
  policy.calls = 200;
  EXPECT_EQ(merge(policy), Merged::kRenewed);
  EXPECT_EQ(choiceInForce(), "ring");
}

// As when a run is removed from the other file while that is merged.
TEST_F(DatabaseMerge, policyOfARunThatDidNotComeBelongsToNone) {
  EXPECT_EQ(merge(storedPolicy("slt", "gone", sampleRun("gone").started)), Merged::kAdded);
  EXPECT_EQ(choiceInForce(), "slt");
  EXPECT_FALSE(reader().allPolicies().value().front().run_id);
}

TEST_F(DatabaseMerge, policyStaysWithItsRunWhenThatIsRenewed) {
  merge(storedRun("r", 1));
  merge(storedPolicy("slt", "r", sampleRun("r").started));
  merge(storedRun("r", 2));
  const auto policies = reader().allPolicies().value();
  ASSERT_EQ(policies.size(), 1U);
  EXPECT_EQ(policies.front().run_id, "r");
}

TEST_F(DatabaseMerge, nothingIsTakenWhereTheFileIsLocked) {
  Database hasty = openDatabase(path_, Seconds{0.01});
  const auto other = sqlite::Connection::open(path_, sqlite::Access::kReadWrite, Seconds{1.0});
  const sqlite::Transaction transaction(other.value());
  EXPECT_THAT(hasty.mergeRun(storedRun("r", 1)).status().message(), testing::HasSubstr("cannot merge a run into"));
  EXPECT_THAT(hasty.mergePolicy(storedPolicy("ring", {}, {})).status().message(), testing::HasSubstr("lock"));
}

}  // namespace
}  // namespace starling
