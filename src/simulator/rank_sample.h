// Chooses ranks of a call that stand for all of them in a call of fewer ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace starling {

// Ranks are chosen by units: whole nodes where ranks share them, so that as many as before share one port, else single
// ranks. THREADS: const after construction.
class RankSample {
 public:
  // `lateness` is by virtual rank; so are `nodes`, as in Topology. Empty nodes: each rank has one of its own.
  RankSample(std::span<const Seconds> lateness, std::span<const std::int32_t> nodes);

  std::int32_t units() const { return static_cast<std::int32_t>(by_lateness_.size()); }
  // Counts the units that have a rank which is later than the earliest of all.
  std::int32_t lateUnits() const { return late_units_; }

  // Returns the virtual ranks of so many units, ascending: of the `latest` units that come latest, and of others that
  // are taken evenly from the rest by their lateness. REQUIRES: 0 <= latest <= units <= units().
  std::vector<std::int32_t> choose(std::int32_t units, std::int32_t latest) const;

 private:
  struct Unit {
    std::size_t first = 0;  // of its ranks in ranks_
    std::size_t end = 0;
    Seconds lateness{};  // of the latest of them
  };

  std::vector<std::int32_t> ranks_;  // by unit
  std::vector<Unit> by_lateness_;    // ascending; units that come together by their last ranks
  std::int32_t late_units_ = 0;
};

}  // namespace starling
