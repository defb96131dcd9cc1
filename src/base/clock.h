// The seam of the clock: the library reads the time through it, and tests set the time.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/units.h"

namespace starling {

// Time is counted in whole nanoseconds: a double that holds the seconds since 1970 moves on in steps of 238 of them.
// THREADS: nanoseconds() and now() may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t nanoseconds() const = 0;
  Seconds now() const { return fromNanoseconds(nanoseconds()); }
};

// What is wrong with a clock: it is ahead by `offset`, and runs fast by `drift_ppm` millionths. Tests thereby play
// another machine's clock.
struct ClockFault {
  Seconds offset;
  double drift_ppm = 0.0;

  bool operator==(const ClockFault&) const = default;
  // Returns what the clock shows when a right one shows `right_ns`.
  std::int64_t apply(std::int64_t right_ns) const {
    return right_ns + std::llround(1e9 * offset.value) + std::llround(1e-6 * drift_ppm * static_cast<double>(right_ns));
  }
};

// A clock that reads CLOCK_MONOTONIC_RAW, which is one clock for all processes of one boot of one machine and one time
// namespace. The raw clock is not slewed by NTP: it runs at a rate of its own, which hardly changes and so can be
// measured, while that of CLOCK_MONOTONIC is changed by up to 500 millionths at any time.
class MonotonicClock final : public Clock {
 public:
  explicit MonotonicClock(const ClockFault& fault = {}) : fault_(fault) {}
  std::int64_t nanoseconds() const override;

 private:
  ClockFault fault_;
};

// A clock that stands still until it is told otherwise.
class ManualClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override { return now_ns_; }
  void advance(Seconds by) { now_ns_ += std::llround(1e9 * by.value); }

 private:
  std::int64_t now_ns_ = 0;
};

}  // namespace starling
