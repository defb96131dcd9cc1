// What a session needs from the process.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/execution/node_memory.h"
#include "mpi/machine/probed_costs.h"
#include "mpi/machine/stamp_clock.h"
#include "mpi/preparation_times.h"
#include "mpi/settings.h"
#include "store/records.h"
#include "tuner/communicator_tuner.h"

namespace starling {

struct SessionServices {
  Settings settings;
  ClockKnowledge clocks;
  std::string communicator_id;                                // unique within the run; used on rank 0
  bool is_within_world = true;                                // all ranks are of one MPI_COMM_WORLD
  std::shared_ptr<const std::vector<PolicyRecord>> policies;  // null: none
  bool promises_gain = false;  // an earlier run does, as all ranks know: the first epoch has one call
  // All outlive the session. What is not known is found out for the communicator alone.
  std::span<const std::int32_t> world_nodes;  // by rank of MPI_COMM_WORLD; empty: not known on all ranks
  ProbedCosts* probed_costs = nullptr;        // null: not all ranks are of one MPI_COMM_WORLD
  NodeMemories* node_memories = nullptr;      // null: calls of communicators may overlap
  PreparationTimes* preparations = nullptr;   // null: nobody asks
  // What the keys of this process have learned, for those that begin.
  std::shared_ptr<SharedKnowledge> shared = std::make_shared<SharedKnowledge>();
};

}  // namespace starling
