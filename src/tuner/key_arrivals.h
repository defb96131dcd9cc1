// Makes a key's plans follow the arrivals of its calls.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.h"
#include "base/units.h"
#include "tuner/plan.h"
#include "tuner/tracked_arrivals.h"

namespace starling {

// THREADS: not thread-safe; one per key.
class KeyArrivals {
 public:
  explicit KeyArrivals(std::int32_t ranks) : tracked_(ranks) {}

  // Takes the latenesses of one call, which are right within `clock_error`.
  void observe(const ArrivalPattern& pattern, Seconds clock_error);
  const TrackedArrivals& tracked() const { return tracked_; }
  void restart() { tracked_.restart(); }

  // Updates predicted latenesses and, unless ranks are to keep their order, the table of `plan`; returns true when they
  // changed by more than noise. A plan stays as it is where arrivals are not predictable: without knowledge no table is
  // better. Where all come late at random, an order that was seen in a few calls is forgotten.
  bool arrange(KeyPlan& plan, bool keeps_rank_order, TablePolicy policy) const;

  // Returns by how much the latest rank of a call is late as a rule, whichever it is; 0 where that is noise.
  Seconds usualLatest() const;

 private:
  TrackedArrivals tracked_;
  Seconds usual_latest_;  // mean lateness of the latest rank of each call, whichever that was, the latest weighing most
  Seconds clock_error_;   // of the latest call
};

}  // namespace starling
