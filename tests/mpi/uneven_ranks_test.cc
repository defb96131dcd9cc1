// Whole programs whose ranks are told different things of where they run, or in one of which MPI fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "launcher.h"

namespace starling {
namespace {

class UnevenRanks : public testing::Test {
 protected:
  // The program checks each sum; no rank of it is short of memory here.
  Outcome run(const std::map<std::string, std::string>& environment) const {
    Launch what;
    what.program = STARLING_SHORT_OF_MEMORY;
    what.arguments = "-1 0 20";
    what.ranks = 4;
    what.environment = environment;
    what.environment["STARLING_DB"] = folder_.file("tuning.db");
    what.environment["STARLING_PREPARE"] = "always";
    what.launcher_options = "--oversubscribe -x LD_PRELOAD='" STARLING_UNEVEN_RANKS ":" STARLING_STARLING_PRELOAD "'";
    return launch(what);
  }

  TemporaryFolder folder_;
};

TEST_F(UnevenRanks, combineOnSeveralNodesWithTheMemoryOfEach) {
  for (const char* algorithm : {"two_level", "two_level:inner=5", "two_level:memory=0", "node", "node_read", ""}) {
    for (const char* ranks : {"1", "2", "3"}) {
      const Outcome outcome = run({{"UNEVEN_NODE_RANKS", ranks}, {"STARLING_ALGORITHM", algorithm}});
      EXPECT_EQ(outcome.exit_code, 0) << algorithm << ", " << ranks << " on each node: " << outcome.text;
      EXPECT_THAT(outcome.messages(), testing::IsEmpty());
    }
  }
}

TEST_F(UnevenRanks, goOnWhereMachinesHaveDifferentNumbersOfProcessors) {
  for (const char* ranks : {"2", "4"}) {
    const Outcome outcome = run({{"UNEVEN_NODE_RANKS", ranks}, {"UNEVEN_PROCESSORS", "1"}});
    EXPECT_EQ(outcome.exit_code, 0) << ranks << " on each node: " << outcome.text;
  }
}

TEST_F(UnevenRanks, goOnWhereACommunicatorCannotBeMadeOnOneOfThem) {
  for (const char* split : {"1", "2", "3", "4"}) {
    const Outcome outcome = run({{"UNEVEN_NODE_RANKS", "2"}, {"UNEVEN_SPLIT", split}});
    EXPECT_EQ(outcome.exit_code, 0) << "split " << split << ": " << outcome.text;
  }
}

}  // namespace
}  // namespace starling
