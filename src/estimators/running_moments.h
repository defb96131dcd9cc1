// Mean and deviation of values that are not kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace starling {

// By Welford's update, which keeps its digits where values are close together and far from zero.
// THREADS: not thread-safe.
class RunningMoments {
 public:
  void add(double value) {
    minimum_ = count_ == 0 ? value : std::min(minimum_, value);
    ++count_;
    const double above_old_mean = value - mean_;
    mean_ += above_old_mean / static_cast<double>(count_);
    squares_ += above_old_mean * (value - mean_);
  }

  std::int64_t count() const { return count_; }
  // These are 0 where there are no values.
  double mean() const { return mean_; }
  double minimum() const { return minimum_; }
  // Sample standard deviation, count - 1; 0 for fewer than two values.
  double deviation() const { return count_ < 2 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count_ - 1)); }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // sum of squared distances from the mean
  double minimum_ = 0.0;
};

}  // namespace starling
