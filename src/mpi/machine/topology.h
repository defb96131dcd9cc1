// Where the ranks of a communicator run, and what links them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algos/topology.h"
#include "base/clock.h"
#include "mpi/execution/node_channel.h"
#include "mpi/execution/node_memory.h"

namespace starling {

// Returns the node of each rank, by processor name: a node is known by its first rank. Collective; equal on all ranks.
std::vector<std::int32_t> gatherNodes(MPI_Comm communicator);

// Returns the topology by rank of `private_communicator`, with nodes as above; where `world_nodes` has those of
// MPI_COMM_WORLD they are not gathered. Links are measured, or read on rank 0 from a file that has a row for each rank
// of MPI_COMM_WORLD, in the form that parseLinks() takes; where that fails, rank 0 warns once, and no links are known.
// Collective; equal on all ranks. REQUIRES: where `world_nodes` is not empty, all ranks are of one MPI_COMM_WORLD and
// have it.
Topology gatherTopology(MPI_Comm private_communicator, const std::string& links, const Clock& clock,
                        std::span<const std::int32_t> world_nodes = {});

// Opens the channel through the memory of this rank's node, and tells in the topology of `private_communicator` that
// the ranks of each node share memory. Where those of some node cannot, where no node has several ranks, or where Open
// MPI is told by any rank's environment to carry no messages through shared memory, it opens none on any rank; what is
// for messages is then for calls. Returns null then, and on a rank that has its node for itself. `idle_tag` as in
// NodeMemory::Idle; `world_nodes` as above. `known` has the memory of other communicators, and notes this one's; null:
// the communicator has memory of its own. It is null on all ranks or none. Collective.
std::unique_ptr<NodeChannel> shareMemory(MPI_Comm private_communicator, int idle_tag, Topology& topology,
                                         std::span<const std::int32_t> world_nodes = {}, NodeMemories* known = nullptr);

}  // namespace starling
