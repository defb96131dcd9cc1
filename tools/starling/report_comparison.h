// All that a report of two runs shows.
#pragma once

#include <string>

#include "json_text.h"
#include "recording.h"

namespace starling::cli {

// Returns what both runs came to, and each site before and after, as JSON, durations in seconds. Keys are the same
// where site, communicator size, size class, type, operation and part are. REQUIRES: one run is chosen in each. Errors:
// those of reading records.
Result<Json> comparisonReport(const Recording& before, const Recording& after, const std::string& database);

}  // namespace starling::cli
