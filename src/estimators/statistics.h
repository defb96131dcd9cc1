// Robust statistics of small samples.
#pragma once

#include <cstddef>
#include <span>

namespace starling {

// What is known of n samples; n = 0 gives a Summary of zeros.
struct Summary {
  std::size_t n = 0;
  double mean = 0.0;
  double deviation = 0.0;  // sample standard deviation, n - 1; 0 for n < 2
  double minimum = 0.0;
  double median = 0.0;
  double maximum = 0.0;
};
Summary summarize(std::span<const double> values);

// Returns a quantile by linear interpolation between order statistics, q in [0, 1]. REQUIRES: values not empty.
double quantile(std::span<const double> values, double q);

// Estimates the standard deviation from the median absolute deviation (x 1.4826), which one outlier does not move.
double robustDeviation(std::span<const double> values);

// Returns half the width of the two-sided 95% confidence interval of the mean, by Student's t; infinite for n < 2.
double confidenceHalfWidth(const Summary& summary);

}  // namespace starling
