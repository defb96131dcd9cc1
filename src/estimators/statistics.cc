#include "estimators/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace starling {
namespace {

double quantileOfSorted(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

std::vector<double> sortedCopy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Returns the 0.975 quantile of Student's t with `freedom` >= 1 degrees: from a table where the tails are heavy, and
// beyond the table by the expansion about the normal quantile (Abramowitz and Stegun 26.7.5), which is within 2e-4
// there.
double studentQuantile(std::size_t freedom) {
  constexpr double kTable[] = {12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
                               2.446912,  2.364624, 2.306004, 2.262157, 2.228139};
  if (freedom <= std::size(kTable)) return kTable[freedom - 1];

  constexpr double kZ = 1.959963984540054;
  constexpr double kZ2 = kZ * kZ;
  constexpr double kFirst = kZ * (kZ2 + 1.0) / 4.0;
  constexpr double kSecond = kZ * ((5.0 * kZ2 + 16.0) * kZ2 + 3.0) / 96.0;
  constexpr double kThird = kZ * (((3.0 * kZ2 + 19.0) * kZ2 + 17.0) * kZ2 - 15.0) / 384.0;
  const double inverse = 1.0 / static_cast<double>(freedom);
  return kZ + inverse * (kFirst + inverse * (kSecond + inverse * kThird));
}

}  // namespace

Summary summarize(std::span<const double> values) {
  Summary summary;
  if (values.empty()) return summary;

  const std::vector<double> sorted = sortedCopy(values);
  summary.n = sorted.size();
  summary.minimum = sorted.front();
  summary.median = quantileOfSorted(sorted, 0.5);
  summary.maximum = sorted.back();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(summary.n);
  if (summary.n > 1) {
    double squares = 0.0;
    for (double value : sorted) squares += (value - summary.mean) * (value - summary.mean);
    summary.deviation = std::sqrt(squares / static_cast<double>(summary.n - 1));
  }
  return summary;
}

double quantile(std::span<const double> values, double q) { return quantileOfSorted(sortedCopy(values), q); }

double robustDeviation(std::span<const double> values) {
  if (values.empty()) return 0.0;

  // The factor makes the estimate equal the standard deviation for normally distributed values.
  constexpr double kNormalConsistency = 1.4826;
  const double median = quantile(values, 0.5);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (double value : values) distances.push_back(std::abs(value - median));
  return kNormalConsistency * quantile(distances, 0.5);
}

double confidenceHalfWidth(const Summary& summary) {
  if (summary.n < 2) return std::numeric_limits<double>::infinity();
  return studentQuantile(summary.n - 1) * summary.deviation / std::sqrt(static_cast<double>(summary.n));
}

}  // namespace starling
