// C++ programs that leave MPI_Allreduce by exceptions, with the preload library in the way or linked with Starling, or
// that reduce where their static objects are destroyed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "launcher.h"
#include "store/reader.h"

namespace starling {
namespace {

constexpr int kCalls = 300;  // that all ranks make

enum class Way { kPreloaded, kLinked };

class PreloadExceptions : public testing::TestWithParam<std::tuple<Way, int>> {
 protected:
  int ranks() const { return std::get<int>(GetParam()); }
  Launch program() const {
    const bool is_preloaded = std::get<Way>(GetParam()) == Way::kPreloaded;
    Launch what;
    what.program = is_preloaded ? STARLING_PRELOAD_THROWING : STARLING_PRELOAD_THROWING_LINKED;
    what.ranks = ranks();
    what.environment["STARLING_DB"] = database_;
    if (is_preloaded) what.launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
    return what;
  }

  static void expectSuccess(const Launch& what) {
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.messages(), testing::IsEmpty());
  }

  // Calls that Starling has recorded in its only run.
  std::int64_t recordedCalls() const {
    const auto reader = Reader::open(database_);
    EXPECT_TRUE(reader.isOk()) << reader.status().message();
    if (!reader.isOk()) return -1;
    std::int64_t calls = 0;
    for (const KeyRow& row : reader.value().keys(reader.value().runs().value().back().number).value())
      calls += row.key.calls;
    return calls;
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
};

TEST_P(PreloadExceptions, ofARefusedCallLeaveTheLaterOnesTuned) {
  Launch tuned = program();
  tuned.environment["STARLING_PREPARE"] = "always";
  expectSuccess(tuned);
  if (ranks() == 1) return;
  EXPECT_EQ(recordedCalls(), kCalls);
}

TEST_P(PreloadExceptions, ofARefusedCallLeaveAGivenAlgorithmInForce) {
  Launch forced = program();
  forced.environment["STARLING_ALGORITHM"] = "ring";
  expectSuccess(forced);
  if (ranks() == 1) return;
  EXPECT_EQ(recordedCalls(), kCalls);
}

TEST_P(PreloadExceptions, ofARefusedCallDoNotCountBeforeItIsWorthPreparing) {
  Launch early = program();
  early.environment["STARLING_PREPARE"] = "worthwhile";
  expectSuccess(early);
}

INSTANTIATE_TEST_SUITE_P(Programs, PreloadExceptions,
                         testing::Combine(testing::Values(Way::kPreloaded, Way::kLinked), testing::Values(1, 2, 3, 4)),
                         [](const auto& test) {
                           const bool is_preloaded = std::get<Way>(test.param) == Way::kPreloaded;
                           return (is_preloaded ? "preloaded_np" : "linked_np") +
                                  std::to_string(std::get<int>(test.param));
                         });

// The fault is there so that Starling has to warn in MPI_Finalize, too.
TEST(PreloadStatics, reduceAndEndMpiAfterTheProgramsMainFunction) {
  TemporaryFolder folder;
  for (const std::string& database : {folder.file("tuning.db"), folder.file("nowhere/tuning.db")}) {
    Launch what;
    what.program = STARLING_PRELOAD_STATICS;
    what.ranks = 2;
    what.environment = {{"STARLING_DB", database}, {"STARLING_PREPARE", "always"}};
    what.launcher_options = "-x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  }
}

}  // namespace
}  // namespace starling
