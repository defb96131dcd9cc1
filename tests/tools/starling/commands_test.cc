// The built program takes no other database than the one that is meant.
#include "commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "example_commands.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class DatabaseInForce : public ExampleCommands {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_.file("starling"));
    writeExampleDatabase(default_);
  }

  // Runs a command whose default database has the example's runs; it is refused in one sentence.
  std::string refusalOf(const std::string& arguments, const std::string& environment = "") const {
    const CliResult result = runStarling(arguments, "XDG_DATA_HOME='" + folder_.file("") + "' " + environment);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }

  const std::string default_ = folder_.file("starling/tuning.db");
};

TEST_F(DatabaseInForce, emptyNameIsRefusedByEveryCommand) {
  const std::string before = readFile(default_);
  for (const CommandRow& row : commandTable()) {
    const std::string command = row.name;
    EXPECT_THAT(refusalOf(command + " --db ''"), AllOf(StartsWith("starling: "), HasSubstr("--db: FILE is empty")));
    EXPECT_THAT(refusalOf("--db '' " + command), HasSubstr("--db: FILE is empty")) << command;
    EXPECT_THAT(refusalOf(command + " --db="), HasSubstr("--db has no value")) << command;
  }
  EXPECT_THAT(refusalOf("prune --db '' --keep-runs 0"), HasSubstr("--db: FILE is empty"));
  EXPECT_THAT(refusalOf("run --db '' -n 2 -- true"), HasSubstr("--db: FILE is empty"));
  EXPECT_EQ(readFile(default_), before);
}

TEST_F(DatabaseInForce, nextArgumentIsNotTakenForAnEmptyName) {
  writeExampleDatabase(database_);
  EXPECT_THAT(refusalOf("merge --db= '" + folder_.file("other.db") + "' '" + database_ + "'"),
              HasSubstr("--db has no value"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("other.db")));
  EXPECT_THAT(refusalOf("doctor --db= x"), HasSubstr("--db has no value"));
}

TEST_F(DatabaseInForce, commandsThatWriteAreNotStartedWhereTheEnvironmentNamesNone) {
  writeExampleDatabase(database_);
  ASSERT_EQ(run("export --output '" + folder_.file("policy.json") + "'").exit_code, 0);
  const std::string before = readFile(default_);
  for (const std::string& command : {std::string("prune --keep-runs 0"), "import '" + folder_.file("policy.json") + "'",
                                     "merge '" + database_ + "'"}) {
    EXPECT_THAT(refusalOf(command, "STARLING_DB='~/tuning.db'"),
                AllOf(HasSubstr("STARLING_DB=~/tuning.db is not understood"), HasSubstr("give --db FILE"),
                      HasSubstr("has changed nothing")));
  }
  EXPECT_EQ(readFile(default_), before);
  EXPECT_EQ(run("prune --dry-run", "STARLING_DB='~/tuning.db'").exit_code, 0) << "--db says which is meant";
}

TEST_F(DatabaseInForce, commandsThatWriteAreNotStartedWhereTheEnvironmentNamesAnEmptyOne) {
  const std::string before = readFile(default_);
  EXPECT_THAT(refusalOf("prune --keep-runs 0", "STARLING_DB="),
              AllOf(HasSubstr("STARLING_DB is empty: unset it, or give a file"), HasSubstr("give --db FILE"),
                    HasSubstr("has changed nothing")));
  EXPECT_EQ(readFile(default_), before);
  const CliResult read = runStarling("sites", "XDG_DATA_HOME='" + folder_.file("") + "' STARLING_DB=");
  EXPECT_EQ(read.exit_code, 0);
  EXPECT_THAT(read.err, HasSubstr("STARLING_DB is empty: unset it, or give a file; its default is used"));
}

}  // namespace
}  // namespace starling::cli
