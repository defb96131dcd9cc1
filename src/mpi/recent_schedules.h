// The schedules that were used last, by what they depend on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/executor.h"

namespace starling {

// THREADS: not thread-safe; one per communicator and function.
template <typename Key>
class RecentSchedules {
 public:
  // That of the key, made by `build` (-> Schedule) where it is not there. The reference is good until the next call.
  template <typename Build>
  const PreparedSchedule& find(const Key& key, const Build& build) {
    ++uses_;
    for (Entry& entry : entries_) {
      if (!(entry.key == key)) continue;
      entry.last_use = uses_;
      return entry.prepared;
    }
    if (entries_.size() == kMostEntries) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; }));
    }
    entries_.push_back({key, uses_, PreparedSchedule(build())});
    return entries_.back().prepared;
  }

 private:
  struct Entry {
    Key key;
    std::int64_t last_use;
    PreparedSchedule prepared;
  };

  static constexpr std::size_t kMostEntries = 64;

  std::vector<Entry> entries_;
  std::int64_t uses_ = 0;
};

}  // namespace starling
