// Keeps the schedules that this rank has built for plans of the catalogue's algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory_resource>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "algos/schedule_bytes.h"
#include "mpi/execution/schedule_cache.h"

namespace starling {

// A schedule depends on the choice, the shape, this rank's place in the virtual-rank table and, where the algorithm
// uses arrivals, the latenesses; where it uses the topology, on the whole table. So with most algorithms a new table
// costs a new schedule only on the ranks that it moves. What is kept, and what is being made, take kMostScheduleBytes
// at most, or what that one schedule takes.
// THREADS: not thread-safe; one per communicator.
class PlanSchedules {
 public:
  // Schedules, and what building them takes, have their memory from `memory`, which outlives this object.
  explicit PlanSchedules(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : schedules_(kMaxEntries, memory, kMostScheduleBytes) {}

  struct Query {
    Choice choice;
    Shape shape;                                // of the communicator: ranks and, by rank, topology are always the same
    std::span<const std::int32_t> table;        // virtual rank -> rank; empty = identity
    std::span<const std::int64_t> lateness_ns;  // by virtual rank; empty = all on time
    std::int64_t bytes = 0;                     // scheduleBytes() of the choice
    bool nodes_share_memory = false;            // as in BuildRequest
  };

  // Returns this rank's schedule. The reference is good until the next call. Throws std::bad_alloc where memory is
  // short.
  const PreparedSchedule& find(const Query& query, std::int32_t rank);

  // Gives all memory back.
  void clear() { schedules_.clear(); }

 private:
  static constexpr std::size_t kMaxEntries = 64;

  struct Key;
  // Describes what is sought: latenesses and table are those that the algorithm uses, else empty.
  struct Sought {
    const Choice& choice;
    std::int64_t count;
    bool commutative;
    std::int32_t virtual_rank;
    bool nodes_share_memory;
    std::span<const std::int64_t> lateness_ns;
    std::span<const std::int32_t> table;

    std::size_t hash() const;
    bool operator==(const Key& key) const;
  };
  struct Key {
    Key(const Sought& sought, std::pmr::memory_resource* memory);

    Choice choice;
    std::int64_t count;
    bool commutative;
    std::int32_t virtual_rank;
    bool nodes_share_memory;
    std::pmr::vector<std::int64_t> lateness_ns;
    std::pmr::vector<std::int32_t> table;

    std::int64_t bytes() const {
      return std::ssize(lateness_ns) * std::int64_t{sizeof(std::int64_t)} +
             std::ssize(table) * std::int64_t{sizeof(std::int32_t)};
    }
  };

  ScheduleCache<Key> schedules_;
};

}  // namespace starling
