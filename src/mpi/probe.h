// What a message and a reduction cost on a communicator, measured once.
#pragma once

#include <mpi.h>

#include "algos/simulator.h"
#include "base/clock.h"

namespace starling {

// Collective: all ranks exchange a few messages with their neighbours in a ring; this rank fits alpha, overhead and
// beta to its own times, and gamma to a reduction of its own. Takes a few milliseconds. Values differ between ranks.
CostModel probeCosts(MPI_Comm private_communicator, const Clock& clock);

}  // namespace starling
