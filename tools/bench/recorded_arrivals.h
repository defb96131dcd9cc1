// Reads from a tuning database the arrivals that are replayed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "pattern.h"
#include "summary/recorded_patterns.h"

namespace starling::bench {

// Returns the patterns of the epochs of a site, oldest first: those of the newest run that recorded arrivals of it on
// so many ranks, and there of the vectors that took most time. Errors: those of opening the database, no such site, a
// site of which arrivals were recorded on other numbers of ranks or not at all. REQUIRES: a pattern of kRecorded.
Result<std::vector<RecordedPattern>> readRecordedArrivals(const Pattern& pattern, std::int32_t ranks);

}  // namespace starling::bench
