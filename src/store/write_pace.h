// Spaces the writes of a thread that works beside a program.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/units.h"

namespace starling {

// Where all cores are busy with ranks, a thread that writes takes one of them away, and all ranks wait for that rank in
// their next call. So writes are as far apart as the program asks for, and further where they would take more than a
// 5,000th of a core: up to five times as far, so that who watches a run need not wait long. THREADS: not thread-safe.
class WritePace {
 public:
  using Clock = std::chrono::steady_clock;

  // Records come every `interval`, and a write takes all that have come.
  explicit WritePace(Seconds interval) : longest_(kMostIntervals * interval) {}

  // Notes a write that has ended at `now`, and took so long of a processor.
  void noteWrite(Clock::time_point now, Seconds of_processor) {
    const Seconds apart = std::min(kApart * of_processor, longest_);
    next_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(apart.value));
  }

  // Returns when the next write is due.
  Clock::time_point next() const { return next_; }

 private:
  static constexpr double kApart = 5000.0;
  static constexpr double kMostIntervals = 5.0;

  Seconds longest_;
  Clock::time_point next_{};
};

}  // namespace starling
