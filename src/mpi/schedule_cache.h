// Schedules that this rank has built, per plan and count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "mpi/executor.h"

namespace starling {

// THREADS: not thread-safe; one per communicator.
class ScheduleCache {
 public:
  struct Query {
    std::int32_t key = -1;          // whose plan it is; negative: a fixed choice
    std::int64_t plan_version = 0;  // of that key
    Choice choice;
    Shape shape;
    std::span<const std::int32_t> table;  // virtual rank -> rank; empty = identity
    std::span<const std::int64_t> lateness_ns;
  };

  // This rank's schedule. The reference is good until the next call.
  const PreparedSchedule& find(const Query& query, std::int32_t rank);

 private:
  struct Entry {
    std::int32_t key;
    std::int64_t plan_version;
    Choice choice;
    std::int64_t count;
    bool commutative;
    std::int64_t last_use;
    PreparedSchedule prepared;
  };

  static constexpr std::size_t kMostEntries = 64;

  std::vector<Entry> entries_;
  std::int64_t uses_ = 0;
};

}  // namespace starling
