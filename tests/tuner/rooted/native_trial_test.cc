#include "tuner/rooted/native_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace starling {
namespace {

// Periods of calls whose durations are given for each way; what one took is told at the end of the next.
class Periods {
 public:
  // Returns which of the next periods are native.
  std::vector<bool> run(int periods, std::int64_t native_ns, std::int64_t tuned_ns, bool has_changed = false) {
    std::vector<bool> ways;
    for (int i = 0; i < periods; ++i) {
      ways.push_back(trial_.isNative());
      const std::int64_t taken = trial_.isNative() ? native_ns : tuned_ns;
      trial_.endPeriod(before_, has_changed);
      before_ = taken;
    }
    return ways;
  }

 private:
  NativeTrial trial_;
  std::optional<std::int64_t> before_;
};

std::int64_t nativePeriods(const std::vector<bool>& ways) { return std::count(ways.begin(), ways.end(), true); }

TEST(NativeTrial, beginsWithOneNativePeriod) {
  EXPECT_EQ(Periods().run(4, 1000, 1000), (std::vector<bool>{true, false, false, false}));
}

TEST(NativeTrial, leavesCallsToTheMpiLibraryWhereItIsFasterBeyondNoise) {
  const std::vector<bool> ways = Periods().run(15, 1000, 1200);
  EXPECT_EQ(ways, (std::vector<bool>{true, false, false, true, true, true, true, true, true, true, true, true, true,
                                     true, true}));
  EXPECT_EQ(nativePeriods(Periods().run(15, 1000, 1099)), 1);
}

TEST(NativeTrial, waitsUntilTheTableHasBeenFound) {
  Periods periods;
  EXPECT_EQ(nativePeriods(periods.run(5, 1000, 5000, true)), 1);
  EXPECT_EQ(nativePeriods(periods.run(10, 1000, 500)), 0);
  EXPECT_GT(nativePeriods(Periods().run(30, 1000, 5000, true)), 15) << "a table that never settles waits for ever";
}

TEST(NativeTrial, triesTheOtherWayEverMoreSeldom) {
  Periods periods;
  EXPECT_EQ(nativePeriods(periods.run(18, 1000, 900)), 1);
  const std::int64_t early = nativePeriods(periods.run(100, 1000, 900));
  EXPECT_GE(early, 2);
  EXPECT_LE(early, 3);
  periods.run(2000, 1000, 900);
  EXPECT_LE(nativePeriods(periods.run(1000, 1000, 900)), 2);
}

TEST(NativeTrial, changesItsMindWhenTimesChange) {
  Periods periods;
  periods.run(10, 1000, 2000);
  const std::vector<bool> after = periods.run(60, 1000, 500);
  EXPECT_FALSE(after.back());
  const std::vector<bool> later = periods.run(200, 100, 500);
  EXPECT_TRUE(later.back());
}

TEST(NativeTrial, comparesAnewAtOnceWhenTheWayInForceBecomesSlow) {
  Periods periods;
  periods.run(10, 1000, 2000);
  // Known of the tuned way is 2000.
  const std::vector<bool> after = periods.run(8, 9000, 500);
  EXPECT_EQ(after, (std::vector<bool>{true, true, false, false, false, false, false, false}));
  const std::vector<bool> later = periods.run(8, 1000, 20'000);
  EXPECT_EQ(later, (std::vector<bool>{false, false, true, false, true, true, true, true}));
}

}  // namespace
}  // namespace starling
