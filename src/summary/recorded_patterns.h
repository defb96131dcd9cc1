// Says when all ranks of a key came, epoch after epoch, so that its calls can be simulated, or made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "store/records.h"

namespace starling {

// How late each rank came in one epoch, or in several that were joined, in the mean over their calls.
struct RecordedPattern {
  std::int64_t samples = 0;       // timed calls that it tells of
  std::vector<Seconds> lateness;  // by rank
};

// Returns the patterns of all epochs with a timed call, oldest first. A rank that was recorded by itself has its mean
// lateness, where it counts as on time in calls in which it was not. The others are in the histogram alone: they come
// in the middle of its classes, the higher ranks later, and none after the latest but one of those that were recorded,
// since the two latest always are; without a histogram they are on time. REQUIRES: all are of one key, oldest first.
std::vector<RecordedPattern> recordedPatterns(std::span<const ArrivalRecord> arrivals,
                                              std::span<const HistogramRecord> histograms, std::int32_t ranks);

// Joins neighbours so that at most `most` patterns are left, which tell of about equally many calls each: their
// latenesses are means over these. REQUIRES: most > 0.
std::vector<RecordedPattern> joinedPatterns(std::span<const RecordedPattern> patterns, std::size_t most);

// Returns the pattern that call `call` of `calls` has when the calls take as many of each pattern as were timed, in
// their order. REQUIRES: there are patterns; 0 <= call < calls.
const RecordedPattern& patternOfCall(std::span<const RecordedPattern> patterns, std::uint64_t call,
                                     std::uint64_t calls);

}  // namespace starling
