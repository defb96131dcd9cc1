// Takes in what another database holds.
#pragma once

#include <string>

#include "base/status.h"
#include "store/sqlite.h"
#include "store/stored_run.h"

namespace starling {

// Takes in a run. Of one that is here already those keys come that made more calls there, or are not here (any of them
// may have been pruned on either side), in place of ours with all their records; and if it has finished there and not
// here, all that made no fewer. So a second time changes nothing. REQUIRES: checkRun() found no fault; a transaction is
// open, which the caller rolls back after an error.
Result<Merged> mergeRun(const sqlite::Connection& connection, const StoredRun& theirs);

// Tells what mergeRun() would do with a run whose keys made so many calls.
Result<Merged> compareRun(const sqlite::Connection& connection, const std::string& run_id, const CallsOfKeys& calls,
                          bool has_finished);

// Takes in a policy. It takes the place of ours where the run that learned it started later, or where one run learned
// both and no fewer of its calls are known there: where the run of either is not known, ours stays. A policy whose run
// is not here belongs to none. REQUIRES: checkPolicy() found no fault; a transaction, as above.
Result<Merged> mergePolicy(const sqlite::Connection& connection, const StoredPolicy& theirs);

}  // namespace starling
