// The virtual-rank table says which rank takes which position in an algorithm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace starling {

// Policy `sort` (Proficz 2018, section 4): returns the ranks by rising predicted lateness, as a table virtual rank ->
// rank with lateness.size() entries. Latenesses within `noise` of the earliest count as on time, and ranks that are
// equally late keep their order, so that noise alone never moves a rank.
std::vector<std::int32_t> sortedTable(std::span<const Seconds> lateness, Seconds noise);
// Does the same into `table`, without allocation when `table` has had as many entries before.
void sortTable(std::span<const Seconds> lateness, Seconds noise, std::vector<std::int32_t>& table);

// Whoever shares a node is now and then interrupted for so long, and calls through shared memory win nothing by
// knowing.
inline constexpr Seconds kNoiseWithinNode{20e-6};
// A message between nodes takes a few microseconds: by less than that a rank may be late at no cost.
inline constexpr Seconds kNoiseBetweenNodes{5e-6};

// Returns the noise to take where nothing else is known of it: differences in lateness that are small beside the
// largest one, or below `least`, never reorder ranks.
Seconds orderingNoise(Seconds largest_lateness, Seconds least = kNoiseWithinNode);

// Returns whether no rank stands before one that is earlier by more than `noise`; sorting such a table anew would
// follow noise only. REQUIRES: table is a permutation of 0..lateness.size()-1.
bool isSortedTable(std::span<const std::int32_t> table, std::span<const Seconds> lateness, Seconds noise);

// Policy `swap` (Soga et al. 2007): exchanges the entries of the longest waiter (earliest arrival) and the shortest
// waiter (latest arrival) when the latter stands before the former and is later by more than `noise`.
// REQUIRES: table is a permutation of 0..lateness.size()-1.
std::vector<std::int32_t> swappedTable(std::vector<std::int32_t> table, std::span<const Seconds> lateness,
                                       Seconds noise);

std::vector<std::int32_t> identityTable(std::int32_t ranks);

// Returns whether each of 0..table.size()-1 occurs once.
bool isPermutation(std::span<const std::int32_t> table);

}  // namespace starling
