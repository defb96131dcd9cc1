#include "mpi/epoch_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {
namespace {

using testing::SizeIs;

// An epoch of 8 calls, of which 2 are stamped at most, on rank 3.
class EpochCallsTest : public testing::Test {
 protected:
  EpochCallsTest() { calls_.reserve(); }

  // Each call takes so long.
  void makeEpoch(std::int64_t elapsed_ns) {
    for (int call = 0; call < 8; ++call) {
      if (calls_.isSampled(false)) {
        calls_.add({}, CallStamps{100, 100 + elapsed_ns});
      } else {
        calls_.noteUnstamped(calls_.weightOfUnstamped(), elapsed_ns);
        calls_.add({}, std::nullopt);
      }
    }
  }

  EpochCalls calls_{8, 2, 3, std::pmr::get_default_resource()};
};

TEST_F(EpochCallsTest, theFirstSummaryTellsWhatCallsTookThatWereNotStamped) {
  makeEpoch(5'000'000);
  const std::span<const CallSummary> summaries = calls_.close(std::nullopt);
  ASSERT_THAT(summaries, SizeIs(2));
  EXPECT_EQ(summaries[0].elapsedNs(), 5'000'000);
  EXPECT_NEAR(static_cast<double>(summaries[0].othersNs().value()), 6 * 5e6, 31 * 20'000.0)
      << "the first of them stands for as many short ones";
  EXPECT_EQ(summaries[1].othersNs(), 0);
  makeEpoch(0);
  EXPECT_EQ(calls_.close(std::nullopt).front().othersNs(), 0) << "each epoch begins anew";
}

TEST_F(EpochCallsTest, whatCallsTookWaitsForAnEpochWithAStampedCall) {
  calls_.noteUnstamped(1, 7'000);
  EXPECT_THAT(calls_.close(std::nullopt), SizeIs(0));
  makeEpoch(0);
  EXPECT_EQ(calls_.close(std::nullopt).front().othersNs(), 7'000);
}

}  // namespace
}  // namespace starling
