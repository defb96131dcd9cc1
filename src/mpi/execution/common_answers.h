// Asks all ranks of a communicator a question with the answers yes and no.
#pragma once

#include <mpi.h>

namespace starling {

// Returns whether some rank says so; where MPI fails, whether this one does. Collective.
inline bool isTrueOnAny(MPI_Comm communicator, bool mine) {
  const int own = mine ? 1 : 0;
  int greatest = 0;
  const int code = PMPI_Allreduce(&own, &greatest, 1, MPI_INT, MPI_MAX, communicator);
  return code == MPI_SUCCESS ? greatest != 0 : mine;
}

// Returns whether all ranks say so; not where MPI fails. Collective.
inline bool isTrueOnAll(MPI_Comm communicator, bool mine) {
  const int own = mine ? 1 : 0;
  int least = 0;
  return PMPI_Allreduce(&own, &least, 1, MPI_INT, MPI_MIN, communicator) == MPI_SUCCESS && least == 1;
}

}  // namespace starling
