// Computes mean and deviation of samples that are known by groups, which are epochs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace starling {

// THREADS: one.
class GroupMoments {
 public:
  void add(std::int64_t samples, double mean, double deviation) {
    const auto weight = static_cast<double>(samples);
    weight_ += weight;
    sum_ += weight * mean;
    squares_ += weight * (mean * mean + deviation * deviation);
  }

  // Returns 0 when there are no samples.
  double mean() const { return weight_ > 0.0 ? sum_ / weight_ : 0.0; }
  // Returns the deviation within and between the groups.
  double deviation() const {
    return weight_ > 0.0 ? std::sqrt(std::max(0.0, squares_ / weight_ - mean() * mean())) : 0.0;
  }

 private:
  double weight_ = 0.0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace starling
