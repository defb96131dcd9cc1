// Joins the records of several epochs into one that tells of all of them.
#pragma once

#include <span>
#include <vector>

#include "store/records.h"

namespace starling {

// What is joined is exact: counts are sums, means and deviations those of all samples together, minima the least. What
// one of the records with samples does not know, the joined one does not know either. Epochs, predictions and all else
// are those of the newest. REQUIRES: records of one key, oldest first, and at least one.
//
// These are of one choice, all of trials or none.
ObservationRecord joined(std::span<const ObservationRecord> records);
HistogramRecord joined(std::span<const HistogramRecord> records);

// Returns one record for each rank, by rank; of more than kRecordedRanks those that were late for the longest time all
// together, since what is left out can only be small. All have `epoch`.
std::vector<ArrivalRecord> joinedByRank(std::span<const ArrivalRecord> records, std::int64_t epoch);

}  // namespace starling
