// The machines that a job runs on.
#pragma once

#include <mpi.h>

#include "store/records.h"

namespace starling {

// Asks all ranks where they run. Collective over `communicator`; the result is complete on its rank 0 only.
Environment gatherEnvironment(MPI_Comm communicator);

// Describes a new run of this program, started now. Local.
Run describeRun(const Environment& environment);

}  // namespace starling
