// A rank that is short of memory: its program runs on, like those of the other ranks, and is told of nothing but that
// less is tuned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "launcher.h"
#include "planted_policies.h"

namespace starling {
namespace {

// What the program needs without Starling is less than the least of these.
constexpr long kMebibyte = 1L << 20;
// No rank is short with that.
constexpr long kEnough = 1L << 30;
constexpr int kLearners = 3;  // ranks for which a gain is promised

class MemoryShortage : public testing::Test {
 protected:
  // The rank `victim` has `spare` bytes more than it uses after so many calls. All communicators are prepared, unless
  // the variable says otherwise.
  void expectThatItRunsOn(int ranks, int victim, long spare, int calls, const std::string& variable = "STARLING_MODE",
                          const std::string& value = "tune") {
    Launch what = program(ranks, victim, spare, calls);
    what.environment[variable] = value;
    // No run is to know what the one before has learned, but where that is planted.
    if (!is_promised_) std::filesystem::remove(database_);
    const Outcome outcome = launch(what);
    EXPECT_EQ(outcome.exit_code, 0) << ranks << " ranks, " << spare << " bytes after " << calls << " calls, "
                                    << variable << "=" << value << ": " << outcome.text;
    for (const std::string& message : outcome.messages()) EXPECT_THAT(message, testing::HasSubstr("memory is short"));
  }

  // Has the runs after this find that an earlier one promises a gain.
  void promise() {
    is_promised_ = learnAndPlant(program(kLearners, 1, kEnough, 200), database_, "recursive_doubling", 2.0);
    ASSERT_TRUE(is_promised_);
  }

 private:
  Launch program(int ranks, int victim, long spare, int calls) const {
    Launch what;
    what.program = STARLING_SHORT_OF_MEMORY;
    what.arguments = std::to_string(victim) + " " + std::to_string(spare) + " " + std::to_string(calls);
    what.ranks = ranks;
    what.environment = {{"STARLING_DB", database_}, {"STARLING_PREPARE", "always"}};
    // Of the ways between ranks those whose memory the program can take beforehand.
    what.launcher_options = "--mca btl self,vader -x LD_PRELOAD='" STARLING_STARLING_PRELOAD "'";
    return what;
  }

  TemporaryFolder folder_;
  std::string database_ = folder_.file("tuning.db");
  bool is_promised_ = false;
};

TEST_F(MemoryShortage, beforeTheFirstCallFailsNoCall) {
  for (const int ranks : {2, 3, 4}) expectThatItRunsOn(ranks, 1, 2 * kMebibyte, 0);
  for (const long spare : {1L, 5L, 8L}) expectThatItRunsOn(3, 1, spare * kMebibyte, 0);
}

TEST_F(MemoryShortage, inTheFirstEpochFailsNoCall) {
  for (const int ranks : {2, 3, 4}) expectThatItRunsOn(ranks, 1, 2 * kMebibyte, 2);
  for (const long spare : {1L, 5L, 8L}) expectThatItRunsOn(3, 1, spare * kMebibyte, 2);
}

TEST_F(MemoryShortage, ofSettledKeysFailsNoCall) {
  for (const int ranks : {2, 3, 4}) expectThatItRunsOn(ranks, 1, 2 * kMebibyte, 200);
  for (const long spare : {1L, 5L}) expectThatItRunsOn(3, 1, spare * kMebibyte, 200);
}

TEST_F(MemoryShortage, ofTheRankThatLearnsFailsNoCall) {
  for (const int calls : {0, 2, 200}) expectThatItRunsOn(3, 0, 2 * kMebibyte, calls);
}

TEST_F(MemoryShortage, underAForcedAlgorithmFailsNoCall) {
  expectThatItRunsOn(3, 1, 2 * kMebibyte, 0, "STARLING_ALGORITHM", "ring");
  expectThatItRunsOn(3, 1, 2 * kMebibyte, 2, "STARLING_ALGORITHM", "direct");
  expectThatItRunsOn(4, 1, 5 * kMebibyte, 2, "STARLING_ALGORITHM", "slt");
}

TEST_F(MemoryShortage, whereRanksAskWhetherToPrepareFailsNoCall) {
  for (const int calls : {0, 2, 200}) expectThatItRunsOn(3, 1, 2 * kMebibyte, calls, "STARLING_PREPARE", "worthwhile");
}

TEST_F(MemoryShortage, whereAnEarlierRunPromisesAGainFailsNoCall) {
  for (const char* preparation : {"worthwhile", "always"}) {
    for (const int calls : {0, 1, 2}) {
      promise();
      expectThatItRunsOn(kLearners, 1, 2 * kMebibyte, calls, "STARLING_PREPARE", preparation);
    }
  }
}

TEST_F(MemoryShortage, inReproducibleModeFailsNoCall) {
  for (const int calls : {0, 2}) expectThatItRunsOn(3, 1, 2 * kMebibyte, calls, "STARLING_REPRODUCIBLE", "1");
  expectThatItRunsOn(4, 1, 5 * kMebibyte, 2, "STARLING_REPRODUCIBLE", "1");
}

}  // namespace
}  // namespace starling
