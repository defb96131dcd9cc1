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

// What comes late may be long.
TEST(EarlyCalls, theyAskAfterAThousandMoreAtTheLatest) {
  EarlyCalls calls(1000);
  std::vector<int> asked;
  for (int call = 1; call <= 5000; ++call) {
    if (calls.add(7)) asked.push_back(call);
  }
  EXPECT_THAT(asked, testing::ElementsAre(1000, 2000, 3024, 4048));
}

TEST(EarlyCalls, theirTimesAddUp) {
  EarlyCalls calls(1);
  EXPECT_EQ(calls.spent(), Seconds{});
  for (int call = 0; call < 5; ++call) EXPECT_EQ(calls.add(2'000'000), call == 0 || call == 1 || call == 3);
  EXPECT_DOUBLE_EQ(calls.spent().value, 0.01);
}

TEST(EarlyCalls, someAreTimedAndStandForAll) {
  EarlyCalls calls(4);
  int timed = 0;
  for (int call = 0; call < 1000; ++call) {
    const std::int64_t weight = calls.weightOfNext();
    if (weight > 0) ++timed;
    calls.add(weight * 1000);
  }
  EXPECT_EQ(timed, 32 + (1000 - 32) / 8);
  EXPECT_DOUBLE_EQ(calls.spent().value, 1e-3);
}

}  // namespace
}  // namespace starling
