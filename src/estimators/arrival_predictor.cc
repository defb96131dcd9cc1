#include "estimators/arrival_predictor.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

namespace starling {
namespace {

constexpr std::size_t kMethods = 3;
constexpr double kExponentialFactor = 0.25;

constexpr Eigen::Index columnOf(PredictionMethod method) { return static_cast<Eigen::Index>(method); }

// Returns weights w (n x 1), oldest first, such that w . y is the value at time n of the least-squares line through (0,
// y0) ... (n-1, y(n-1)). They depend on n alone, so one product with the history predicts for all ranks.
Eigen::VectorXd lineWeights(Eigen::Index n) {
  const auto number = static_cast<double>(n);
  const double centre = (number - 1.0) / 2.0;
  // Around their centre times are orthogonal to the mean. A single point, which determines no slope, gives the
  // horizontal line.
  const Eigen::VectorXd times = Eigen::VectorXd::LinSpaced(n, 0.0, number - 1.0).array() - centre;
  const double slope = n > 1 ? (number - centre) / times.squaredNorm() : 0.0;
  return (1.0 / number + slope * times.array()).matrix();
}

}  // namespace

const char* predictionMethodName(PredictionMethod method) {
  switch (method) {
    case PredictionMethod::kMovingAverage:
      return "moving_average";
    case PredictionMethod::kExponentialAverage:
      return "exponential_average";
    case PredictionMethod::kRegression:
      return "regression";
  }
  return "unknown";
}

struct ArrivalPredictor::State {
  State(Eigen::Index ranks, Eigen::Index window)
      : history(Eigen::MatrixXd::Zero(ranks, window)),
        exponential(Eigen::VectorXd::Zero(ranks)),
        forecast(Eigen::MatrixXd::Zero(ranks, kMethods)) {
    errors.fill(Eigen::MatrixXd::Zero(ranks, window));
  }

  Eigen::Index window() const { return history.cols(); }
  Eigen::Index held() const { return std::min<Eigen::Index>(observations, window()); }

  // Until a forecast was tested on data, the first lateness stands for the error, since nothing was known before it.
  Eigen::Index testedForecasts() const { return std::clamp<Eigen::Index>(observations - 1, 1, window()); }

  void scoreForecasts(const Eigen::VectorXd& lateness);
  void remember(const Eigen::VectorXd& lateness);
  void forecastNext();

  std::int64_t observations = 0;
  double latest_error = 0.0;
  Eigen::MatrixXd history;                       // ranks x window; call i is in column i % window
  Eigen::VectorXd exponential;                   // ranks x 1: the exponential average
  Eigen::MatrixXd forecast;                      // ranks x methods: what each method predicts for the next call
  std::array<Eigen::MatrixXd, kMethods> errors;  // per method, ranks x window: absolute errors of its forecasts
  Eigen::VectorXd line_weights;                  // held x 1, oldest first
};

void ArrivalPredictor::State::scoreForecasts(const Eigen::VectorXd& lateness) {
  const Eigen::Index column = std::max<Eigen::Index>(observations - 1, 0) % window();
  for (std::size_t method = 0; method < kMethods; ++method) {
    errors[method].col(column) = (forecast.col(static_cast<Eigen::Index>(method)) - lateness).cwiseAbs();
    const double greatest = lateness.size() == 0 ? 0.0 : errors[method].col(column).maxCoeff();
    latest_error = method == 0 ? greatest : std::min(latest_error, greatest);
  }
}

void ArrivalPredictor::State::remember(const Eigen::VectorXd& lateness) {
  history.col(observations % window()) = lateness;
  exponential += (observations == 0 ? 1.0 : kExponentialFactor) * (lateness - exponential);
  ++observations;
}

void ArrivalPredictor::State::forecastNext() {
  const Eigen::Index n = held();
  if (line_weights.size() != n) line_weights = lineWeights(n);
  const Eigen::Index oldest = observations > window() ? observations % window() : 0;
  Eigen::VectorXd weights(n);  // in the order of the history's columns
  for (Eigen::Index age = 0; age < n; ++age) weights((oldest + age) % n) = line_weights(age);

  forecast.col(columnOf(PredictionMethod::kMovingAverage)) = history.leftCols(n).rowwise().mean();
  forecast.col(columnOf(PredictionMethod::kExponentialAverage)) = exponential;
  forecast.col(columnOf(PredictionMethod::kRegression)) = history.leftCols(n) * weights;
  forecast = forecast.cwiseMax(0.0);
}

ArrivalPredictor::ArrivalPredictor(std::int32_t ranks, std::int32_t window)
    : state_(std::make_unique<State>(ranks, window)) {
  assert(ranks >= 0 && window >= 1);
}
ArrivalPredictor::~ArrivalPredictor() = default;
ArrivalPredictor::ArrivalPredictor(const ArrivalPredictor& other) : state_(std::make_unique<State>(*other.state_)) {}
ArrivalPredictor& ArrivalPredictor::operator=(const ArrivalPredictor& other) {
  *state_ = *other.state_;
  return *this;
}
ArrivalPredictor::ArrivalPredictor(ArrivalPredictor&&) noexcept = default;
ArrivalPredictor& ArrivalPredictor::operator=(ArrivalPredictor&&) noexcept = default;

void ArrivalPredictor::observe(std::span<const Seconds> lateness) {
  assert(static_cast<Eigen::Index>(lateness.size()) == state_->history.rows());
  Eigen::VectorXd values(static_cast<Eigen::Index>(lateness.size()));  // ranks x 1
  std::transform(lateness.begin(), lateness.end(), values.begin(), [](Seconds seconds) { return seconds.value; });
  state_->scoreForecasts(values);
  state_->remember(values);
  state_->forecastNext();
}

void ArrivalPredictor::copyRank(std::int32_t from, std::int32_t to) {
  state_->history.row(to) = state_->history.row(from);
  state_->exponential(to) = state_->exponential(from);
  state_->forecast.row(to) = state_->forecast.row(from);
  for (Eigen::MatrixXd& errors : state_->errors) errors.row(to) = errors.row(from);
}

ArrivalPrediction ArrivalPredictor::predict() const {
  const Eigen::Index ranks = state_->history.rows();
  Eigen::MatrixXd errors(ranks, kMethods);
  for (std::size_t method = 0; method < kMethods; ++method) {
    errors.col(static_cast<Eigen::Index>(method)) =
        state_->errors[method].leftCols(state_->testedForecasts()).rowwise().mean();
  }

  ArrivalPrediction prediction;
  for (Eigen::Index rank = 0; rank < ranks; ++rank) {
    Eigen::Index best = 0;
    const double error = errors.row(rank).minCoeff(&best);
    prediction.lateness.push_back({state_->forecast(rank, best)});
    prediction.error.push_back({error});
    prediction.method.push_back(static_cast<PredictionMethod>(best));
  }
  return prediction;
}

std::int64_t ArrivalPredictor::observations() const { return state_->observations; }

Seconds ArrivalPredictor::latestError() const { return {state_->latest_error}; }

}  // namespace starling
