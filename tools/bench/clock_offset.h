// How far the ranks' clocks are apart.
#pragma once

#include <mpi.h>

#include "base/clock.h"

namespace starling::bench {

// What this rank's clock shows more than rank 0's at the same moment, as of now: taken from the quickest of a few
// exchanges with rank 0, whose answer is taken to be given in its middle; one rank after another (O(P); the drift of
// the clocks is not followed). The error is at most half the quickest exchange. Collective; nothing else may use the
// communicator meanwhile.
Seconds measureClockOffset(MPI_Comm communicator, const Clock& clock);

}  // namespace starling::bench
