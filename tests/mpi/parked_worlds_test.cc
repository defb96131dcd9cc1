// Communicators that reach beyond MPI_COMM_WORLD are freed without waiting, too.
#include <gtest/gtest.h>

#include <string>

#include "launcher.h"

namespace starling {
namespace {

TEST(ParkedWorlds, mayBeFreedBeforeOthersHaveComeToTheLastCall) {
  const TemporaryFolder folder;
  for (const int calls : {3, 19, 20, 21}) {
    Launch what;
    what.program = STARLING_BEYOND_WORLD;
    what.arguments = std::to_string(calls);
    what.ranks = 1;
    what.environment = {{"STARLING_DB", folder.file("tuning.db")}};
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << calls << " calls: " << outcome.text;
  }
}

}  // namespace
}  // namespace starling
