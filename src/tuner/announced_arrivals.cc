#include "tuner/announced_arrivals.h"

#include <algorithm>
#include <bit>

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
  table_.reserve(ranks);
  lateness_ns_.reserve(ranks);
  lateness_by_rank_ns_.reserve(ranks);
}

void AnnouncedArrivals::arrange(const LatestAnnouncements& announced) {
  const auto ranks = static_cast<std::size_t>(announced.ranks());
  table_.resize(ranks);
  lateness_ns_.assign(ranks, 0);
  lateness_by_rank_ns_.assign(ranks, 0);
  // Those that are late fill the table from its end on; all others keep their order.
  std::size_t place = ranks;
  for (const auto& [announced_ns, rank] : announced.latest()) {
    --place;
    table_[place] = static_cast<std::int32_t>(rank);
    lateness_ns_[place] = rounded(announced_ns - announced.earliestNs());
    lateness_by_rank_ns_[static_cast<std::size_t>(rank)] = lateness_ns_[place];
  }
  auto on_time = table_.begin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (lateness_by_rank_ns_[rank] == 0) *on_time++ = static_cast<std::int32_t>(rank);
  }
}

}  // namespace starling
