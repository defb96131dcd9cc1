// Who will be late, and by how much: predictors of the arrival pattern, per rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/units.h"

namespace starling {

enum class PredictionMethod : std::uint8_t { kMovingAverage, kExponentialAverage, kRegression };
const char* predictionMethodName(PredictionMethod method);  // "moving_average", ...

struct ArrivalPrediction {
  std::vector<Seconds> lateness;         // by rank, >= 0
  std::vector<Seconds> error;            // by rank: rolling mean absolute error of the chosen method
  std::vector<PredictionMethod> method;  // by rank: the one with the smallest rolling error
};

// Keeps the last `window` latenesses of every rank (a ranks x window matrix) and predicts the next call's. Each method
// predicts every call before it is observed, so that its rolling error is a true forecast error: simple moving average
// over the window (seed 000, section 2.3; Marendic 2016), exponential average with factor 0.25, and a line fitted by
// least squares over the window (Eigen).
// THREADS: not thread-safe; one owner.
class ArrivalPredictor {
 public:
  // REQUIRES: ranks >= 0, window >= 1.
  explicit ArrivalPredictor(std::int32_t ranks, std::int32_t window = 16);
  ~ArrivalPredictor();
  ArrivalPredictor(ArrivalPredictor&&) noexcept;
  ArrivalPredictor& operator=(ArrivalPredictor&&) noexcept;

  // One call's lateness by rank. REQUIRES: lateness.size() == ranks.
  void observe(std::span<const Seconds> lateness);

  // Zeros before the first observation. After one, no forecast was tested yet: the error is that lateness itself.
  ArrivalPrediction predict() const;

  std::int64_t observations() const;

 private:
  struct State;  // hides Eigen
  std::unique_ptr<State> state_;
};

}  // namespace starling
