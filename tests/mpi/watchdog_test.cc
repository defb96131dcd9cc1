// What Starling says of ranks that do not come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "launcher.h"

namespace starling {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kPreload = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";

class Watchdog : public testing::Test {
 protected:
  Launch lateRanks(const std::string& arguments, int ranks, const std::string& watchdog) {
    Launch what;
    what.program = STARLING_LATE_RANKS;
    what.arguments = arguments;
    what.ranks = ranks;
    what.environment = {{"STARLING_DB", folder_.file("tuning.db")}, {"STARLING_WATCHDOG", watchdog}};
    what.launcher_options = kPreload;
    return what;
  }

  TemporaryFolder folder_;
};

TEST_F(Watchdog, namesRanksThatCameWithoutThePreload) {
  // Two ranks with it; the ranks 2, 3 and 4 without.
  const std::string others = " : -n 3 '" STARLING_LATE_RANKS "' abort 6";
  const Outcome outcome = launch(lateRanks("abort 30" + others, 2, "0.5"));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.messages(),
              ElementsAre(AllOf(HasSubstr("0.5 s"), HasSubstr("MPI_Init"),
                                HasSubstr("ranks 2-4 of it have not answered"), HasSubstr("LD_PRELOAD"))))
      << outcome.text;
}

TEST_F(Watchdog, oneOfTheRanksSpeaksWhereTheFirstOnesAreMissing) {
  // The ranks 0 to 2 without it, 3 and 4 with it.
  Launch what = lateRanks("abort 6 : -n 2 " + std::string(kPreload) + " '" STARLING_LATE_RANKS "' abort 30", 3, "0.5");
  what.launcher_options.clear();
  const Outcome outcome = launch(what);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.messages(), ElementsAre(HasSubstr("ranks 0-2 of it have not answered"))) << outcome.text;
}

// Open MPI makes that call by the same means as the barrier at which ranks with Starling wait.
TEST_F(Watchdog, namesTheCauseWhereCallsOfRanksWithoutItMeetStarlings) {
  const Outcome outcome = launch(lateRanks("duplicate 0 : -n 1 '" STARLING_LATE_RANKS "' duplicate 0", 1, "20"));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.messages(), ElementsAre(AllOf(HasSubstr("MPI_Init"), HasSubstr("LD_PRELOAD")))) << outcome.text;
}

TEST_F(Watchdog, saysNothingWhereAllAreThere) {
  for (const char* watchdog : {"0", "0.5", "20"}) {
    const Outcome outcome = launch(lateRanks("reduce 0", 3, watchdog));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(), IsEmpty());
  }
}

TEST_F(Watchdog, tellsOfSpawnedProcessesThatLackThePreload) {
  const Outcome outcome = launch(lateRanks("spawn 4", 2, "0.5"));
  EXPECT_NE(outcome.exit_code, 0);
  const std::vector<std::string> messages = outcome.messages();
  ASSERT_THAT(messages, Not(IsEmpty())) << outcome.text;
  EXPECT_THAT(messages.front(), AllOf(HasSubstr("of another MPI_COMM_WORLD are its ranks 2"), HasSubstr("spawned")));
}

}  // namespace
}  // namespace starling
