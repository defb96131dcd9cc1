#include "tuner/placement.h"

#include <algorithm>

namespace starling {
namespace {

bool isPlacedAs(std::span<const PlacedRank> placed, std::span<const std::int32_t> table) {
  const ExpandedPlacement whole = expanded(placed, static_cast<std::int32_t>(table.size()));
  if (!whole.table.empty()) return std::ranges::equal(whole.table, table);
  return std::is_sorted(table.begin(), table.end());
}

// Leaves the latest, by rising lateness.
void keepLatest(std::vector<PlacedRank>& placed) {
  std::erase_if(placed, [](const PlacedRank& one) { return one.lateness_ns == 0; });
  std::stable_sort(placed.begin(), placed.end(),
                   [](const PlacedRank& a, const PlacedRank& b) { return a.lateness_ns < b.lateness_ns; });
  if (placed.size() > kMostPlaced) placed.erase(placed.begin(), placed.end() - kMostPlaced);
}

void placeLast(std::span<PlacedRank> placed, std::size_t ranks) {
  auto place = static_cast<std::int32_t>(ranks - placed.size());
  for (PlacedRank& one : placed) one.place = place++;
}

}  // namespace

void ExpandedPlacement::reserve(std::int32_t ranks) {
  table.reserve(static_cast<std::size_t>(ranks));
  lateness_ns.reserve(static_cast<std::size_t>(ranks));
}

void ExpandedPlacement::expand(std::span<const PlacedRank> placed, std::int32_t ranks) {
  table.clear();
  lateness_ns.clear();
  if (placed.empty()) return;
  constexpr std::int32_t kFree = -1;
  constexpr std::int64_t kPlaced = 1;
  table.assign(static_cast<std::size_t>(ranks), kFree);
  // Before it holds latenesses, the list marks by rank who is placed, so that no other memory is needed.
  lateness_ns.assign(static_cast<std::size_t>(ranks), 0);
  for (const PlacedRank& one : placed) {
    table[static_cast<std::size_t>(one.place)] = one.rank;
    lateness_ns[static_cast<std::size_t>(one.rank)] = kPlaced;
  }
  std::int32_t rank = 0;
  for (std::int32_t& at_place : table) {
    if (at_place != kFree) continue;
    while (lateness_ns[static_cast<std::size_t>(rank)] == kPlaced) ++rank;
    at_place = rank++;
  }
  std::fill(lateness_ns.begin(), lateness_ns.end(), 0);
  for (const PlacedRank& one : placed) lateness_ns[static_cast<std::size_t>(one.place)] = one.lateness_ns;
  if (std::is_sorted(table.begin(), table.end())) table.clear();
  if (std::ranges::all_of(placed, [](const PlacedRank& one) { return one.lateness_ns == 0; })) lateness_ns.clear();
}

ExpandedPlacement expanded(std::span<const PlacedRank> placed, std::int32_t ranks) {
  ExpandedPlacement whole;
  whole.expand(placed, ranks);
  return whole;
}

// There are few, and the check takes no memory.
bool isPlacement(std::span<const PlacedRank> placed, std::int32_t ranks) {
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const PlacedRank& one = placed[i];
    if (one.rank < 0 || one.rank >= ranks || one.place < 0 || one.place >= ranks || one.lateness_ns < 0) return false;
    for (const PlacedRank& before : placed.first(i)) {
      if (before.rank == one.rank || before.place == one.place) return false;
    }
  }
  return true;
}

std::vector<PlacedRank> placementOf(std::span<const std::int32_t> table, std::span<const std::int64_t> lateness_ns) {
  const std::size_t ranks = std::max(table.size(), lateness_ns.size());
  std::vector<PlacedRank> late;
  std::vector<PlacedRank> displaced;
  for (std::size_t place = 0; place < ranks; ++place) {
    PlacedRank one;
    one.place = static_cast<std::int32_t>(place);
    one.rank = table.empty() ? one.place : table[place];
    if (!lateness_ns.empty()) one.lateness_ns = lateness_ns[place];
    if (one.lateness_ns > 0) late.push_back(one);
    if (one.lateness_ns > 0 || one.rank != one.place) displaced.push_back(one);
  }
  // Where the latest stand last, the others are in rank order though they are not at the places of their own numbers.
  if (late.size() <= kMostPlaced && (table.empty() || isPlacedAs(late, table))) return late;
  const PlacedRank front{.rank = table.empty() ? 0 : table.front()};
  if (late.empty() && !table.empty() && isPlacedAs({&front, 1}, table)) return {front};
  if (displaced.size() <= kMostPlaced) return displaced;
  keepLatest(displaced);
  if (!table.empty()) placeLast(displaced, ranks);
  return displaced;
}

}  // namespace starling
