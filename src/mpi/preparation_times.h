// Knows how long it takes to prepare a communicator for tuning, and so whether it is worth it.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "base/units.h"

namespace starling {

// What this rank has measured of the communicators that it has prepared so far, by size: ranks up to 2, 4, 8, ...
// THREADS: all functions may be called from any thread.
class PreparationTimes {
 public:
  // Notes that preparing a communicator of so many ranks took so long, `once` of it for what need not be done for
  // each: the probe of links is for all of a shape, and the machine is looked at once.
  void note(int ranks, Seconds took, Seconds once);

  // Returns whether a communicator of so many ranks, whose calls have taken `spent` so far, is worth preparing: they
  // have taken six times as long as that, so that what it costs beside its calls, its end included, is less than a
  // fifth of them. Before one of the size was prepared that is guessed. REQUIRES: ranks > 1.
  bool isWorthIt(int ranks, Seconds spent) const;

  // Notes what agreements between ranks took beside calls.
  void noteAgreeing(Seconds took);

  // Returns how long all of that took on this rank, probes included.
  Seconds inAll() const;

 private:
  Seconds expected(int ranks) const;

  mutable std::mutex mutex_;                        // guards what follows
  std::array<std::optional<Seconds>, 32> by_size_;  // moving averages
  Seconds in_all_{};
};

}  // namespace starling
