// Tells what the stamps of all ranks say of one call.
#pragma once

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
  // Choices are compared by this: the post-arrival time, or, where clocks do not agree, the mean elapsed time.
  Seconds compared;
  // This is what the call took apart from waiting for late ranks: the post-arrival time, or, where clocks do not agree,
  // the shortest elapsed time of a rank. No rank leaves before the last has come, so that it is at least the
  // post-arrival time of the first to leave, and at most that of the rank that came last.
  Seconds net;
  std::vector<Seconds> lateness;  // by rank; empty where clocks do not agree
  Seconds imbalance;              // lateness of the latest rank; 0 where clocks do not agree
};

// `clocks_agree` tells whether stamps of different ranks may be subtracted. REQUIRES: as many arrivals as exits, at
// least one.
CallTimes timesOf(const SampledCall& call, bool clocks_agree);

// Says by which time choices are then compared, as CommunicatorRecord::compared_by does.
inline const char* comparedBy(bool clocks_agree) { return clocks_agree ? kByPostArrival : kByElapsed; }

}  // namespace starling
