// What a message and a reduction cost on a communicator, measured once.
#pragma once

#include <mpi.h>

#include "algos/simulator.h"
#include "base/clock.h"

namespace starling {

// Collective: all ranks exchange a few messages with their neighbours in a ring; this rank fits alpha, overhead,
// release and beta to its own times, sees whether messages take turns at the ports, and fits gamma to a reduction of
// its own. Where several ranks share a node, but not all, one rank of each node does this, and has the values between
// nodes; then the ranks of each node do it for what holds within. Takes as long as a megabyte and a half on the
// network: 13 ms at 1 Gbit/s. Values differ between ranks.
CostModel probeCosts(MPI_Comm private_communicator, const Topology& topology, const Clock& clock);

}  // namespace starling
