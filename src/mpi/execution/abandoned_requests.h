// Gives up messages after a fault: none may come later into memory that is used for something else by then.
#pragma once

#include <mpi.h>

#include <span>

namespace starling {

// Cancels receives and waits until they are. Null requests are passed over, here and below. THREADS: one, which has
// these requests to itself.
inline void abandonReceives(std::span<MPI_Request> receives) {
  for (MPI_Request& request : receives) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Lets sends end by themselves, whenever they are received.
inline void abandonSends(std::span<MPI_Request> sends) {
  for (MPI_Request& request : sends) {
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  }
}

}  // namespace starling
