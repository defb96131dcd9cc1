// The seam of the clock: the library reads the time through it, and tests set the time.
#pragma once

#include "base/units.h"

namespace starling {

// THREADS: now() may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Seconds now() const = 0;
};

// A clock that reads CLOCK_MONOTONIC, which is one clock for all processes of one boot of one machine. An offset other
// than zero makes it another machine's clock, for tests of what must hold across machines.
class MonotonicClock final : public Clock {
 public:
  explicit MonotonicClock(Seconds offset = {}) : offset_(offset) {}
  Seconds now() const override;

 private:
  Seconds offset_;
};

// A clock that stands still until it is told otherwise.
class ManualClock final : public Clock {
 public:
  Seconds now() const override { return now_; }
  void advance(Seconds by) { now_ += by; }

 private:
  Seconds now_;
};

}  // namespace starling
