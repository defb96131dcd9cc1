// Where the ranks of a communicator run, and what links them.
#pragma once

#include <mpi.h>

#include <string>

#include "algos/topology.h"
#include "base/clock.h"

namespace starling {

// STARLING_LINKS has this value when the links are to be measured; any other value is the name of a file, or empty.
inline constexpr const char* kMeasuredLinks = "measure";

// Returns the topology by rank of `private_communicator`, with a node for each processor name. Links are measured, or
// read on rank 0 from a file that has a row for each rank of MPI_COMM_WORLD, in the form that parseLinks() takes; where
// that fails, rank 0 warns once, and no links are known. Collective; equal on all ranks.
Topology gatherTopology(MPI_Comm private_communicator, const std::string& links, const Clock& clock);

}  // namespace starling
