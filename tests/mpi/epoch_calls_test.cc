#include "mpi/epoch_calls.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

std::int64_t callsOf(std::span<const EpochCall> calls) {
  std::int64_t sum = 0;
  for (const EpochCall& call : calls) sum += call.calls;
  return sum;
}

TEST(EpochCalls, countsWhatNobodyLookedAt) {
  EpochCalls calls(4, 32, 0, std::pmr::get_default_resource());
  calls.reserve();
  for (int i = 0; i < 3; ++i) calls.add({}, std::nullopt);
  for (int i = 0; i < 100; ++i) calls.addUnseen();
  calls.close({});
  ASSERT_EQ(calls.closed().size(), 3U);
  EXPECT_EQ(callsOf(calls.closed()), 103);
  EXPECT_EQ(calls.closed().front().calls, 35);
  EXPECT_EQ(calls.closed().back().calls, 34);
  calls.add({}, std::nullopt);
  calls.close({});
  EXPECT_EQ(callsOf(calls.closed()), 1) << "they count once";
}

TEST(EpochCalls, whatWasNotLookedAtCountsAsWhatMayRest) {
  EpochCalls calls(4, 32, 0, std::pmr::get_default_resource());
  calls.reserve();
  EpochCall trial;
  trial.planned = {parseChoice("ring").value(), true};
  calls.add(trial, std::nullopt);
  calls.add({}, std::nullopt);
  EpochCall in_memory;
  in_memory.planned = {parseChoice("node").value(), false};
  calls.add(in_memory, std::nullopt);
  for (int i = 0; i < 100; ++i) calls.addUnseen();
  calls.close({});
  EXPECT_EQ(calls.closed()[0].calls, 1);
  EXPECT_EQ(calls.closed()[1].calls, 51);
  EXPECT_EQ(calls.closed()[2].calls, 51);
}

TEST(EpochCalls, whatWasNotLookedAtWaitsForACallThatIs) {
  EpochCalls calls(4, 32, 0, std::pmr::get_default_resource());
  calls.reserve();
  calls.addUnseen();
  calls.close({});
  EXPECT_TRUE(calls.closed().empty());
  calls.add({}, std::nullopt);
  calls.close({});
  EXPECT_EQ(callsOf(calls.closed()), 2);
}

}  // namespace
}  // namespace starling
