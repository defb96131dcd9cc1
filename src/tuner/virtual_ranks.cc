#include "tuner/virtual_ranks.h"

#include <algorithm>
#include <numeric>

namespace starling {
namespace {

constexpr double kNoiseShare = 0.10;  // of the largest lateness

}  // namespace

Seconds orderingNoise(Seconds largest_lateness, Seconds least) {
  return std::max(kNoiseShare * largest_lateness, least);
}

std::vector<std::int32_t> identityTable(std::int32_t ranks) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(ranks));
  std::iota(table.begin(), table.end(), 0);
  return table;
}

bool isPermutation(std::span<const std::int32_t> table) {
  std::vector<bool> seen(table.size(), false);
  for (const std::int32_t rank : table) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= table.size() || seen[static_cast<std::size_t>(rank)])
      return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return true;
}

std::vector<std::int32_t> sortedTable(std::span<const Seconds> lateness, Seconds noise) {
  std::vector<std::int32_t> table;
  sortTable(lateness, noise, table);
  return table;
}

void sortTable(std::span<const Seconds> lateness, Seconds noise, std::vector<std::int32_t>& table) {
  table.resize(lateness.size());
  std::iota(table.begin(), table.end(), 0);
  if (lateness.empty()) return;
  const Seconds on_time = *std::min_element(lateness.begin(), lateness.end()) + noise;
  const auto lateness_of = [&](std::int32_t rank) {
    return std::max(lateness[static_cast<std::size_t>(rank)], on_time);
  };
  std::sort(table.begin(), table.end(), [&](std::int32_t a, std::int32_t b) {
    return lateness_of(a) != lateness_of(b) ? lateness_of(a) < lateness_of(b) : a < b;
  });
}

bool isSortedTable(std::span<const std::int32_t> table, std::span<const Seconds> lateness, Seconds noise) {
  Seconds latest_before;
  for (const std::int32_t rank : table) {
    const Seconds lateness_of_rank = lateness[static_cast<std::size_t>(rank)];
    if (latest_before > lateness_of_rank + noise) return false;
    latest_before = std::max(latest_before, lateness_of_rank);
  }
  return true;
}

std::vector<std::int32_t> swappedTable(std::vector<std::int32_t> table, std::span<const Seconds> lateness,
                                       Seconds noise) {
  if (lateness.empty()) return table;
  const auto [earliest, latest] = std::minmax_element(lateness.begin(), lateness.end());
  if (*latest - *earliest <= noise) return table;
  const auto longest_waiter = static_cast<std::int32_t>(earliest - lateness.begin());
  const auto shortest_waiter = static_cast<std::int32_t>(latest - lateness.begin());
  const auto before = std::find(table.begin(), table.end(), shortest_waiter);
  const auto after = std::find(table.begin(), table.end(), longest_waiter);
  if (before < after) std::iter_swap(before, after);
  return table;
}

}  // namespace starling
