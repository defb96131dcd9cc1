// The built program removes records of a database, and takes in those of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../store/first_schema.h"
#include "cli_process.h"
#include "example_database.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PruneAndMerge : public testing::Test {
 protected:
  void SetUp() override { writeExampleDatabase(file("tuning.db")); }

  std::string file(const std::string& name) const { return folder_.file(name); }
  CliResult run(const std::string& arguments, const std::string& database = "tuning.db") const {
    return runStarling(arguments + " --db '" + file(database) + "'");
  }
  json parsed(const std::string& arguments, const std::string& database = "tuning.db") const {
    return jsonOf(run(arguments, database));
  }

  const TemporaryFolder folder_;
};

TEST_F(PruneAndMerge, dryRunSaysWhatWouldGoAndChangesNothing) {
  const std::string bytes = readFile(file("tuning.db"));
  const CliResult result = run("prune --keep-runs 1 --policies --dry-run");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("  1  app "), HasSubstr("2023-11-14 22:13"), Not(HasSubstr("  2  app "))));
  EXPECT_THAT(result.out, HasSubstr("Would remove 1 run, 1 key and 0 records from"));
  EXPECT_EQ(readFile(file("tuning.db")), bytes);
  EXPECT_THAT(run("prune --keep-runs 0 --policies --dry-run").out, HasSubstr(", and 1 policy from"));
}

TEST_F(PruneAndMerge, pruneRemovesRunsAndKeepsWhatTheyLearned) {
  const CliResult result = run("prune --older-than 1d");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Removed 2 runs, 4 keys and 14 records from"));
  const CliResult sites = run("sites");
  EXPECT_EQ(sites.exit_code, 1);
  EXPECT_THAT(sites.err, HasSubstr("holds no run yet"));
  EXPECT_THAT(run("prune --older-than 1d").out, HasSubstr("Removed 0 runs")) << "there is none any more";
  const auto policies = Database::open(file("tuning.db")).value().policies(exampleRun("x").environment, "app");
  EXPECT_EQ(policies.value().size(), 1U);
}

TEST_F(PruneAndMerge, pruneTakesPoliciesWhenAsked) {
  EXPECT_EQ(run("prune --older-than 1d --policies").exit_code, 0);
  const auto policies = Database::open(file("tuning.db")).value().policies(exampleRun("x").environment, "app");
  EXPECT_TRUE(policies.value().empty());
}

TEST_F(PruneAndMerge, pruneTakesPoliciesOfRunsThatAreGone) {
  for (const char* selection : {"--keep-runs 0", "--older-than 0m", "--site pressure", "--site label:pressure"}) {
    writeExampleDatabase(file("gone.db"));
    ASSERT_EQ(run("prune --keep-runs 0", "gone.db").exit_code, 0);
    EXPECT_THAT(run("policies", "gone.db").out, HasSubstr("  pressure  ")) << "the site keeps its name";
    EXPECT_THAT(run("prune --policies", "gone.db").out, HasSubstr("0 records from")) << "nothing was chosen";
    for (const char* too_little : {"--keep-runs 1", "--older-than 1d"}) {
      EXPECT_THAT(run(std::string("prune --policies ") + too_little, "gone.db").out, HasSubstr("0 records from"));
    }
    const CliResult result = run(std::string("prune --policies ") + selection, "gone.db");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("and 1 policy from")) << selection;
    EXPECT_THAT(run("policies", "gone.db").out, HasSubstr("has no policy"));
    std::filesystem::remove(file("gone.db"));
  }
}

TEST_F(PruneAndMerge, pruneFindsSitesThatOnlyPoliciesName) {
  ASSERT_EQ(run("export --output '" + file("policies.json") + "'").exit_code, 0);
  ASSERT_EQ(run("import '" + file("policies.json") + "'", "imported.db").exit_code, 0);
  for (const char* arguments : {"--policies --site pressur", "--policies --site nowhere", "--site pressure"}) {
    const CliResult refused = run(std::string("prune ") + arguments, "imported.db");
    EXPECT_EQ(refused.exit_code, 1) << arguments;
    EXPECT_THAT(refused.err, HasSubstr("there is no site")) << arguments;
  }
  const CliResult result = run("prune --policies --site pressure", "imported.db");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Removed 0 keys and 0 records of 0 runs, and 1 policy from"));
  EXPECT_EQ(run("prune --policies --site pressure", "imported.db").exit_code, 1) << "there is none any more";
}

TEST_F(PruneAndMerge, pruneOfASiteLeavesTheOthers) {
  const CliResult result = run("prune --site dot --site norm");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Removed 2 keys and 0 records of 1 run from"));
  const json sites = parsed("sites --json");
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0]["label"], "pressure");
  EXPECT_EQ(parsed("arrivals pressure --json")[0]["ranks"].size(), 4U);
}

