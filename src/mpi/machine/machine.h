// The machines that a job runs on.
#pragma once

#include <mpi.h>

#include <string_view>

#include "store/records.h"

namespace starling {

// Asks all ranks where they run. Collective over `communicator`; the result is complete on its rank 0 only.
Environment gatherEnvironment(MPI_Comm communicator);

// Returns what Open MPI is told to carry messages by, as sharesMemory() takes it: mpirun hands its option --mca btl to
// the ranks by a variable.
std::string_view chosenTransports();

// Returns whether ranks of one machine share memory where Open MPI is told by `btl` what carries messages: names of its
// components, or after a ^ those that are left out; empty: nothing was said.
bool sharesMemory(std::string_view btl);

// Describes a new run of this program, started now. Local.
Run describeRun(const Environment& environment);

}  // namespace starling
