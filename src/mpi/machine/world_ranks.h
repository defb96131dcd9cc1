// Where the ranks of a communicator are in MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <vector>

namespace starling {

// Returns the rank in MPI_COMM_WORLD of each rank of the communicator, in their order; MPI_UNDEFINED for those of
// another world: communicators may also join processes that were spawned. Local.
std::vector<int> worldRanksOf(MPI_Comm communicator);

// Returns whether all ranks of the communicator, which has one group, are of MPI_COMM_WORLD. Local; takes no memory.
bool isWithinWorld(MPI_Comm communicator);

}  // namespace starling
