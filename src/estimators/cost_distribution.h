// A normal distribution of the logarithms of several costs, which depend on each other.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling {

// Costs are natural logarithms of seconds, and deviations are of these. A Kalman filter (Kalman 1960): measurements
// make costs better known, and time makes them less so, since they wander together and each by itself. THREADS: not
// thread-safe.
class CostDistribution {
 public:
  // Costs have an error in common whose variance is that, but for those that are apart.
  explicit CostDistribution(double common_variance) : common_variance_(common_variance) {}

  std::size_t size() const { return static_cast<std::size_t>(costs_.size()); }
  double cost(std::size_t one) const { return costs_(indexOf(one)); }
  // It may be less than zero by what rounding makes of it.
  double variance(std::size_t one) const { return covariance_(indexOf(one), indexOf(one)); }
  double varianceBetween(std::size_t a, std::size_t b) const {
    return variance(a) + variance(b) - 2.0 * covariance_(indexOf(a), indexOf(b));
  }

  // Adds a cost that is known but for such an error of its own. Returns its index.
  std::size_t add(double cost, double deviation, bool is_apart) {
    const std::size_t added = size();
    const Eigen::Index index = indexOf(added);
    is_apart_.push_back(is_apart);
    costs_.conservativeResize(index + 1);
    costs_(index) = cost;
    covariance_.conservativeResize(index + 1, index + 1);
    for (std::size_t other = 0; other <= added; ++other) {
      const double shared = is_apart || is_apart_[other] ? 0.0 : common_variance_;
      covariance_(index, indexOf(other)) = covariance_(indexOf(other), index) = shared;
    }
    covariance_(index, index) += deviation * deviation;
    return added;
  }
  // Adds one that depends on the others as another one does, from which it differs but for such an error.
  std::size_t addLike(std::size_t one, double cost, double deviation) {
    const std::size_t added = add(cost, deviation, is_apart_[one]);
    const Eigen::Index like = indexOf(one);
    const Eigen::Index index = indexOf(added);
    covariance_.row(index).head(index) = covariance_.row(like).head(index);
    covariance_.col(index).head(index) = covariance_.col(like).head(index);
    covariance_(index, index) = covariance_(like, like) + deviation * deviation;
    return added;
  }

  // Takes a measurement of one cost, which was off by so much from what it was believed to be, and has such noise.
  void update(std::size_t one, double off, double noise_variance) {
    const Eigen::VectorXd spread = covariance_.col(indexOf(one));
    take(spread, spread(indexOf(one)) + noise_variance, off);
  }
  // Likewise, of the difference a - b.
  void updateDifference(std::size_t a, std::size_t b, double difference, double noise_variance) {
    const Eigen::VectorXd spread = covariance_.col(indexOf(a)) - covariance_.col(indexOf(b));
    take(spread, spread(indexOf(a)) - spread(indexOf(b)) + noise_variance, difference - (cost(a) - cost(b)));
  }
  // Takes a measurement, whose variance is `variance` all together, that is off by so much, and makes costs better
  // known by a share of what others do.
  void updateInPart(std::size_t one, double off, double variance, double share) {
    const Eigen::VectorXd spread = covariance_.col(indexOf(one));
    costs_ += spread / variance * off;
    const Eigen::VectorXd told = std::sqrt(share / variance) * spread;
    covariance_.noalias() -= told * told.transpose();
  }
  // Takes a measurement in place of all that was known of a cost.
  void replace(std::size_t one, double cost, double variance) {
    const Eigen::Index index = indexOf(one);
    costs_(index) = cost;
    covariance_.row(index).setZero();
    covariance_.col(index).setZero();
    covariance_(index, index) = variance;
  }

  void shift(std::size_t one, double difference) { costs_(indexOf(one)) += difference; }
  // Shifts all but those that are apart.
  void shiftCommon(double difference) {
    for (std::size_t one = 0; one < size(); ++one) {
      if (!is_apart_[one]) shift(one, difference);
    }
  }

  // Make costs less well known: one of them, all together and each alone, and all but one in what they have in common.
  // However little is known of a cost, its deviation stays below a bound, but for the first.
  void loosenOne(std::size_t one, double deviation) {
    covariance_(indexOf(one), indexOf(one)) += deviation * deviation;
  }
  void loosen(double common, double own) {
    covariance_.array() += common * common;
    covariance_.diagonal().array() += own * own;
    bound();
  }
  void loosenAllBut(std::size_t one, double deviation) {
    Eigen::VectorXd others = Eigen::VectorXd::Ones(costs_.size());
    others(indexOf(one)) = 0.0;
    covariance_ += deviation * deviation * others * others.transpose();
    bound();
  }
  // Lets costs wander for so many calls.
  void walk(std::int64_t calls) {
    const double walked = std::sqrt(static_cast<double>(calls));
    loosen(walked * kCommonWalk, walked * kOwnWalk);
  }
  // Scales what is known too badly, which leaves the matrix a covariance.
  void bound() {
    const Eigen::VectorXd deviations = covariance_.diagonal().cwiseMax(0.0).cwiseSqrt();
    if (deviations.maxCoeff() <= kMostDeviation) return;
    const Eigen::VectorXd scales = (kMostDeviation * deviations.cwiseMax(kMostDeviation).cwiseInverse()).eval();
    covariance_ = (scales.asDiagonal() * covariance_ * scales.asDiagonal()).eval();
  }

 private:
  // However long ago it was measured, a cost is known within this.
  static constexpr double kMostDeviation = 1.0;
  // By so much costs wander in a call: all together, and each alone.
  static constexpr double kCommonWalk = 0.01;
  static constexpr double kOwnWalk = 0.003;

  static Eigen::Index indexOf(std::size_t one) { return static_cast<Eigen::Index>(one); }

  // `spread` are the covariances of the costs with what is measured, whose own variance is that, with the noise.
  void take(const Eigen::VectorXd& spread, double variance, double off) {
    costs_ += spread * (off / variance);
    const Eigen::VectorXd told = spread / std::sqrt(variance);
    covariance_.noalias() -= told * told.transpose();  // which leaves it symmetric
  }

  double common_variance_;
  std::vector<bool> is_apart_;
  Eigen::VectorXd costs_;
  Eigen::MatrixXd covariance_;
};

}  // namespace starling
