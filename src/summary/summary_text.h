// Writes the summary of a run for people: at the end of the run and in the CLI alike.
#pragma once

#include <string>
#include <vector>

#include "summary/run_summary.h"

namespace starling {

// Returns what allreduce took, for whom it waited, and what tuning won, a line each; a full summary has a line more for
// each key.
std::vector<std::string> summaryLines(const RunSummary& summary, bool is_full);

// Returns "33%", and "2.0%" of what is below a tenth.
std::string formatPercent(double share);

// Returns the line that says by which command to look further, or how to have something to look at.
std::string furtherLine(const RunSummary& summary, const std::string& database);

}  // namespace starling
