#include "mpi/early_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

TEST(EarlyCalls, ranksAskAfterTheFirstAndThenEachTimeThereAreTwiceAsMany) {
  EarlyCalls calls(4);
  std::vector<int> asked;
  for (int call = 1; call <= 100; ++call) {
    if (calls.add(7)) asked.push_back(call);
  }
  EXPECT_THAT(asked, testing::ElementsAre(4, 8, 16, 32, 64));
}

TEST(EarlyCalls, theirTimesAddUp) {
  EarlyCalls calls(1);
  EXPECT_EQ(calls.spent(), Seconds{});
  for (int call = 0; call < 5; ++call) EXPECT_EQ(calls.add(2'000'000), call == 0 || call == 1 || call == 3);
  EXPECT_DOUBLE_EQ(calls.spent().value, 0.01);
}

}  // namespace
}  // namespace starling
