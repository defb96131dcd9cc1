// Gives the arrivals that are replayed to all ranks.
#pragma once

#include "arguments.h"
#include "base/status.h"

namespace starling::bench {

// Reads what the pattern asks for on rank 0 of MPI_COMM_WORLD, where the database lies, and sets it on all ranks.
// Errors: those of readRecordedArrivals(), on all ranks. Collective. REQUIRES: a pattern of kRecorded.
Status shareRecordedArrivals(Arguments& arguments);

}  // namespace starling::bench
