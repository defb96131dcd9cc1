// A virtual-rank table and predicted latenesses, as what they have apart from rank order and everybody on time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// A rank that has a place of its own in the table. All others fill the places that are left, in rank order, and are on
// time.
struct PlacedRank {
  std::int32_t rank = 0;
  std::int32_t place = 0;  // virtual rank
  std::int64_t lateness_ns = 0;

  bool operator==(const PlacedRank&) const = default;
};

// At most so many ranks of a plan have a place of their own.
inline constexpr std::size_t kMostPlaced = 32;

// The whole of it: both lists are by virtual rank, or empty: ranks in their order, all on time.
struct ExpandedPlacement {
  std::vector<std::int32_t> table;  // virtual rank -> rank
  std::vector<std::int64_t> lateness_ns;

  // Takes the memory for so many ranks: expand() takes none for them.
  void reserve(std::int32_t ranks);
  // Takes time linear in `ranks`. REQUIRES: isPlacement(placed, ranks).
  void expand(std::span<const PlacedRank> placed, std::int32_t ranks);
};
ExpandedPlacement expanded(std::span<const PlacedRank> placed, std::int32_t ranks);

// Returns whether no rank and no place is named twice, and all are below `ranks`.
bool isPlacement(std::span<const PlacedRank> placed, std::int32_t ranks);

// Returns what expands to this table and these latenesses; either may be empty, as above. Where more than kMostPlaced
// ranks had to be placed, only the latest kMostPlaced are: last, by rising lateness, or where they are, if there is no
// table. REQUIRES: the table is a permutation.
std::vector<PlacedRank> placementOf(std::span<const std::int32_t> table, std::span<const std::int64_t> lateness_ns);

}  // namespace starling
