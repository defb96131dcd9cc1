// STARLING_PROGRAMS and STARLING_NOT_PROGRAMS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "launcher.h"
#include "store/reader.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPreload = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";

class PreloadPrograms : public testing::Test {
 protected:
  Launch program(const std::map<std::string, std::string>& options) {
    Launch what;
    what.program = STARLING_PRELOAD_C;
    what.ranks = 3;
    what.environment = options;
    what.environment["STARLING_DB"] = database_;
    what.launcher_options = kPreload;
    return what;
  }

  bool isTuned(const Launch& what) {
    std::filesystem::remove(database_);
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(), IsEmpty());
    return std::filesystem::exists(database_);
  }

  // Keys of all runs.
  std::size_t recordedKeys() const {
    const auto reader = Reader::open(database_);
    if (!reader.isOk()) return 0;
    const auto runs = reader.value().runs();
    std::size_t count = 0;
    for (const RunRow& run : runs.isOk() ? runs.value() : std::vector<RunRow>()) {
      const auto keys = reader.value().keys(run.number);
      count += keys.isOk() ? keys.value().size() : 0;
    }
    return count;
  }

  std::string copyOf(const char* program, const std::string& name) {
    std::filesystem::copy_file(program, folder_.file(name));
    return folder_.file(name);
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
};

TEST_F(PreloadPrograms, areTunedWhereTheyAreMeant) {
  EXPECT_TRUE(isTuned(program({{"STARLING_PROGRAMS", "other:preload_?"}})));
  EXPECT_TRUE(isTuned(program({{"STARLING_NOT_PROGRAMS", "other,preload"}})));
}

// Rank 0's environment is that of all.
TEST_F(PreloadPrograms, areNotWarnedOfSettingsOfOtherRanks) {
  Launch what = program({});
  what.program = folder_.file("on_rank_1");
  std::ofstream(what.program) << "#!/bin/sh\n"
                              << "[ $OMPI_COMM_WORLD_RANK = 1 ] && export STARLING_MODE=nonsense\n"
                              << "exec " << STARLING_PRELOAD_C << " \"$@\"\n";
  std::filesystem::permissions(what.program, std::filesystem::perms::owner_all);
  EXPECT_TRUE(isTuned(what));
}

TEST_F(PreloadPrograms, areLeftAloneWhereTheyAreNot) {
  EXPECT_FALSE(isTuned(program({{"STARLING_PROGRAMS", "other"}})));
  EXPECT_FALSE(isTuned(program({{"STARLING_NOT_PROGRAMS", "other,preload_*"}})));
}

TEST_F(PreloadPrograms, tellWhyWhereThatIsWanted) {
  const Outcome outcome = launch(program({{"STARLING_PROGRAMS", "other"}, {"STARLING_VERBOSITY", "info"}}));
  EXPECT_THAT(outcome.messages(), ElementsAre(HasSubstr("left to the MPI library: STARLING_PROGRAMS=other")));
}

// The ranks of both make each call together, so none may be tuned.
TEST_F(PreloadPrograms, ofOneJobAreLeftAloneTogether) {
  const std::string other = copyOf(STARLING_PRELOAD_C, "other");
  for (const char* pattern : {"other", "preload_c"}) {
    Launch mixed = program({{"STARLING_NOT_PROGRAMS", pattern}});
    mixed.arguments = ": -n 2 " + kPreload + " '" + other + "'";
    const Outcome outcome = launch(mixed);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(),
                ElementsAre(AllOf(HasSubstr("not all of them"), HasSubstr("all calls are left to the MPI library"))));
    EXPECT_FALSE(std::filesystem::exists(database_));
  }
}

// The one that is spawned is of a job of its own, but makes its calls together with the first one's ranks.
TEST_F(PreloadPrograms, thatAreSpawnedAreLeftAloneTogetherWithTheOthers) {
  const std::string other = copyOf(STARLING_SPAWNING, "other");
  const std::map<const char*, std::size_t> keys_known{{"nothing", 1}, {"other", 0}, {"spawning", 0}};
  for (const auto& [pattern, keys] : keys_known) {
    std::filesystem::remove(database_);
    Launch spawns = program({{"STARLING_NOT_PROGRAMS", pattern}, {"STARLING_ALGORITHM", "ring"}});
    spawns.program = STARLING_SPAWNING;
    spawns.arguments = "'" + other + "'";
    spawns.ranks = 2;
    const Outcome outcome = launch(spawns);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(), IsEmpty());
    EXPECT_EQ(recordedKeys(), keys) << pattern;
  }
}

}  // namespace
}  // namespace starling
