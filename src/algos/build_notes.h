// What the schedules of all ranks of one call have in common.
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <utility>
#include <vector>

#include "algos/broadcast_rounds.h"
#include "algos/merge_order.h"
#include "algos/topology.h"
#include "schedule/schedule.h"

namespace starling {

// Builders leave here what is alike for several ranks, so that who builds the schedules of all finds it once. Empty: it
// was not found yet. A row that finds something else adds a member.
// REQUIRES: requests that share notes differ in their rank alone, but for an inner algorithm, which may use no member
// that the outer one uses with another meaning. `memory` outlives the notes.
// THREADS: not thread-safe.
struct BuildNotes {
  explicit BuildNotes(std::pmr::memory_resource* memory)
      : merges(memory), nodes(memory), between_nodes(memory), rounds(memory) {}

  BroadcastRounds& roundsOf(std::int32_t indices) {
    return rounds.try_emplace(indices, indices, rounds.get_allocator().resource()).first->second;
  }

  std::pmr::vector<Merge> merges;  // of virtual ranks, in the order that the row follows
  NodeMembers nodes;               // virtual ranks
  // A node's part of the allreduce of so many elements among the nodes.
  std::pmr::map<std::pair<std::int32_t, std::int64_t>, Schedule> between_nodes;
  std::pmr::map<std::int32_t, BroadcastRounds> rounds;  // by the number of indices
};

}  // namespace starling
