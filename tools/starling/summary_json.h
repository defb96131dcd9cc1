// Writes what a run came to as JSON. Durations are in seconds.
#pragma once

#include "json_text.h"
#include "summary/run_summary.h"

namespace starling::cli {

Json summaryJson(const RunSummary& summary);

}  // namespace starling::cli
