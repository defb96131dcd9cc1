// Chooses the ranks of a key whose arrivals are recorded one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "store/records.h"
#include "tuner/tracked_arrivals.h"

namespace starling {

// A rank that comes late once is followed from then on, so that its later figures are not those of its bad days alone.
// THREADS: not thread-safe; one per key.
class RecordedRanks {
 public:
  // Takes what was seen of the ranks since the last time, and returns which entries to record, by rising rank: all
  // where there are at most kRecordedRanks ranks. Else the two latest, those that are late beyond the noise, and those
  // that were late earlier, in this order as far as there is room; of the latter the ones that were late last. The
  // noise is the usual distance between ranks: a rank is late where it comes several times as late as half of all do.
  // `others` ranks have no entry of their own.
  std::vector<TrackedArrivals::Entry> choose(std::span<const TrackedArrivals::Entry> entries, std::int32_t others);

 private:
  void follow(std::span<const std::int32_t> late);

  std::vector<std::int32_t> followed_;  // the one that was late last comes first
};

// Returns the histogram's counts of mean latenesses by rank. The entry of the others counts for `others` ranks.
std::vector<std::int64_t> latenessCounts(std::span<const TrackedArrivals::Entry> entries, std::int32_t others);

}  // namespace starling
