#include "summary/recorded_patterns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "store/lateness_classes.h"

namespace starling {
namespace {

// What was recorded of one epoch, or of several that were joined.
struct Epoch {
  std::vector<const ArrivalRecord*> rows;
  const HistogramRecord* histogram = nullptr;

  std::int64_t samples() const {
    if (histogram != nullptr) return histogram->samples;
    std::int64_t most = 0;
    for (const ArrivalRecord* row : rows) most = std::max(most, row->samples);
    return most;
  }
};

// Returns the middle of a class as logarithms have it; of the lowest class 0, of the highest its lower bound.
Seconds middleOf(std::size_t index) {
  if (index == 0) return Seconds{};
  const Seconds lower = kLatenessBounds[index - 1];
  if (index == kLatenessBounds.size()) return lower;
  return Seconds{std::sqrt(lower.value * kLatenessBounds[index].value)};
}

bool isKnown(const ArrivalRecord& row) { return row.samples > 0 && std::isfinite(row.mean); }

Seconds latenessOf(const ArrivalRecord& row, std::int64_t samples) {
  const double share = std::min(static_cast<double>(row.samples) / static_cast<double>(samples), 1.0);
  return Seconds{std::max(row.mean, 0.0) * share};
}

// Counts by class the ranks that are in the histogram alone.
std::vector<double> countsOfOthers(const Epoch& epoch) {
  std::vector<double> counts(kLatenessClasses);
  if (epoch.histogram == nullptr) return counts;
  const std::vector<std::int64_t>& all = epoch.histogram->counts;
  for (std::size_t i = 0; i < std::min(all.size(), counts.size()); ++i) counts[i] = static_cast<double>(all[i]);
  for (const ArrivalRecord* row : epoch.rows) {
    if (!isKnown(*row)) continue;
    double& count = counts[latenessClass(Seconds{row->mean})];
    count = std::max(count - static_cast<double>(row->epochs), 0.0);
  }
  return counts;
}

// Returns the latenesses of `others` ranks, ascending: as many in each class as the counts say, none above `most`.
std::vector<Seconds> latenessesOfOthers(const std::vector<double>& counts, std::size_t others, Seconds most) {
  std::vector<Seconds> lateness(others);
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (all <= 0.0) return lateness;
  std::size_t index = 0;
  double passed = counts.front();
  for (std::size_t i = 0; i < others; ++i) {
    const double place = all * (static_cast<double>(i) + 0.5) / static_cast<double>(others);
    while (index + 1 < counts.size() && passed <= place) passed += counts[++index];
    lateness[i] = std::min(middleOf(index), most);
  }
  return lateness;
}

// Returns the latest but one, of one rank its own lateness.
Seconds secondOf(std::vector<Seconds> lateness) {
  if (lateness.empty()) return Seconds{};
  std::ranges::sort(lateness);
  return lateness[lateness.size() > 1 ? lateness.size() - 2 : 0];
}

RecordedPattern patternOf(const Epoch& epoch, std::int32_t ranks) {
  RecordedPattern pattern{epoch.samples(), std::vector<Seconds>(static_cast<std::size_t>(ranks))};
  std::vector<bool> is_recorded(pattern.lateness.size(), false);
  std::vector<Seconds> recorded;
  for (const ArrivalRecord* row : epoch.rows) {
    if (!isKnown(*row) || row->rank < 0 || row->rank >= ranks) continue;
    recorded.push_back(latenessOf(*row, pattern.samples));
    pattern.lateness[static_cast<std::size_t>(row->rank)] = recorded.back();
    is_recorded[static_cast<std::size_t>(row->rank)] = true;
  }
  const auto others = static_cast<std::size_t>(std::ranges::count(is_recorded, false));
  const std::vector<Seconds> lateness = latenessesOfOthers(countsOfOthers(epoch), others, secondOf(recorded));
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < pattern.lateness.size(); ++rank) {
    if (!is_recorded[rank]) pattern.lateness[rank] = lateness[next++];
  }
  return pattern;
}

RecordedPattern joined(std::span<const RecordedPattern> patterns) {
  RecordedPattern all{0, std::vector<Seconds>(patterns.front().lateness.size())};
  for (const RecordedPattern& pattern : patterns) {
    all.samples += pattern.samples;
    for (std::size_t rank = 0; rank < all.lateness.size(); ++rank) {
      all.lateness[rank] += static_cast<double>(pattern.samples) * pattern.lateness[rank];
    }
  }
  for (Seconds& lateness : all.lateness) lateness.value /= static_cast<double>(all.samples);
  return all;
}

std::int64_t samplesOf(std::span<const RecordedPattern> patterns) {
  std::int64_t samples = 0;
  for (const RecordedPattern& pattern : patterns) samples += pattern.samples;
  return samples;
}

}  // namespace

std::vector<RecordedPattern> recordedPatterns(std::span<const ArrivalRecord> arrivals,
                                              std::span<const HistogramRecord> histograms, std::int32_t ranks) {
  std::map<std::int64_t, Epoch> epochs;
  for (const ArrivalRecord& row : arrivals) epochs[row.epoch].rows.push_back(&row);
  for (const HistogramRecord& histogram : histograms) epochs[histogram.epoch].histogram = &histogram;
  std::vector<RecordedPattern> patterns;
  for (const auto& [number, epoch] : epochs) {
    const bool has_rows = std::ranges::any_of(epoch.rows, [](const ArrivalRecord* row) { return isKnown(*row); });
    if (has_rows && epoch.samples() > 0) patterns.push_back(patternOf(epoch, ranks));
  }
  return patterns;
}

std::vector<RecordedPattern> joinedPatterns(std::span<const RecordedPattern> patterns, std::size_t most) {
  if (patterns.size() <= most) return {patterns.begin(), patterns.end()};
  const std::int64_t all = samplesOf(patterns);
  std::vector<RecordedPattern> fewer;
  std::size_t first = 0;
  std::int64_t passed = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    passed += patterns[i].samples;
    const double due = static_cast<double>(all) * static_cast<double>(fewer.size() + 1) / static_cast<double>(most);
    if (static_cast<double>(passed) < due && i + 1 < patterns.size()) continue;
    fewer.push_back(joined(patterns.subspan(first, i + 1 - first)));
    first = i + 1;
  }
  return fewer;
}

const RecordedPattern& patternOfCall(std::span<const RecordedPattern> patterns, std::uint64_t call,
                                     std::uint64_t calls) {
  const double place = (static_cast<double>(call) + 0.5) / static_cast<double>(calls);
  const double sought = place * static_cast<double>(samplesOf(patterns));
  double passed = 0.0;
  for (const RecordedPattern& pattern : patterns) {
    passed += static_cast<double>(pattern.samples);
    if (sought < passed) return pattern;
  }
  return patterns.back();
}

}  // namespace starling
