// Chooses ranks of a call that stand for all of them in a call of fewer ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/units.h"

namespace starling {

struct SampledRank {
  std::int32_t rank = 0;    // virtual
  double stands_for = 1.0;  // so many ranks of its unit,
  double of_all = 1.0;      // and so many of all units
};

// Ranks are chosen by units: nodes where ranks share them, of which all ranks or some are taken, else single ranks.
// THREADS: const after construction.
class RankSample {
 public:
  // `lateness` is by virtual rank; so are `nodes`, as in Topology. Empty nodes: each rank has one of its own.
  RankSample(std::span<const Seconds> lateness, std::span<const std::int32_t> nodes);

  std::int32_t units() const { return static_cast<std::int32_t>(by_lateness_.size()); }
  // Counts the units that have a rank which is later than the earliest of all.
  std::int32_t lateUnits() const { return late_units_; }

  // Returns how many ranks most units have: the median.
  std::int32_t ranksOfUnit() const { return ranks_of_unit_; }
  // Returns the mean number of ranks of a unit where at most `of_each` of it count.
  double meanRanksOfUnit(std::int32_t of_each) const;
  // Counts what choose() takes of all units together beyond `of_each`, for the sake of those that are late.
  std::int32_t beyond(std::int32_t of_each) const;

  // Returns ranks of so many units, ascending: of the `latest` units that come latest, and of others that are taken
  // evenly from the rest by their lateness. Of a unit that has more ranks than `of_each` it takes so many, few late
  // ones before others, and else evenly by their lateness; `keeps_late`: few late ones are all taken, and two others at
  // least. REQUIRES: 0 <= latest <= units <= units(), of_each >= 1.
  std::vector<SampledRank> choose(std::int32_t units, std::int32_t latest, std::int32_t of_each = kAll,
                                  bool keeps_late = false) const;
  // So many late ranks are all in a smaller call, where they are no more than a third of it; of more each one stands
  // for several.
  static constexpr std::int32_t kFewLate = 6;
  static constexpr std::int32_t kAll = std::numeric_limits<std::int32_t>::max();

 private:
  struct Unit {
    std::int32_t size() const { return static_cast<std::int32_t>(end - first); }

    std::size_t first = 0;  // of its ranks in ranks_, by their lateness
    std::size_t end = 0;
    Seconds lateness{};     // of the latest of them
    std::int32_t late = 0;  // ranks
  };

  static std::int32_t withLate(const Unit& unit, std::int32_t of_each);
  void takeFrom(const Unit& unit, std::int32_t number, std::vector<SampledRank>& ranks) const;

  std::vector<std::int32_t> ranks_;  // by unit
  std::vector<Unit> by_lateness_;    // ascending; units that come together by their last ranks
  std::int32_t late_units_ = 0;
  std::int32_t ranks_of_unit_ = 1;
};

}  // namespace starling
