// The mean of a period's measurements on one rank.
#pragma once

#include <cstdint>

namespace starling {

// Averages nanoseconds, which may be durations or stamps. It sums up the differences to the first value, so stamps of a
// clock that has run for years do not overflow. THREADS: one.
class PeriodMean {
 public:
  void add(std::int64_t nanoseconds) {
    if (count_ == 0) first_ = nanoseconds;
    ++count_;
    sum_ += nanoseconds - first_;
  }

  // Returns the mean so far, or 0 when there are no values; a new period begins.
  std::int64_t take() {
    const std::int64_t mean = count_ == 0 ? 0 : first_ + sum_ / count_;
    *this = {};
    return mean;
  }

 private:
  std::int64_t first_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace starling
