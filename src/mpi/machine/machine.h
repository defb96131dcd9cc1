// The machines that a job runs on.
#pragma once

#include <mpi.h>

#include "store/records.h"

namespace starling {

// Asks all ranks where they run, and describes a new run of this program, started now. Collective over `communicator`;
// the result is complete on its rank 0 only.
Run describeRun(MPI_Comm communicator);

}  // namespace starling
