#include "tuner/recorded_ranks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "store/lateness_classes.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr std::size_t kAlwaysRecorded = 2;  // the latest, and how far it is from the others
constexpr double kBeyondMedian = 4.0;

Seconds latenessOf(std::span<const Seconds> lateness, std::int32_t rank) {
  return lateness[static_cast<std::size_t>(rank)];
}

// Returns all ranks: as many of the latest as may be recorded come first, by falling lateness, though no more than half
// of all; in the middle is the one of median lateness.
std::vector<std::int32_t> latestFirst(std::span<const Seconds> lateness) {
  std::vector<std::int32_t> ranks(lateness.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto is_later = [lateness](std::int32_t a, std::int32_t b) {
    return latenessOf(lateness, a) > latenessOf(lateness, b);
  };
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2), ranks.end(), is_later);
  const auto last = ranks.begin() + static_cast<std::ptrdiff_t>(std::min(kRecordedRanks, ranks.size() / 2));
  std::partial_sort(ranks.begin(), last, ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2), is_later);
  return ranks;
}

// Returns how many at the front are late beyond the noise, kRecordedRanks at most.
std::size_t lateOnes(std::span<const std::int32_t> latest_first, std::span<const Seconds> lateness) {
  const Seconds median = latenessOf(lateness, latest_first[latest_first.size() / 2]);
  const Seconds noise = std::max(orderingNoise(latenessOf(lateness, latest_first[0])), kBeyondMedian * median);
  std::size_t late = 0;
  while (late < std::min(kRecordedRanks, latest_first.size() / 2) && latenessOf(lateness, latest_first[late]) > noise) {
    ++late;
  }
  return late;
}

void addOnce(std::vector<std::int32_t>& ranks, std::int32_t rank) {
  if (ranks.size() == kRecordedRanks || std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) return;
  ranks.push_back(rank);
}

}  // namespace

std::vector<std::int32_t> RecordedRanks::choose(std::span<const Seconds> lateness) {
  std::vector<std::int32_t> chosen;
  if (lateness.size() <= kRecordedRanks) {
    chosen.resize(lateness.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    return chosen;
  }
  const std::vector<std::int32_t> latest_first = latestFirst(lateness);
  follow(std::span(latest_first).first(lateOnes(latest_first, lateness)));
  for (std::size_t i = 0; i < kAlwaysRecorded; ++i) addOnce(chosen, latest_first[i]);
  for (const std::int32_t rank : followed_) addOnce(chosen, rank);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// Puts the ranks that are late now to the front, the latest first.
void RecordedRanks::follow(std::span<const std::int32_t> late) {
  for (auto rank = late.rbegin(); rank != late.rend(); ++rank) {
    std::erase(followed_, *rank);
    followed_.insert(followed_.begin(), *rank);
  }
  if (followed_.size() > kRecordedRanks) followed_.resize(kRecordedRanks);
}

std::vector<std::int64_t> latenessCounts(std::span<const Seconds> lateness) {
  std::vector<std::int64_t> counts(kLatenessClasses);
  for (const Seconds of_rank : lateness) ++counts[latenessClass(of_rank)];
  return counts;
}

}  // namespace starling
