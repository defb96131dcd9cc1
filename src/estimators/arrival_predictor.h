// Predictors of the arrival pattern: who will be late, and by how much.
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

// Keeps the last `window` latenesses of every rank (a ranks x window matrix) and predicts those of the next call. There
// are three methods: the simple moving average over the window (Proficz 2018, section 2.3; Marendic et al. 2016), the
// exponential average with factor 0.25, and a line fitted to the window by least squares. Each method predicts every
// call before the call is observed, so that its rolling error is a true forecast error.
// THREADS: not thread-safe; one owner.
class ArrivalPredictor {
 public:
  // REQUIRES: ranks >= 0, window >= 1.
  explicit ArrivalPredictor(std::int32_t ranks, std::int32_t window = 16);
  ~ArrivalPredictor();
  ArrivalPredictor(const ArrivalPredictor& other);
  ArrivalPredictor& operator=(const ArrivalPredictor& other);
  ArrivalPredictor(ArrivalPredictor&&) noexcept;
  ArrivalPredictor& operator=(ArrivalPredictor&&) noexcept;

  // Takes in one call's lateness by rank. REQUIRES: lateness.size() == ranks.
  void observe(std::span<const Seconds> lateness);

  // Makes all that is known of rank `to` what is known of rank `from`. REQUIRES: both are below the number of ranks.
  void copyRank(std::int32_t from, std::int32_t to);

  // Predicts the next call. Before the first observation all figures are zeros; after one, no forecast has been tested
  // yet, and the error is that first lateness itself.
  ArrivalPrediction predict() const;

  std::int64_t observations() const;

  // Returns by how much the latest call was forecast wrong for the rank of which that was most, by the method that did
  // best.
  Seconds latestError() const;

 private:
  struct State;  // keeps Eigen out of this header
  std::unique_ptr<State> state_;
};

}  // namespace starling
