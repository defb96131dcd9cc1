// Fits alpha, beta and gamma to what probes and calls really took.
#pragma once

#include <span>

#include "base/units.h"

namespace starling {

// One measured time, and how often each unit cost is on its critical path: time = messages alpha + sent_bytes beta +
// reduced_bytes gamma.
struct CostSample {
  double messages = 0.0;
  double sent_bytes = 0.0;
  double reduced_bytes = 0.0;
  Seconds time;
};

struct FittedCost {
  Seconds alpha;
  double beta = 0.0;   // seconds per byte
  double gamma = 0.0;  // seconds per byte
  Seconds residual;    // root mean square, unweighted
};

// Solves non-negative least squares on rows weighted by 1 / time, so that small and large messages count alike
// (relative error). A coefficient that no sample determines, or that would be negative, is 0; where two coefficients
// explain the same cost, the earlier of alpha, beta, gamma gets it. Samples whose time is not positive are ignored. No
// samples give zeros.
FittedCost fitCost(std::span<const CostSample> samples);

// Returns what a message of a train usually takes that two ranks send each other at once, one after the other. Two that
// follow each other count together, since of two ranks now one is ahead, now the other; and of these what lies in the
// middle: while a rank is held up, a link with a token bucket gains what it then carries at full speed. REQUIRES: two
// times or more.
Seconds usualOfTrain(std::span<const Seconds> times);

}  // namespace starling
