#include "tuner/recorded_ranks.h"

#include <algorithm>
#include <cstddef>

#include "store/lateness_classes.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

using Entry = TrackedArrivals::Entry;

constexpr std::size_t kAlwaysRecorded = 2;  // the latest, and how far it is from the others
constexpr double kBeyondMedian = 4.0;

Seconds meanOf(const Entry& entry) { return {entry.seen.mean()}; }

bool isOne(const Entry& entry) { return entry.rank != TrackedArrivals::kOthers; }

bool isLaterInTheMean(const Entry& a, const Entry& b) { return meanOf(a) > meanOf(b); }

// Returns the mean lateness that half of all ranks exceed. REQUIRES: latest_first is not empty.
Seconds medianOf(std::span<const Entry> latest_first, std::int32_t others) {
  std::size_t ranks = 0;
  for (const Entry& entry : latest_first) ranks += isOne(entry) ? 1 : static_cast<std::size_t>(others);
  std::size_t seen = 0;
  for (const Entry& entry : latest_first) {
    seen += isOne(entry) ? 1 : static_cast<std::size_t>(others);
    if (seen > ranks / 2) return meanOf(entry);
  }
  return meanOf(latest_first.back());
}

void addOnce(std::vector<std::int32_t>& ranks, std::int32_t rank) {
  if (ranks.size() == kRecordedRanks || std::find(ranks.begin(), ranks.end(), rank) != ranks.end()) return;
  ranks.push_back(rank);
}

}  // namespace

std::vector<Entry> RecordedRanks::choose(std::span<const Entry> entries, std::int32_t others) {
  std::vector<Entry> latest_first(entries.begin(), entries.end());
  if (others == 0 && entries.size() <= kRecordedRanks) return latest_first;
  std::stable_sort(latest_first.begin(), latest_first.end(), isLaterInTheMean);
  const Seconds median = medianOf(latest_first, others);
  const Seconds noise = std::max(orderingNoise(meanOf(latest_first.front())), kBeyondMedian * median);
  std::erase_if(latest_first, [](const Entry& entry) { return !isOne(entry); });
  std::vector<std::int32_t> chosen;
  std::vector<std::int32_t> late;
  for (const Entry& entry : latest_first) {
    if (chosen.size() < kAlwaysRecorded) chosen.push_back(entry.rank);
    if (late.size() < kRecordedRanks && meanOf(entry) > noise) late.push_back(entry.rank);
  }
  follow(late);
  for (const std::int32_t rank : followed_) addOnce(chosen, rank);
  std::erase_if(latest_first,
                [&](const Entry& entry) { return std::ranges::find(chosen, entry.rank) == chosen.end(); });
  std::sort(latest_first.begin(), latest_first.end(), [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
  return latest_first;
}

// Puts the ranks that are late now to the front, the latest first.
void RecordedRanks::follow(std::span<const std::int32_t> late) {
  for (auto rank = late.rbegin(); rank != late.rend(); ++rank) {
    std::erase(followed_, *rank);
    followed_.insert(followed_.begin(), *rank);
  }
  if (followed_.size() > kRecordedRanks) followed_.resize(kRecordedRanks);
}

std::vector<std::int64_t> latenessCounts(std::span<const Entry> entries, std::int32_t others) {
  std::vector<std::int64_t> counts(kLatenessClasses);
  for (const Entry& entry : entries) counts[latenessClass(meanOf(entry))] += isOne(entry) ? 1 : others;
  return counts;
}

}  // namespace starling
