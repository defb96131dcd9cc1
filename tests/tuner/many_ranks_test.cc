// How keys of communicators are learned in which calls take too long to be simulated.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "simulated_communicator.h"

namespace starling {
namespace {

constexpr LocalSite kLine = 40;
const Signature kVector = doubles(16'384);

class ManyRanks : public testing::TestWithParam<std::int32_t> {};

TEST_P(ManyRanks, lateJoinIsChosenForOneLateRank) {
  const std::int32_t ranks = GetParam();
  SimulatedMachine machine;
  machine.native = choiceOf("rabenseifner");  // quicker to simulate than a ring
  SimulatedCommunicator communicator(ranks, settingsOf(), machine);
  communicator.setPattern([ranks](std::mt19937&) {
    std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
    lateness[ranks / 3] = {20e-3};
    return lateness;
  });
  communicator.calls(60, kLine, kVector);
  const KeyPlan& plan = communicator.keys().entry(0).plan;
  EXPECT_EQ(plan.state, KeyState::kSettled);
  EXPECT_EQ(findAlgorithm(plan.incumbent.algorithm)->name, std::string("late_join"));
  EXPECT_EQ(placementIn(communicator).table.back(), ranks / 3);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ManyRanks, testing::Values(96, 128));

}  // namespace
}  // namespace starling
