#include "estimators/cost_fit.h"

#include <Eigen/QR>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "estimators/statistics.h"

namespace starling {
namespace {

constexpr int kCoefficients = 3;

// Columns are independent when the smallest pivot is above this share of the largest. Noise in the measured times does
// not enter the columns, so what is below comes from rounding.
constexpr double kRankThreshold = 1e-9;

using Rows = Eigen::Matrix<double, Eigen::Dynamic, kCoefficients>;  // samples x coefficients
using Coefficients = Eigen::Matrix<double, kCoefficients, 1>;

// Returns the least-squares solution that uses only the columns whose bit is set in `subset`; it is empty when those
// columns do not determine it or a coefficient would be negative.
std::optional<Coefficients> solveSubset(const Rows& rows, const Eigen::VectorXd& target, unsigned subset) {
  std::vector<Eigen::Index> columns;
  for (int column = 0; column < kCoefficients; ++column) {
    if ((subset >> column) & 1U) columns.push_back(column);
  }
  if (static_cast<Eigen::Index>(columns.size()) > rows.rows()) return std::nullopt;

  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(kRankThreshold);
  decomposition.compute(rows(Eigen::all, columns));
  if (decomposition.rank() < static_cast<Eigen::Index>(columns.size())) return std::nullopt;

  const Eigen::VectorXd solution = decomposition.solve(target);
  if (solution.minCoeff() < 0.0) return std::nullopt;
  Coefficients coefficients = Coefficients::Zero();
  coefficients(columns) = solution;
  return coefficients;
}

// With three coefficients the optimum of non-negative least squares is the best feasible one of the seven subsets, so
// no iteration is needed. `rows` has columns of norm 1 or 0. Smaller subsets and earlier columns come first: of columns
// that say the same, the first gets the coefficient.
Coefficients solveNonNegative(const Rows& rows, const Eigen::VectorXd& target) {
  constexpr unsigned kSubsets[] = {0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111};
  const double least_gain = 1e-12 * target.squaredNorm();  // a gain below it is rounding
  Coefficients best = Coefficients::Zero();
  double best_squares = target.squaredNorm();
  for (unsigned subset : kSubsets) {
    const std::optional<Coefficients> coefficients = solveSubset(rows, target, subset);
    if (!coefficients) continue;
    const double squares = (rows * *coefficients - target).squaredNorm();
    if (best_squares - squares > least_gain) {
      best = *coefficients;
      best_squares = squares;
    }
  }
  return best;
}

double predictedTime(const FittedCost& cost, const CostSample& sample) {
  return sample.messages * cost.alpha.value + sample.sent_bytes * cost.beta + sample.reduced_bytes * cost.gamma;
}

}  // namespace

FittedCost fitCost(std::span<const CostSample> samples) {
  std::vector<CostSample> usable;
  for (const CostSample& sample : samples) {
    if (sample.time.value > 0.0) usable.push_back(sample);
  }
  if (usable.empty()) return {};

  const auto count = static_cast<Eigen::Index>(usable.size());
  Rows rows(count, kCoefficients);
  for (Eigen::Index i = 0; i < count; ++i) {
    const CostSample& sample = usable[static_cast<std::size_t>(i)];
    rows.row(i) << sample.messages, sample.sent_bytes, sample.reduced_bytes;
    rows.row(i) /= sample.time.value;
  }
  // The columns are scaled to norm 1, or the bytes would drown the messages in the rank test.
  Coefficients scale = rows.colwise().norm().transpose();
  for (double& norm : scale) norm = norm > 0.0 ? norm : 1.0;
  rows = rows * scale.cwiseInverse().asDiagonal();

  const Coefficients coefficients = solveNonNegative(rows, Eigen::VectorXd::Ones(count)).cwiseQuotient(scale);
  FittedCost cost{{coefficients(0)}, coefficients(1), coefficients(2), {}};
  double squares = 0.0;
  for (const CostSample& sample : usable) {
    const double difference = predictedTime(cost, sample) - sample.time.value;
    squares += difference * difference;
  }
  cost.residual = {std::sqrt(squares / static_cast<double>(count))};
  return cost;
}

Seconds usualOfTrain(std::span<const Seconds> times) {
  std::vector<double> couples;
  for (std::size_t i = 1; i < times.size(); ++i) couples.push_back((times[i - 1] + times[i]).value);
  return Seconds{0.5 * quantile(couples, 0.5)};
}

}  // namespace starling
