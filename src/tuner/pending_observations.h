// Keeps what was measured of a key's choices since the database was last told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "estimators/running_moments.h"
#include "tuner/plan.h"

namespace starling {

// What it keeps is bounded, however long nobody takes it: there is one entry for each choice, and at most kMaxEntries
// of them.
// THREADS: not thread-safe.
class PendingObservations {
 public:
  static constexpr std::size_t kMaxEntries = 24;

  // Times are in seconds.
  struct Entry {
    PlannedChoice planned;
    std::int64_t epoch = 0;  // the latest one in which it was called
    std::int64_t calls = 0;
    RunningMoments elapsed{};
    RunningMoments post_arrival{};
  };

  // Returns the entry of what is called in `epoch`; epochs never fall. Where there are as many entries of others as may
  // be, the one that was called least lately gives way. The reference holds until the next call.
  Entry& entryOf(const PlannedChoice& planned, std::int64_t epoch);

  std::span<const Entry> entries() const { return entries_; }
  // Counts the entries that gave way since the latest clear().
  std::int64_t dropped() const { return dropped_; }
  void clear();

 private:
  std::vector<Entry> entries_;
  std::int64_t dropped_ = 0;
};

}  // namespace starling
