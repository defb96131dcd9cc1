// Arranges the next call by what the ranks announce in the middle of a computation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "tuner/latest_announcements.h"

namespace starling {

// Returns what a rank announces when `elapsed` has passed since its latest exit and `fraction` of the computation is
// done: for how long it expects to compute in all, in nanoseconds, between 0 and kLongestAnnouncement.
// REQUIRES: 0 < fraction <= 1.
std::int64_t announcedComputation(Seconds elapsed, double fraction);
inline constexpr Seconds kLongestAnnouncement{1e6};

// Arranges the ranks of one call by announced arrivals: a pure function of what all ranks know alike.
// THREADS: one.
class AnnouncedArrivals {
 public:
  // Takes the memory for so many ranks now, so that arrange() need not.
  void reserve(std::size_t ranks);

  // `announced` has what announcedComputation() gave on each of the ranks 0 to announced.ranks()-1, after dropOnTime():
  // ranks that are not named count as on time. Nothing is allocated when the number of ranks stays.
  void arrange(const LatestAnnouncements& announced);

  // The table and the latenesses are as in KeyPlan: virtual rank -> rank, by rising lateness, and lateness by virtual
  // rank. Latenesses are rounded coarsely, so that few schedules serve all calls whose announcements differ by noise
  // only.
  std::span<const std::int32_t> table() const { return table_; }
  std::span<const std::int64_t> latenessNs() const { return lateness_ns_; }
  // Returns the same latenesses by rank, for calls that keep rank order.
  std::span<const std::int64_t> latenessByRankNs() const { return lateness_by_rank_ns_; }

 private:
  std::vector<std::int32_t> table_;
  std::vector<std::int64_t> lateness_ns_;
  std::vector<std::int64_t> lateness_by_rank_ns_;
};

}  // namespace starling
