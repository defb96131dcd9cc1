#include "mpi/early_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

TEST(EarlyCalls, ranksAskAfterTheFirstAndThenEachTimeThereAreTwiceAsMany) {
  EarlyCalls calls(4, 0);
  std::vector<int> asked;
  for (int call = 1; call <= 100; ++call) {
    if (calls.add(1, 7)) asked.push_back(call);
  }
  EXPECT_THAT(asked, testing::ElementsAre(4, 8, 16, 32, 64));
}

// What comes late may be long.
TEST(EarlyCalls, theyAskAfterAThousandMoreAtTheLatest) {
  EarlyCalls calls(1000, 0);
  std::vector<int> asked;
  for (int call = 1; call <= 5000; ++call) {
    if (calls.add(1, 7)) asked.push_back(call);
  }
  EXPECT_THAT(asked, testing::ElementsAre(1000, 2000, 3024, 4048));
}

TEST(EarlyCalls, theirTimesAddUp) {
  EarlyCalls calls(1, 0);
  EXPECT_EQ(calls.spent(), Seconds{});
  for (int call = 0; call < 5; ++call) EXPECT_EQ(calls.add(1, 2'000'000), call == 0 || call == 1 || call == 3);
  EXPECT_DOUBLE_EQ(calls.spent().value, 0.01);
}

TEST(EarlyCalls, someAreTimedAndStandForAll) {
  EarlyCalls calls(4, 0);
  int timed = 0;
  for (int call = 0; call < 1000; ++call) {
    const std::int64_t weight = calls.weightOfNext();
    if (weight > 0) ++timed;
    calls.add(weight, 1000);
  }
  EXPECT_EQ(timed, 32 + (1000 - 32) / 7);
  EXPECT_NEAR(calls.spent().value, 1e-3, 1e-5);
}

TEST(SampledTime, oneThatIsHeldUpSaysNothingOfTheOthers) {
  const SampledTime time(0, 7, 2000);
  EXPECT_EQ(time.timeOf(1, 5'000'000), 5'000'000);
  EXPECT_EQ(time.timeOf(7, 5'000'000), 5'000'000 + 6 * 2000);
  EXPECT_EQ(time.timeOf(7, 500), 3500);
}

TEST(EarlyCalls, allAreTimedThatAreNotShort) {
  EarlyCalls calls(4, 0);
  for (int call = 0; call < 1000; ++call) {
    EXPECT_EQ(calls.weightOfNext(), 1) << call;
    calls.add(1, 3000);
  }
}

TEST(SampledTime, beginsAnewWhereItIsTaken) {
  SampledTime time(0, 31, 2000);
  EXPECT_EQ(time.weightOfNext(), 31);
  time.add(31, 1000);
  EXPECT_EQ(time.weightOfNext(), 0) << "the others are as short, as far as is known";
  for (int call = 1; call < 31; ++call) time.add(0, 0);
  EXPECT_EQ(time.weightOfNext(), 31);
  time.add(31, 4'000'000);
  EXPECT_EQ(time.weightOfNext(), 1) << "62 calls have taken more than 2 us each";
  EXPECT_EQ(time.take(), 31 * 1000 + 4'000'000 + 30 * 2000);
  EXPECT_EQ(time.weightOfNext(), 31);
  EXPECT_EQ(time.take(), 0);
}

TEST(EarlyCalls, takeMostOfTheTimeWhereThereAreSomeAndLittleIsBetweenThem) {
  constexpr std::int64_t kBegin = 5'000'000;
  EarlyCalls calls(4, kBegin);
  for (int call = 1; call < 32; ++call) calls.add(1, 1000);
  EXPECT_FALSE(calls.takeMostOfTheTime(kBegin + 31'000)) << "the first may be longer than others";
  calls.add(1, 1000);
  EXPECT_TRUE(calls.takeMostOfTheTime(kBegin + 32'000));
  EXPECT_TRUE(calls.takeMostOfTheTime(kBegin + 64'000));
  EXPECT_FALSE(calls.takeMostOfTheTime(kBegin + 64'001));
}

}  // namespace
}  // namespace starling
