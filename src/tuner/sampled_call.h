// Tells what the stamps of all ranks say of one call.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "store/records.h"

namespace starling {

// A stamped call has its stamps by rank.
struct SampledCall {
  std::span<const Seconds> arrivals;
  std::span<const Seconds> exits;
};

struct CallTimes {
  Seconds elapsed;  // mean over ranks
  // Choices are compared by this: the post-arrival time, or, where stamps do not compare, the mean elapsed time.
  Seconds compared;
  // This is what the call took apart from waiting for late ranks: the post-arrival time, or, where stamps do not
  // compare, the shortest elapsed time of a rank. No rank leaves before the last has come, so that it is at least the
  // post-arrival time of the first to leave, and at most that of the rank that came last.
  Seconds net;
  std::vector<Seconds> lateness;  // by rank; empty where stamps do not compare
  Seconds imbalance;              // lateness of the latest rank; 0 where stamps do not compare
  Seconds clock_error;            // latenesses are right within this
  Seconds compared_error;         // so is `compared`, which has no error where no rank was late
};

// The time between stamps of two ranks is right within `clock_error`; empty: stamps of different ranks do not compare.
// A rank is late when it came later than the first by more than the error. Where none is, the mean elapsed time is the
// post-arrival time, as nearly as it can be known. REQUIRES: as many arrivals as exits, at least one.
CallTimes timesOf(const SampledCall& call, std::optional<Seconds> clock_error);

// Says by which time choices are then compared, as CommunicatorRecord::compared_by does.
inline const char* comparedBy(bool stamps_compare) { return stamps_compare ? kByPostArrival : kByElapsed; }

}  // namespace starling
