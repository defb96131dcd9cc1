// Says on stderr, at the end of a run, what allreduce took and what tuning won.
#pragma once

#include <string>

#include "base/options.h"

namespace starling {

// Reads what the database holds of the run, which is finished, and tells as much of it as STARLING_SUMMARY asks for; in
// short nothing, where allreduce took too little to be worth tuning. A database that cannot be read, or memory that is
// short, costs the summary alone. Local to world rank 0.
void tellEndOfRun(const Options& options, const std::string& database, const std::string& run_id) noexcept;

}  // namespace starling
