// Communicators of the library's own.
#pragma once

#include <mpi.h>

namespace starling {

// One with the same ranks in the same order, which returns errors. Collective. MPI_COMM_NULL, on all ranks or none,
// where MPI has no more of them: that is no fault of the program's, so its own error handler does not hear of it. By
// MPI_Comm_split, because MPI_Comm_dup would call the program's attribute callbacks.
MPI_Comm makePrivateCommunicator(MPI_Comm original);

// The highest tag that messages may have.
int highestTag();

}  // namespace starling
