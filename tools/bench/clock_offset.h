// Measures how far the ranks' clocks are apart.
#pragma once

#include <mpi.h>

#include "base/clock.h"

namespace starling::bench {

// Returns by how much this rank's clock is ahead of rank 0's now. It takes the quickest of a few exchanges with rank 0
// and assumes that rank 0 has answered in the middle of it, so the error is at most half the quickest exchange. One
// rank does so after another, in O(P); the drift of the clocks is not followed. Collective; nothing else may use the
// communicator meanwhile.
Seconds measureClockOffset(MPI_Comm communicator, const Clock& clock);

}  // namespace starling::bench
