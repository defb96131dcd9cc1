// Tells whether all ranks run what was built of the same sources of Starling.
#pragma once

#include <mpi.h>

namespace starling {

// Returns whether buildIdentity() is one number on all ranks. Where it is not, the first of them says so. Called by all
// ranks; waits for them. THREADS: any.
bool areOneBuild(MPI_Comm communicator);
// Says that it is not one number, once in a process. THREADS: any.
void warnOfOtherBuilds();

}  // namespace starling
