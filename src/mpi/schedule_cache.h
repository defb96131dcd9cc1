// Schedules that this rank has built, by what they depend on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "mpi/executor.h"

namespace starling {

// A schedule depends on the choice, the shape, this rank's place in the virtual-rank table and, where the algorithm
// uses arrivals, the latenesses; where it uses the topology, on the whole table. So with most algorithms a new table
// costs a new schedule only on the ranks that it moves.
// THREADS: not thread-safe; one per communicator.
class ScheduleCache {
 public:
  struct Query {
    Choice choice;
    Shape shape;                                // of the communicator: ranks and, by rank, topology are always the same
    std::span<const std::int32_t> table;        // virtual rank -> rank; empty = identity
    std::span<const std::int64_t> lateness_ns;  // by virtual rank; empty = all on time
  };

  // This rank's schedule. The reference is good until the next call.
  const PreparedSchedule& find(const Query& query, std::int32_t rank);

 private:
  struct Entry {
    Choice choice;
    std::int64_t count;
    bool commutative;
    std::int32_t virtual_rank;
    std::vector<std::int64_t> lateness_ns;  // empty where the algorithm does not use it
    std::vector<std::int32_t> table;        // empty where the algorithm does not use the topology
    std::int64_t last_use;
    PreparedSchedule prepared;
  };

  static constexpr std::size_t kMostEntries = 64;

  std::vector<Entry> entries_;
  std::int64_t uses_ = 0;
};

}  // namespace starling
