// The machines that a job runs on, and the clocks that its ranks read.
#pragma once

#include <mpi.h>

#include "base/units.h"
#include "store/records.h"

namespace starling {

// Asks all ranks where they run. Collective over `communicator`; the result is complete on its rank 0 only.
Environment gatherEnvironment(MPI_Comm communicator);

// Describes a new run of this program, started now. Local.
Run describeRun(const Environment& environment);

// Returns whether all ranks read one clock: they run on one boot of one machine, and no rank plays another machine
// (`offset` is added to the calling rank's clock). Collective; equal on all ranks.
bool shareOneClock(MPI_Comm communicator, Seconds offset);

}  // namespace starling
