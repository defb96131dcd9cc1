#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace starling {
namespace {

Seconds systemMonotonicTime() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return {static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

TEST(MonotonicClock, readsTheClockThatAllProcessesOfOneBootShare) {
  const MonotonicClock clock;
  const Seconds before = systemMonotonicTime();
  const Seconds read = clock.now();
  const Seconds after = systemMonotonicTime();
  EXPECT_LE(before, read);
  EXPECT_LE(read, after);
}

TEST(MonotonicClock, neverStepsBack) {
  const MonotonicClock clock;
  Seconds last = clock.now();
  for (int reading = 0; reading < 10'000; ++reading) {
    const Seconds now = clock.now();
    ASSERT_LE(last, now);
    last = now;
  }
}

TEST(ManualClock, standsStillUntilItIsAdvanced) {
  ManualClock clock;
  EXPECT_EQ(clock.now(), Seconds{0.0});
  EXPECT_EQ(clock.now(), Seconds{0.0});
  clock.advance(Seconds{1.5});
  clock.advance(Seconds{0.25});
  EXPECT_EQ(clock.now(), Seconds{1.75});
}

}  // namespace
}  // namespace starling
