// Asks all ranks a question with the answers yes and no.
#pragma once

#include <mpi.h>

namespace starling {

// Returns whether some rank says so. It is collective.
inline bool isTrueOnAny(MPI_Comm communicator, bool mine) {
  int any = mine ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, communicator);
  return any != 0;
}

}  // namespace starling
