// Makes one rank's part of a call as its plan says: by messages, through the memory of a node, or both.
#pragma once

#include <cstdint>
#include <span>

#include "algos/catalogue.h"
#include "mpi/execution/channel.h"
#include "mpi/execution/executor.h"
#include "mpi/execution/node_channel.h"
#include "schedule/prepared_schedule.h"

namespace starling {

struct PlannedCall {
  const void* send = nullptr;  // may be MPI_IN_PLACE
  void* receive = nullptr;
  std::int64_t count = 0;
  const Reducer& reducer;
  const Choice& choice;
  std::span<const std::int32_t> table{};        // virtual rank -> rank; empty = identity
  std::span<const std::int64_t> lateness_ns{};  // by virtual rank; empty = all on time
  bool may_reorder = false;                     // operands may be combined in any order
};

// Returns whether the choice needs no schedule, since all ranks share the memory that the channel, which may be null,
// is for.
bool isInMemory(const NodeChannel* node, const Topology& topology, const Choice& choice, const Reducer& reducer);

// Returns whether the schedules of such elements may have shares: BuildRequest::nodes_share_memory.
bool mayHaveShares(const Topology& topology, const Reducer& reducer);

// Makes a call that needs no schedule. REQUIRES: isInMemory(); the count is above 0.
void runInMemory(NodeChannel& node, const PlannedCall& call);

// Runs the schedule, and what it says of the memory of a node, which `node` is for; null: this rank has its node for
// itself. Returns an MPI error code, as Channel::run() does.
int runSchedule(Channel& channel, NodeChannel* node, const PreparedSchedule& prepared, const PlannedCall& call);

}  // namespace starling
