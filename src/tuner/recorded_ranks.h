// Chooses the ranks of a key whose arrivals are recorded one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "store/records.h"

namespace starling {

// A rank that comes late once is followed from then on, so that its later figures are not those of its bad days alone.
// THREADS: not thread-safe; one per key.
class RecordedRanks {
 public:
  // Takes the mean latenesses by rank of what is recorded next, and returns the ranks to record, rising: all where
  // there are at most kRecordedRanks. Else the two latest, those that are late beyond the noise, and those that were
  // late earlier, in this order as far as there is room; of the latter the ones that were late last. The noise is the
  // usual distance between ranks: a rank is late where it comes several times as late as half of them do.
  std::vector<std::int32_t> choose(std::span<const Seconds> lateness);

 private:
  void follow(std::span<const std::int32_t> late);

  std::vector<std::int32_t> followed_;  // the one that was late last comes first
};

// Returns the histogram's counts of mean latenesses by rank.
std::vector<std::int64_t> latenessCounts(std::span<const Seconds> lateness);

}  // namespace starling
