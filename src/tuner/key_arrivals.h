// Makes a key's plans follow the arrivals of its calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/options.h"
#include "base/units.h"
#include "estimators/arrival_predictor.h"
#include "tuner/plan.h"

namespace starling {

// THREADS: not thread-safe; one per key.
class KeyArrivals {
 public:
  explicit KeyArrivals(std::int32_t ranks);

  // Takes the lateness by rank of one call, which is right within `clock_error`; empty = not known.
  void observe(std::span<const Seconds> lateness, Seconds clock_error);
  ArrivalPrediction predict() const { return predictor_.predict(); }

  // Updates predicted latenesses and, unless ranks are to keep their order, the table of `plan`; returns true when they
  // changed by more than noise. A plan stays as it is where arrivals are not predictable: without knowledge no table is
  // better.
  bool arrange(KeyPlan& plan, bool keeps_rank_order, TablePolicy policy) const;

  // Returns by how much the latest rank of a call is late as a rule, whichever it is; 0 where that is noise.
  Seconds usualLatest() const;

 private:
  ArrivalPredictor predictor_;
  std::vector<Seconds> usual_lateness_;  // by rank: mean over the calls observed, the latest weighing most
  Seconds usual_latest_;                 // likewise, of the latest rank of each call, whichever that was
  Seconds clock_error_;                  // of the latest call
};

}  // namespace starling