TEST_F(PruneAndMerge, pruneLeavesARunThatMayBeRunning) {
  {
    Database database = std::move(Database::open(file("tuning.db"))).value();
    ASSERT_TRUE(database.beginRun(exampleRun("killed")).isOk());
  }
  EXPECT_THAT(run("prune --older-than 0m").out, HasSubstr("Removed 2 runs"));
  EXPECT_EQ(run("sites --run 3").exit_code, 0);
  EXPECT_THAT(run("prune --older-than 0m --unfinished").out, HasSubstr("Removed 1 run"));
}

TEST_F(PruneAndMerge, pruneRefusesWhatItDoesNotUnderstand) {
  const std::string bytes = readFile(file("tuning.db"));
  const std::map<std::string, std::string> wrong{{"--older-than 3", "is not an age"},
                                                 {"--keep-runs many", "is not a count"},
                                                 {"--site nowhere", "there is no site 'nowhere'"},
                                                 {"tuning.db", "tuning.db"}};
  for (const auto& [arguments, reason] : wrong) {
    const CliResult result = run("prune " + arguments);
    EXPECT_NE(result.exit_code, 0) << arguments;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(readFile(file("tuning.db")), bytes);
  const CliResult missing = run("prune --older-than 1d", "missing.db");
  EXPECT_THAT(missing.err, HasSubstr("there is no such file"));
  EXPECT_FALSE(std::filesystem::exists(file("missing.db")));
}

TEST_F(PruneAndMerge, mergeBringsRunsAndPoliciesOnce) {
  const CliResult first = run("merge '" + file("tuning.db") + "'", "all.db");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out,
              HasSubstr("runs: 2 added, 0 renewed, 0 kept as they are; policies: 1 added, 0 renewed, 0 kept"));
  for (const char* command : {"sites --run all --json", "show pressure --json", "explain pressure", "arrivals pressure",
                              "decisions --json", "export"}) {
    EXPECT_EQ(run(command, "all.db").out, run(command).out) << command;
  }
  const std::string bytes = readFile(file("all.db"));
  const CliResult again = run("merge '" + file("tuning.db") + "' '" + file("tuning.db") + "'", "all.db");
  EXPECT_THAT(again.out,
              HasSubstr("runs: 0 added, 0 renewed, 2 kept as they are; policies: 0 added, 0 renewed, 1 kept"));
  EXPECT_EQ(readFile(file("all.db")), bytes);
}

TEST_F(PruneAndMerge, mergeReadsAnOlderDatabaseAndLeavesItAsItIs) {
  writeFirstSchemaDatabase(file("old.db"));
  const std::string bytes = readFile(file("old.db"));
  EXPECT_THAT(run("merge '" + file("old.db") + "'").out, HasSubstr("runs: 1 added"));
  EXPECT_EQ(readFile(file("old.db")), bytes);
  EXPECT_EQ(parsed("sites --run 3 --json").size(), 3U);
}

TEST_F(PruneAndMerge, mergeRefusesFilesBeforeAnythingIsTaken) {
  writeFile(file("notes.txt"), "These are notes, not a database.\n");
  const std::string bytes = readFile(file("tuning.db"));
  writeApartDatabase(file("good.db"));
  for (const char* name : {"notes.txt", "missing.db", "tuning.db"}) {
    const CliResult result = run("merge '" + file("good.db") + "' '" + file(name) + "'");
    EXPECT_EQ(result.exit_code, 1) << name;
    const bool is_own = std::string(name) == "tuning.db";
    EXPECT_THAT(result.err, AllOf(HasSubstr(name), HasSubstr(is_own ? "name other files" : "nothing was merged")));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(readFile(file("tuning.db")), bytes);
  }
  EXPECT_EQ(run("merge").exit_code, 2);
}

TEST_F(PruneAndMerge, mergeRefusesFiguresThatNobodyRecorded) {
  writeApartDatabase(file("bad.db"));
  {
    const auto editor = sqlite::Connection::open(file("bad.db"), sqlite::Access::kReadWrite, Seconds{1.0});
    ASSERT_TRUE(editor.value().execute("UPDATE observations SET samples = -5").isOk());
  }
  const std::string bytes = readFile(file("tuning.db"));
  const CliResult result = run("merge '" + file("bad.db") + "'");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("bad.db"), HasSubstr("observations, samples: is -5"), HasSubstr("leave the file out")));
  EXPECT_EQ(readFile(file("tuning.db")), bytes);
}

}  // namespace
}  // namespace starling::cli
