// What a call looks like of which nobody knows who will be late.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace starling {

// How ranks come where nobody knows which of them will be late: as a rule the latest so much after the earliest, the
// one before it, and the others, but for the latest, in the mean.
struct UnpredictedArrivals {
  Seconds latest{};
  Seconds before{};
  Seconds others{};
};

// Returns whether rows are to be ranked anew where the last rank comes so late in place of so late, since others may be
// faster then. What is no more than `noise` counts as that.
bool differNoticeably(Seconds now, Seconds then, Seconds noise);

// Returns arrivals of so many ranks like those that are usual, in no order.
std::vector<Seconds> usualArrivals(const UnpredictedArrivals& usual, std::int32_t ranks);

}  // namespace starling
