// Starling and another tool that wraps MPI, preloaded into one unchanged program: C and all three ways of Fortran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher.h"
#include "store/reader.h"

namespace starling {
namespace {

constexpr int kCalls = 100;  // in every program, on each rank
constexpr int kRanks = 3;    // expectToolSees() has as many lines

const std::vector<std::string>& programs() {
  static const std::vector<std::string> kPaths{
      STARLING_PRELOAD_C,
#ifdef STARLING_PRELOAD_FORTRAN
      STARLING_PRELOAD_FORTRAN,
      STARLING_PRELOAD_USEMPI,
      STARLING_PRELOAD_F08,
#endif
  };
  return kPaths;
}

class Stacking : public testing::TestWithParam<std::string> {
 protected:
  Launch stacked(const std::vector<std::string>& libraries) const {
    Launch what;
    what.program = GetParam();
    what.ranks = kRanks;
    what.environment["STARLING_DB"] = database_;
    what.environment["STARLING_PREPARE"] = "always";
    what.environment["STACKED_TOOL_FILE"] = tool_file_;
    std::string preload;
    for (const std::string& library : libraries) preload += (preload.empty() ? "" : ":") + library;
    what.launcher_options = "-x LD_PRELOAD='" + preload + "'";
    return what;
  }
  Launch toolBelow() const { return stacked({STARLING_STARLING_PRELOAD, STARLING_STACKED_TOOL}); }
  Launch toolInFront() const { return stacked({STARLING_STACKED_TOOL, STARLING_STARLING_PRELOAD}); }

  // The program runs, and the tool sees `allreduces` calls on every rank.
  void expectToolSees(const Launch& what, int allreduces) const {
    std::filesystem::remove(tool_file_);
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(), testing::IsEmpty());
    const std::string line = "init 1 allreduce " + std::to_string(allreduces) + " finalize 1\n";
    EXPECT_EQ(readFile(tool_file_), line + line + line) << outcome.text;
  }

  // Calls that Starling has recorded; -1: it has not even made its database.
  std::int64_t recordedCalls() const {
    if (!std::filesystem::exists(database_)) return -1;
    const auto reader = Reader::open(database_);
    const auto runs = reader.isOk() ? reader.value().runs() : Result<std::vector<RunRow>>(reader.status());
    if (!runs.isOk() || runs.value().size() != 1) return -1;
    const auto keys = reader.value().keys(runs.value()[0].number);
    if (!keys.isOk()) return -1;
    std::int64_t calls = 0;
    for (const KeyRow& row : keys.value()) calls += row.key.calls;
    return calls;
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
  std::string tool_file_ = folder_.file("tool");
};

TEST_P(Stacking, aToolBelowSeesWhatIsLeftToMpi) {
  Launch observed = toolBelow();
  observed.environment["STARLING_MODE"] = "observe";
  expectToolSees(observed, kCalls);
  EXPECT_EQ(recordedCalls(), kCalls);
}

TEST_P(Stacking, aToolBelowSeesNoCallThatStarlingExecutes) {
  Launch forced = toolBelow();
  forced.environment["STARLING_ALGORITHM"] = "ring";
  expectToolSees(forced, 0);
  EXPECT_EQ(recordedCalls(), kCalls);
}

TEST_P(Stacking, aToolInFrontThatCallsTheNextFunctionHidesNothing) {
  Launch forced = toolInFront();
  forced.environment["STARLING_ALGORITHM"] = "ring";
  forced.environment["STACKED_TOOL_CALLS"] = "next";
  expectToolSees(forced, kCalls);
  EXPECT_EQ(recordedCalls(), kCalls);
}

// The tool has gone past Starling, which nothing can mend from below.
TEST_P(Stacking, aToolInFrontThatCallsPmpiHidesEverything) {
  expectToolSees(toolInFront(), kCalls);
  EXPECT_EQ(recordedCalls(), -1);
}

TEST_P(Stacking, aToolMayCallTheNextFunctionFromBelow) {
  Launch observed = toolBelow();
  observed.environment["STARLING_MODE"] = "observe";
  observed.environment["STACKED_TOOL_CALLS"] = "next";
  expectToolSees(observed, kCalls);
  EXPECT_EQ(recordedCalls(), kCalls);
}

TEST_P(Stacking, fortranWrappersThatCallTheCOnesCountOnce) {
  Launch observed = toolBelow();
  observed.environment["STARLING_MODE"] = "observe";
  observed.environment["STACKED_TOOL_FORTRAN"] = "c";
  expectToolSees(observed, kCalls);
  EXPECT_EQ(recordedCalls(), kCalls);
}

TEST_P(Stacking, aToolThatCallsAllreduceFromItsWrapperDoesNotRecurse) {
  for (const char* kind : {"guarded", "unguarded"}) {
    std::filesystem::remove(database_);
    Launch observed = toolBelow();
    observed.environment["STARLING_MODE"] = "observe";
    observed.environment["STACKED_TOOL_FORTRAN"] = "c";
    observed.environment["STACKED_TOOL_INNER"] = kind;
    expectToolSees(observed, kCalls);
    EXPECT_EQ(recordedCalls(), kCalls) << kind << ": the tool's own calls are none of the program's";
  }
}

TEST_P(Stacking, tuningGoesOnAboveATool) {
  const Outcome outcome = launch(toolBelow());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(recordedCalls(), kCalls);
}

INSTANTIATE_TEST_SUITE_P(Programs, Stacking, testing::ValuesIn(programs()),
                         [](const auto& test) { return std::filesystem::path(test.param).filename().string(); });

class StackingErrors : public Stacking {};

TEST_P(StackingErrors, anErrorOfTheToolsInitReachesTheProgram) {
  Launch failing = toolBelow();
  failing.ranks = 1;
  failing.environment["STACKED_TOOL_INIT"] = "fails";
  const Outcome outcome = launch(failing);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_EQ(recordedCalls(), -1);
}

INSTANTIATE_TEST_SUITE_P(C, StackingErrors, testing::Values(STARLING_PRELOAD_C),
                         [](const auto&) { return std::string("preload_c"); });

}  // namespace
}  // namespace starling
