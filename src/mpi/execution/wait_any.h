// Waits for one of several messages.
#pragma once

#include <mpi.h>

namespace starling {

// Does what MPI_Waitany does. Where threads call MPI at the same time it asks again and again instead, and gives the
// processor away in between: MPI_Waitany of Open MPI 4.1 may return there though no message has come, or crash, when
// another thread's wait ends in the same moment. Returns an MPI error code. THREADS: any, with requests of their own.
int waitAny(int count, MPI_Request* requests, int* index);

}  // namespace starling
