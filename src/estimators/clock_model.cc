#include "estimators/clock_model.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace starling {
namespace {

constexpr double kUsualDrift = 100e-6;
constexpr double kRounding = 2.0;  // nanoseconds that the arithmetic below may be off by

// A line through the offsets, in nanoseconds after and above those of the newest bounds.
struct Line {
  double offset = 0.0;
  double drift = 0.0;
};

double middleOf(const OffsetBounds& bounds) { return 0.5 * static_cast<double>(bounds.width()); }

// Offsets are counted from the least one of the newest bounds, so that a double holds them to a fraction of a
// nanosecond, though clocks be years apart.
double leastOf(const OffsetBounds& bounds, const OffsetBounds& newest) {
  return static_cast<double>(bounds.least_ns - newest.least_ns);
}

double mostOf(const OffsetBounds& bounds, const OffsetBounds& newest) {
  return static_cast<double>(bounds.most_ns - newest.least_ns);
}

double ageOf(const OffsetBounds& bounds, const OffsetBounds& newest) {
  return static_cast<double>(newest.local_ns - bounds.local_ns);
}

// What is known of oscillators is one more row: bounds that lie close together say nothing of the drift.
Line leastSquares(const std::vector<OffsetBounds>& window) {
  const OffsetBounds& newest = window.back();
  if (window.size() == 1) return {middleOf(newest), 0.0};
  const auto count = static_cast<Eigen::Index>(window.size());
  const double span = std::max(ageOf(window.front(), newest), 1.0);
  constexpr int kMostRows = static_cast<int>(ClockFit::kWindow) + 1;
  Eigen::Matrix<double, Eigen::Dynamic, 2, 0, kMostRows, 2> rows(count + 1, 2);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostRows, 1> target(count + 1);
  for (Eigen::Index i = 0; i < count; ++i) {
    const OffsetBounds& bounds = window[static_cast<std::size_t>(i)];
    const double weight = 1.0 / std::max(static_cast<double>(bounds.width()), 1.0);
    rows.row(i) << weight, -weight * ageOf(bounds, newest) / span;
    target(i) = weight * (leastOf(bounds, newest) + middleOf(bounds));
  }
  rows.row(count) << 0.0, 1.0 / (kUsualDrift * span);
  target(count) = 0.0;
  const Eigen::Vector2d solution = rows.colPivHouseholderQr().solve(target);
  return {solution(0), solution(1) / span};
}

}  // namespace

// Had the other side answered at the time of receipt, the offset would be the least one. Had it answered at the start,
// it would be the most, and the clocks have drifted since.
OffsetBounds ClockExchange::bounds() const {
  const double drifted = kGreatestDrift * static_cast<double>(received_ns - sent_ns);
  return {received_ns, told_ns - told_error_ns - received_ns,
          told_ns + told_error_ns - sent_ns + std::llround(std::ceil(drifted))};
}

OffsetBounds narrowed(const OffsetBounds& older, const OffsetBounds& newer) {
  const double age = static_cast<double>(newer.local_ns - older.local_ns);
  const std::int64_t drifted = std::llround(std::ceil(kGreatestDrift * age));
  return {newer.local_ns, std::max(newer.least_ns, older.least_ns - drifted),
          std::min(newer.most_ns, older.most_ns + drifted)};
}

std::int64_t ClockModel::toOther(std::int64_t local_ns) const {
  return local_ns + offset_ns + std::llround(drift * static_cast<double>(local_ns - at_ns));
}

std::int64_t ClockModel::errorAt(std::int64_t local_ns) const {
  return error_ns + std::llround(std::ceil(drift_error * std::abs(static_cast<double>(local_ns - at_ns))));
}

bool ClockFit::add(const OffsetBounds& bounds) {
  if (!tellsMore(bounds)) return false;
  // Narrow bounds say much, however old they are.
  const auto is_narrower = [](const OffsetBounds& a, const OffsetBounds& b) { return a.width() < b.width(); };
  if (window_.size() == kWindow) window_.erase(std::max_element(window_.begin(), window_.end(), is_narrower));
  window_.push_back(bounds);
  Drifts drifts = allowedDrifts();
  while (drifts.least > drifts.most) {
    window_.erase(window_.begin());
    drifts = allowedDrifts();
  }
  model_ = fit(drifts);
  return true;
}

bool ClockFit::tellsMore(const OffsetBounds& bounds) const {
  if (window_.empty()) return true;
  const std::int64_t offset = model_.toOther(bounds.local_ns) - bounds.local_ns;
  const std::int64_t error = model_.errorAt(bounds.local_ns);
  return bounds.least_ns > offset - error || bounds.most_ns < offset + error;
}

// Some line keeps to all bounds exactly when its drift can lead from each of them to each later one.
ClockFit::Drifts ClockFit::allowedDrifts() const {
  Drifts drifts;
  for (auto later = window_.begin(); later != window_.end(); ++later) {
    for (auto earlier = window_.begin(); earlier != later; ++earlier) {
      const double time = std::max(ageOf(*earlier, *later), 1.0);
      drifts.least = std::max(drifts.least, static_cast<double>(later->least_ns - earlier->most_ns) / time);
      drifts.most = std::min(drifts.most, static_cast<double>(later->most_ns - earlier->least_ns) / time);
    }
  }
  return drifts;
}

// Now and later no allowed line is above the one that the greatest drift leads to from the lowest of the upper bounds,
// nor below the one that the least drift leads to from the highest of the lower bounds.
ClockModel ClockFit::fit(const Drifts& drifts) const {
  const OffsetBounds& newest = window_.back();
  double least = leastOf(newest, newest);
  double most = mostOf(newest, newest);
  for (const OffsetBounds& bounds : window_) {
    least = std::max(least, leastOf(bounds, newest) + drifts.least * ageOf(bounds, newest));
    most = std::min(most, mostOf(bounds, newest) + drifts.most * ageOf(bounds, newest));
  }
  const Line line = leastSquares(window_);
  const double offset = std::clamp(line.offset, least, std::max(least, most));
  ClockModel model;
  model.at_ns = newest.local_ns;
  model.offset_ns = newest.least_ns + std::llround(offset);
  model.drift = std::clamp(line.drift, drifts.least, drifts.most);
  model.error_ns = std::llround(std::ceil(std::max(most - offset, offset - least) + kRounding));
  model.drift_error = std::max(drifts.most - model.drift, model.drift - drifts.least);
  return model;
}

}  // namespace starling
