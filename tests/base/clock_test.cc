#include "base/clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ctime>

namespace starling {
namespace {

std::int64_t systemRawTime() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return 1'000'000'000 * std::int64_t{time.tv_sec} + time.tv_nsec;
}

TEST(MonotonicClock, readsTheClockThatAllProcessesOfOneBootShare) {
  const MonotonicClock clock;
  const std::int64_t before = systemRawTime();
  const std::int64_t read = clock.nanoseconds();
  const std::int64_t after = systemRawTime();
  EXPECT_LE(before, read);
  EXPECT_LE(read, after);
}

TEST(MonotonicClock, neverStepsBack) {
  const MonotonicClock clock;
  std::int64_t last = clock.nanoseconds();
  for (int reading = 0; reading < 10'000; ++reading) {
    const std::int64_t now = clock.nanoseconds();
    ASSERT_LE(last, now);
    last = now;
  }
}

TEST(ClockFault, movesAClockAheadAndMakesItFast) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  EXPECT_EQ(ClockFault{}.apply(kHour), kHour);
  EXPECT_EQ((ClockFault{{-1800.0}, 0.0}.apply(kHour)), kHour / 2);
  EXPECT_EQ((ClockFault{{}, 50.0}.apply(kHour)), kHour + 180'000'000);
  EXPECT_EQ((ClockFault{{}, -50.0}.apply(kHour)), kHour - 180'000'000);
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
