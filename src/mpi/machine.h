// What the job runs on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "store/records.h"

namespace starling {

// Collective over `communicator`; the result is complete on its rank 0 only.
Environment gatherEnvironment(MPI_Comm communicator);

// A new run of this program, started now. Local.
Run describeRun(const Environment& environment);

// Equal on all processes of one boot of one machine, whose clocks are one clock. 0: unknown.
std::uint64_t bootHash();

}  // namespace starling
