// Measures once what a message and a reduction cost on a communicator.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "algos/topology.h"
#include "base/clock.h"
#include "mpi/execution/node_channel.h"
#include "simulator/simulator.h"

namespace starling {

// Collective: pairs of ranks exchange a few messages, and fit alpha, overhead, release and beta to their times; what
// lies in the middle of the pairs counts. The first rank sees whether messages take turns at the ports, and fits gamma
// to a reduction. All get these values. Where some ranks share a node, but not all, one rank of each node finds the
// values between nodes first, and then the ranks of each node find those within; where nodes are not known, the first
// rank and the last one measure, which are apart if any are. All this takes as long as two megabytes and a quarter on
// the network: 18 ms at 1 Gbit/s.
inline constexpr std::size_t kProbeMemory = std::size_t{1} << 20;  // its buffers, at most
// Where the ranks of each node share memory, `node_channel` finds what that costs; else, or where this rank has its
// node for itself, it is null.
CostModel probeCosts(MPI_Comm private_communicator, const Topology& topology, const Clock& clock,
                     NodeChannel* node_channel);

}  // namespace starling
