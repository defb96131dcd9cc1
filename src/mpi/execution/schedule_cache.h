// Keeps the schedules that this rank has built, by what they depend on; the ones used last stay.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory_resource>
#include <unordered_map>
#include <utility>

#include "schedule/prepared_schedule.h"
#include "tuner/signature.h"

namespace starling {

// Returns a hash of whole numbers, for keys.
inline std::size_t hashOf(std::initializer_list<std::int64_t> numbers) {
  std::uint64_t hash = 0;
  for (const std::int64_t number : numbers) hash = mixHash(hash, static_cast<std::uint64_t>(number));
  return hash;
}

// `Key` is what a schedule depends on, and is made from what is sought and a memory resource; a type for what is sought
// has hash(), and is compared to a key by ==. It may be the key itself. A key that has memory of its own says by
// bytes() how much. THREADS: not thread-safe; one per communicator and function.
template <typename Key>
class ScheduleCache {
 public:
  // Keeps at most so many schedules, of so many bytes together; all memory comes from `memory`, which outlives the
  // cache.
  explicit ScheduleCache(std::size_t max_entries, std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                         std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max())
      : max_entries_(max_entries), max_bytes_(max_bytes), entries_(memory) {}

  // Finds the schedule of what is sought, or builds it by `build` (memory resource -> Schedule), which takes at most
  // `needed` bytes: what is kept gives way, all of it if need be. The reference is good until the next call. Throws
  // std::bad_alloc where memory is short; there may then be fewer schedules.
  template <typename Sought, typename Build>
  const PreparedSchedule& find(const Sought& sought, const Build& build, std::int64_t needed = 0) {
    ++uses_;
    const std::size_t hash = sought.hash();
    const auto [first, last] = entries_.equal_range(hash);
    const auto known = std::find_if(first, last, [&](const auto& entry) { return sought == entry.second.key; });
    if (known != last) {
      known->second.last_use = uses_;
      return known->second.prepared;
    }
    while (!entries_.empty() && (entries_.size() >= max_entries_ || kept_bytes_ > max_bytes_ - needed)) drop();
    std::pmr::memory_resource* const memory = entries_.get_allocator().resource();
    const Entry& made =
        entries_.emplace(hash, Entry{uses_, Key(sought, memory), PreparedSchedule(build(memory))})->second;
    kept_bytes_ += made.bytes();
    return made.prepared;
  }

  // Gives all memory back.
  void clear() {
    entries_ = Entries(entries_.get_allocator());
    kept_bytes_ = 0;
  }

 private:
  struct Entry {
    std::int64_t last_use;
    Key key;
    PreparedSchedule prepared;

    std::int64_t bytes() const {
      if constexpr (requires { key.bytes(); }) return prepared.bytes() + key.bytes();
      return prepared.bytes();
    }
  };
  using Entries = std::pmr::unordered_multimap<std::size_t, Entry>;

  // Drops the schedule that was used least recently.
  void drop() {
    const auto oldest = std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.last_use < b.second.last_use;
    });
    kept_bytes_ -= oldest->second.bytes();
    entries_.erase(oldest);
  }

  std::size_t max_entries_;
  std::int64_t max_bytes_;
  Entries entries_;
  std::int64_t kept_bytes_ = 0;
  std::int64_t uses_ = 0;
};

}  // namespace starling
