// Keeps in the records of a communicator what its calls can be simulated with: what messages cost, and its nodes.
#pragma once

#include <optional>

#include "algos/topology.h"
#include "simulator/simulator.h"
#include "store/records.h"

namespace starling {

// Writes both into the record. `topology` is by rank. Nodes that would take more than 4 KB stay unknown; links are not
// recorded.
void recordCosts(const CostModel& model, const Topology& topology, CommunicatorRecord& communicator);

// Returns the model that was recorded; empty where it is not known, as from an older Starling.
std::optional<CostModel> recordedCosts(const CommunicatorRecord& communicator);

// Returns the nodes that were recorded, by rank and without links; empty where they are not known, or do not tell of
// all ranks.
std::optional<Topology> recordedTopology(const CommunicatorRecord& communicator);

}  // namespace starling
