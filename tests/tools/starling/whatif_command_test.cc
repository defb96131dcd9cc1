// The built program answers what-if questions about known records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "example_commands.h"
#include "store/sqlite.h"

namespace starling::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WhatIfCommand : public ExampleCommands {
 protected:
  CliResult run(const std::string& arguments) const { return ExampleCommands::run("whatif " + arguments); }
};

TEST_F(WhatIfCommand, showsPredictionsBesideWhatOtherCommandsMeasured) {
  const json answer = json::parse(run("pressure --json").out, nullptr, false);
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0]["communicator_size"], 4);
  EXPECT_EQ(answer[0]["samples"], 8);
  EXPECT_EQ(answer[0]["on_time_rank"], 2);
  EXPECT_GT(answer[0]["on_time"]["earlier"], 0.045);
  EXPECT_DOUBLE_EQ(answer[0]["on_time"]["earlier_in_all_calls"], 120 * answer[0]["on_time"]["earlier"].get<double>());
  int measured = 0;
  for (const json& row : answer[0]["algorithms"]) {
    EXPECT_EQ(row["predicted"].is_null(), row["algorithm"] == "native") << row;
    EXPECT_EQ(row["in_force"], row["algorithm"] == "slt:segments=64");
    if (row["algorithm"] == "ring") {
      EXPECT_EQ(row["measured"], 0.008);
    }
    measured += row["measured"].is_null() ? 0 : 1;
  }
  EXPECT_EQ(measured, 3);
}

TEST_F(WhatIfCommand, saysWhatIsSimulatedAndWhatBalancingIsWorth) {
  const CliResult answer = run("pressure");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  EXPECT_THAT(
      answer.out,
      AllOf(StartsWith("Site 1: pressure, 3.81 MiB float/sum, 4 ranks, run 2\nSimulated under the mean arrivals in "
                       "2 parts of the run, in which 8 calls were timed"),
            HasSubstr("in force"), HasSubstr("Were rank 2 on time"), HasSubstr("over the 120 calls of this run"),
            HasSubstr("Did all ranks come at once"), Not(HasSubstr("cannot be simulated"))));
}

TEST_F(WhatIfCommand, saysHowArrivalsWereExtendedToMoreRanks) {
  const CliResult answer = run("pressure --ranks 6 --algorithm ring,native");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("ON 6 RANKS"), HasSubstr("is a prediction of what nobody has measured"),
                                HasSubstr("the 2 new ones when half of these have come")));
  const json rows = json::parse(run("pressure --ranks 6 --algorithm ring --json").out, nullptr, false);
  EXPECT_EQ(rows[0]["patterns_on_more_ranks"][0]["lateness"].size(), 6U);
  EXPECT_GT(rows[0]["algorithms"][0]["on_more_ranks"], 0.0);
}

// One algorithm took a thousand times what is predicted of it, and the others about as long.
TEST_F(WhatIfCommand, saysWhereNotEvenTheOrderOfPredictionsHolds) {
  EXPECT_THAT(run("pressure").out, Not(HasSubstr("go by what was measured")));
  const auto opened = sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{5.0});
  ASSERT_TRUE(opened.isOk());
  ASSERT_TRUE(opened.value().execute("UPDATE observations SET post_arrival_mean = 8 WHERE choice = 'ring'").isOk());
  EXPECT_THAT(run("pressure").out, HasSubstr("go by what was measured; neither the order nor the size"));
}

TEST_F(WhatIfCommand, refusesRanksThatAreNotInTheCommunicator) {
  for (const char* rank : {"-1", "4", "2147483647"}) {
    writeExampleDatabase(folder_.file(std::string(rank) + ".db"));
    {
      const auto opened =
          sqlite::Connection::open(folder_.file(std::string(rank) + ".db"), sqlite::Access::kReadWrite, Seconds{5.0});
      ASSERT_TRUE(opened.value().execute((std::string("UPDATE OR IGNORE arrivals SET rank = ") + rank).c_str()).isOk());
    }
    for (const std::string command :
         {"whatif pressure", "explain pressure", "arrivals pressure", "summary", "report -o -"}) {
      const CliResult result = runStarling(command + " --db '" + folder_.file(std::string(rank) + ".db") + "'");
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_THAT(result.err, HasSubstr("arrivals.rank of number")) << command;
    }
  }
}

TEST_F(WhatIfCommand, simulatesNoCallsThatNoMachineHasMemoryFor) {
  {
    const auto opened = sqlite::Connection::open(database_, sqlite::Access::kReadWrite, Seconds{5.0});
    ASSERT_TRUE(opened.value().execute("UPDATE keys SET bytes = 1152921504606846976").isOk());
  }
  EXPECT_THAT(run("pressure --ranks 64").err, HasSubstr("Calls are simulated of up to 1 TiB."));
}

TEST_F(WhatIfCommand, refusesWhatCannotBeAnswered) {
  const auto refusal = [this](const std::string& arguments, int exit_code) {
    const CliResult answer = run(arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments;
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_THAT(refusal("nowhere", 1), HasSubstr("there is no site 'nowhere'"));
  EXPECT_THAT(refusal("pressure --on-time 4", 1), HasSubstr("these calls have 4 ranks, 0 to 3"));
  EXPECT_THAT(refusal("pressure --on-time -1", 2), HasSubstr("--on-time"));
  EXPECT_THAT(refusal("pressure --ranks 3", 1), HasSubstr("were recorded on 4 ranks"));
  EXPECT_THAT(refusal("pressure --algorithm wombat", 2), HasSubstr("wombat"));
  EXPECT_THAT(refusal("pressure --run 1", 1), HasSubstr("No arrivals were recorded"));
  EXPECT_THAT(refusal("pressure --run all", 2), HasSubstr("one run is asked about at a time"));
  writeApartDatabase(database_);
  EXPECT_THAT(refusal("pressure", 1), HasSubstr("the clocks of these ranks cannot be compared"));
}

TEST_F(WhatIfCommand, answersForTheKeysForWhichItCan) {
  writeManyCommunicators(database_);
  EXPECT_EQ(run("pressure").exit_code, 1) << "no arrivals of any";
  EXPECT_EQ(run("pressure --run 2").exit_code, 0);
}

}  // namespace
}  // namespace starling::cli
