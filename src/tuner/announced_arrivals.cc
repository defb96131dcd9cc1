#include "tuner/announced_arrivals.h"

#include <algorithm>
#include <bit>

#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

// A lateness keeps this many leading binary digits: steps of 3% to 6%, finer than the noise that never reorders ranks.
constexpr int kKeptDigits = 5;

// Rounds to so many digits. REQUIRES: value >= 0.
std::int64_t rounded(std::int64_t value) {
  const auto digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  if (digits <= kKeptDigits) return value;
  const std::int64_t step = std::int64_t{1} << (digits - kKeptDigits);
  return (value + step / 2) / step * step;
}

}  // namespace

std::int64_t announcedComputation(Seconds elapsed, double fraction) {
  const Seconds expected{elapsed.value / fraction};
  // A tiny fraction may make the time infinite. The comparison is written so that a NaN counts as on time.
  return expected > Seconds{} ? toNanoseconds(std::min(expected, kLongestAnnouncement)) : 0;
}

void AnnouncedArrivals::reserve(std::size_t ranks) {
  lateness_.reserve(ranks);
  table_.reserve(ranks);
  lateness_ns_.reserve(ranks);
  lateness_by_rank_ns_.reserve(ranks);
}

void AnnouncedArrivals::arrange(std::span<const std::int64_t> announced_ns) {
  lateness_.clear();
  lateness_ns_.clear();
  lateness_by_rank_ns_.clear();
  if (announced_ns.empty()) return table_.clear();
  const std::int64_t earliest = *std::min_element(announced_ns.begin(), announced_ns.end());
  const std::int64_t latest = *std::max_element(announced_ns.begin(), announced_ns.end());
  for (const std::int64_t announced : announced_ns) lateness_.push_back(fromNanoseconds(announced - earliest));
  const Seconds noise = orderingNoise(fromNanoseconds(latest - earliest));
  sortTable(lateness_, noise, table_);
  for (const Seconds lateness : lateness_) {
    lateness_by_rank_ns_.push_back(lateness > noise ? rounded(toNanoseconds(lateness)) : 0);
  }
  for (const std::int32_t rank : table_) lateness_ns_.push_back(lateness_by_rank_ns_[static_cast<std::size_t>(rank)]);
}

}  // namespace starling
