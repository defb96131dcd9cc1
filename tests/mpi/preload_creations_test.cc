// Programs that create or free communicators while they reduce end, with right sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "launcher.h"

namespace starling {
namespace {

class PreloadCreations : public testing::TestWithParam<const char*> {};

TEST_P(PreloadCreations, doNotWaitForEachOther) {
  const TemporaryFolder folder;
  for (const char* const prepare : {"worthwhile", "always"}) {
    for (const int ranks : {3, 4}) {
      Launch what;
      what.program = STARLING_OPEN_CREATIONS;
      what.arguments = GetParam();
      what.ranks = ranks;
      what.environment = {{"STARLING_DB", folder.file("tuning.db")},
                          {"STARLING_PREPARE", prepare},
                          {"STARLING_MINIMUM_CALLS", "2"},
                          {"STARLING_SUMMARY", "off"}};
      what.launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
      const Outcome outcome = launch(what);
      if (outcome.text.find("no MPI_THREAD_MULTIPLE") != std::string::npos) GTEST_SKIP() << outcome.text;
      EXPECT_EQ(outcome.exit_code, 0) << prepare << ", " << ranks << " ranks: " << outcome.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PreloadCreations, testing::Values("idup", "thread", "file", "free"),
                         [](const auto& made) { return std::string(made.param); });

}  // namespace
}  // namespace starling
