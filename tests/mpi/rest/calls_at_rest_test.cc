// How long calls rest. Which of them do is tested with the calls of a session (session_rest_test.cc), since MPI has to
// be asked of what kind a call is.
#include "mpi/rest/calls_at_rest.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace starling {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;

class CallsAtRestTest : public testing::Test {
 protected:
  // Begins a rest of at most so many calls.
  void begin(std::int32_t most, std::int64_t now_ns = 0) {
    rest_.plan(most, 0, keys_);
    rest_.begin(now_ns);
  }
  // Makes the calls until the ranks are to be asked.
  std::int32_t countPart() {
    std::int32_t calls = 1;
    while (rest_.count()) ++calls;
    return calls;
  }

  KeyTable keys_;
  CallsAtRest rest_;
};

TEST_F(CallsAtRestTest, hasAtMostAsManyCallsAsThereMayBeAndFewerNowAndThen) {
  std::int32_t shortest = 80;
  for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
    rest_.plan(80, epoch, keys_);
    rest_.begin(0);
    const std::int32_t calls = countPart();
    EXPECT_LE(calls, 80);
    shortest = std::min(shortest, calls);
  }
  EXPECT_GE(shortest, 70);
  EXPECT_LT(shortest, 80);
  rest_.plan(0, 0, keys_);
  EXPECT_FALSE(rest_.isPlanned());
}

TEST_F(CallsAtRestTest, tellsOnceThatCallsHaveRested) {
  EXPECT_FALSE(rest_.takeHasRested());
  begin(8);
  EXPECT_TRUE(rest_.takeHasRested());
  EXPECT_FALSE(rest_.takeHasRested());
}

TEST_F(CallsAtRestTest, endsWhereARankAsksForItOrItHasTakenLong) {
  begin(1000, 5);
  EXPECT_EQ(countPart(), RestStretch::kFirstPart);
  ASSERT_TRUE(rest_.isToBeAsked());
  const std::int64_t told = rest_.tell(5 + kMillisecondNs, false);
  EXPECT_EQ(told, kMillisecondNs);
  EXPECT_EQ(countPart(), 1) << "until all know";
  rest_.hear(told);
  EXPECT_TRUE(rest_.isOn());
  EXPECT_GT(countPart(), 1);
  rest_.hear(rest_.tell(5, true));
  EXPECT_FALSE(rest_.isOn());

  begin(1000, 5);
  countPart();
  EXPECT_NE(rest_.tell(5, false), rest_.tell(5, true)) << "no time at all is no wish to end it";
  rest_.hear(1000 * kMillisecondNs);
  EXPECT_FALSE(rest_.isOn());
}

}  // namespace
}  // namespace starling
