// Tells what the stamps of all ranks say of one call.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "store/records.h"
#include "tuner/call_summary.h"

namespace starling {

struct RankLateness {
  std::int32_t rank = 0;
  Seconds lateness;

  bool operator==(const RankLateness&) const = default;
};

// The latenesses of one call: those of the ranks that came last, and what is known of the others. Of at most
// CallSummary::kNamed + 1 ranks all are known.
struct ArrivalPattern {
  std::int32_t ranks = 0;            // 0: nothing is known
  std::vector<RankLateness> latest;  // the latest first
  Seconds others;                    // mean lateness of all that are not among the latest

  bool isKnown() const { return ranks > 0; }
};

struct CallTimes {
  Seconds elapsed;  // mean over ranks
  // Records tell this: the post-arrival time, or, where stamps do not compare, the mean elapsed time.
  Seconds compared;
  // This is what the call took apart from waiting for late ranks: the post-arrival time, or, where stamps do not
  // compare, the shortest elapsed time of a rank. No rank leaves before the last has come, so that it is at least the
  // post-arrival time of the first to leave, and at most that of the rank that came last.
  Seconds net;
  ArrivalPattern pattern;
  Seconds imbalance;       // lateness of the latest rank
  Seconds clock_error;     // latenesses are right within this; 0 where stamps do not compare
  Seconds compared_error;  // so is `compared`, which has no error where no rank was late
  // The messages of an agreement that began just before take a part of the call's time, about this.
  Seconds disturbance;
};

// Stamps of different ranks compare within the error that the summary states, or not at all: then ranks are taken to
// leave the call within an error of twice the shortest elapsed time, and who was there for less time than others is
// late. `usual_net` is what that choice takes as a rule, where it is known: a call that was held up is not taken for
// one of which ranks leave at any time. A rank is late when it came later than the first by more than the error. Where
// none is, the mean elapsed time is the post-arrival time, as nearly as it can be known. REQUIRES: call.ranks() > 0.
CallTimes timesOf(const CallSummary& call, bool stamps_compare, const std::optional<Seconds>& usual_net = {});

// Says by which time choices are then compared, as CommunicatorRecord::compared_by does.
inline const char* comparedBy(bool stamps_compare) { return stamps_compare ? kByPostArrival : kByElapsed; }

}  // namespace starling
