// What the job runs on.
#pragma once

#include <mpi.h>

#include "base/units.h"
#include "store/records.h"

namespace starling {

// Collective over `communicator`; the result is complete on its rank 0 only.
Environment gatherEnvironment(MPI_Comm communicator);

// A new run of this program, started now. Local.
Run describeRun(const Environment& environment);

// All ranks read one clock: they run on one boot of one machine, and none plays another's (`offset` is added to the
// calling rank's clock). Collective; equal on all ranks.
bool shareOneClock(MPI_Comm communicator, Seconds offset);

}  // namespace starling
