// All that a report of one run shows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "json_text.h"
#include "recording.h"

namespace starling::cli {

// Returns verdict, figures, warnings, environment and sites as JSON, durations in seconds: so many keys at most, those
// with most time in allreduce. `database` is its path. REQUIRES: one run is chosen. Errors: those of reading its
// records.
Result<Json> runReport(const Recording& recording, const std::string& database, std::size_t most_keys);

// Returns what every report begins with: its kind ("run" or "comparison"), its title, and by whom it was written when.
Json reportHead(const std::string& kind, const std::string& title);

// Returns names and values of what a run ran on.
std::vector<std::pair<std::string, std::string>> environmentRows(const RunRow& run);

}  // namespace starling::cli
