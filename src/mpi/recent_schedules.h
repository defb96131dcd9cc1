// The schedules that were used last, by what they depend on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <unordered_map>

#include "mpi/executor.h"
#include "tuner/signature.h"

namespace starling {

// Of whole numbers, for keys.
inline std::size_t hashOf(std::initializer_list<std::int64_t> numbers) {
  std::uint64_t hash = 0;
  for (const std::int64_t number : numbers) hash = mixHash(hash, static_cast<std::uint64_t>(number));
  return hash;
}

// `Key` has ==, and hash(). THREADS: not thread-safe; one per communicator and function.
template <typename Key>
class RecentSchedules {
 public:
  // That of the key, made by `build` (-> Schedule) where it is not there. The reference is good until the next call.
  template <typename Build>
  const PreparedSchedule& find(const Key& key, const Build& build) {
    ++uses_;
    const auto known = entries_.find(key);
    if (known != entries_.end()) {
      known->second.last_use = uses_;
      return known->second.prepared;
    }
    if (entries_.size() == kMostEntries) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
        return a.second.last_use < b.second.last_use;
      }));
    }
    return entries_.emplace(key, Entry{uses_, PreparedSchedule(build())}).first->second.prepared;
  }

 private:
  struct Entry {
    std::int64_t last_use;
    PreparedSchedule prepared;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.hash(); }
  };

  // Two for each root of which something is learned (by_root.h): programs that take turns in all of them, with vectors
  // of one size or two, build none anew.
  static constexpr std::size_t kMostEntries = 256;

  std::unordered_map<Key, Entry, Hash> entries_;
  std::int64_t uses_ = 0;
};

}  // namespace starling
