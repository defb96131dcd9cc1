// What the tuners of all keys of a communicator go by.
#pragma once

#include <cstdint>
#include <memory>

#include "base/options.h"
#include "simulator/simulator.h"
#include "tuner/shared_knowledge.h"

namespace starling {

// All keys of the communicator have these settings in common.
struct TunerSettings {
  Options options;
  CostModel model;
  // Stamps of different ranks may be subtracted, within a known error. If not, candidates are compared by the shortest
  // elapsed time of a rank.
  bool stamps_compare = true;
  Topology topology{};  // by rank
  // The ranks tell rank 0 of so many calls of an epoch at most.
  std::int32_t samples_per_epoch = 32;
  // All that learns in a process shares this, if it is told so.
  std::shared_ptr<SharedKnowledge> shared = std::make_shared<SharedKnowledge>();
  std::int64_t communicator = 0;  // names it among those that learn
};

}  // namespace starling
