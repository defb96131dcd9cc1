#include "tuner/latest_announcements.h"

#include <algorithm>
#include <cstddef>

#include "base/units.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

bool isLater(const LatestAnnouncements::Announcement& a, const LatestAnnouncements::Announcement& b) {
  return a.announced_ns != b.announced_ns ? a.announced_ns > b.announced_ns : a.rank > b.rank;
}

}  // namespace

LatestAnnouncements::LatestAnnouncements(std::int32_t rank, std::int64_t announced_ns)
    : ranks_(1), named_(1), earliest_ns_(announced_ns) {
  latest_.front() = {announced_ns, rank};
}

void LatestAnnouncements::add(const LatestAnnouncements& others) {
  if (others.ranks_ == 0) return;
  std::array<Announcement, 2 * kMost> both;
  const auto end = std::ranges::merge(latest(), others.latest(), both.begin(), isLater).out;
  named_ = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(end - both.begin(), kMost));
  std::copy_n(both.begin(), named_, latest_.begin());
  earliest_ns_ = ranks_ == 0 ? others.earliest_ns_ : std::min(earliest_ns_, others.earliest_ns_);
  ranks_ += others.ranks_;
}

void LatestAnnouncements::dropOnTime() {
  if (named_ == 0) return;
  const auto lateness_of = [&](const Announcement& rank) { return fromNanoseconds(rank.announced_ns - earliest_ns_); };
  const Seconds noise = orderingNoise(lateness_of(latest_.front()));
  const auto on_time =
      std::ranges::find_if(latest(), [&](const Announcement& rank) { return lateness_of(rank) <= noise; });
  named_ = static_cast<std::uint32_t>(on_time - latest().begin());
}

bool LatestAnnouncements::operator==(const LatestAnnouncements& other) const {
  return ranks_ == other.ranks_ && earliest_ns_ == other.earliest_ns_ && std::ranges::equal(latest(), other.latest());
}

}  // namespace starling
