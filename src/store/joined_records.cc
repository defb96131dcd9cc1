#include "store/joined_records.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "store/group_moments.h"

namespace starling {
namespace {

using Time = std::optional<double> ObservationRecord::*;

// Joins one kind of time into `joined`.
void joinTimes(std::span<const ObservationRecord> records, Time mean, Time minimum, Time deviation,
               ObservationRecord& joined) {
  GroupMoments moments;
  bool has_means = joined.samples > 0;
  bool has_minima = has_means;
  bool has_deviations = has_means;
  std::optional<double> least;
  for (const ObservationRecord& record : records) {
    if (record.samples <= 0) continue;
    has_means = has_means && record.*mean;
    has_minima = has_minima && record.*minimum;
    has_deviations = has_deviations && record.*deviation;
    moments.add(record.samples, (record.*mean).value_or(0.0), (record.*deviation).value_or(0.0));
    if (record.*minimum) least = std::min(least.value_or(*(record.*minimum)), *(record.*minimum));
  }
  joined.*mean = has_means ? std::optional(moments.mean()) : std::nullopt;
  joined.*minimum = has_minima ? least : std::nullopt;
  joined.*deviation = has_means && has_deviations ? std::optional(moments.deviation()) : std::nullopt;
}

double totalLateness(const ArrivalRecord& record) { return static_cast<double>(record.samples) * record.mean; }

ArrivalRecord joinedArrivals(const std::vector<const ArrivalRecord*>& records) {
  ArrivalRecord joined = *records.back();
  GroupMoments lateness;
  joined.samples = 0;
  joined.epochs = 0;
  joined.last = 0;
  joined.waited = 0.0;
  for (const ArrivalRecord* record : records) {
    joined.last = joined.last && record->last ? std::optional(*joined.last + *record->last) : std::nullopt;
    joined.waited = joined.waited && record->waited ? std::optional(*joined.waited + *record->waited) : std::nullopt;
    joined.samples += record->samples;
    joined.epochs += record->epochs;
    lateness.add(record->samples, record->mean, record->deviation);
  }
  joined.mean = lateness.mean();
  joined.deviation = lateness.deviation();
  return joined;
}

bool isBefore(const ArrivalRecord& a, const ArrivalRecord& b) { return a.rank < b.rank; }

}  // namespace

ObservationRecord joined(std::span<const ObservationRecord> records) {
  ObservationRecord joined = records.back();
  joined.calls = joined.samples = joined.epochs = 0;
  for (const ObservationRecord& record : records) {
    joined.calls += record.calls;
    joined.samples += record.samples;
    joined.epochs += record.epochs;
  }
  using Record = ObservationRecord;
  joinTimes(records, &Record::elapsed_mean, &Record::elapsed_minimum, &Record::elapsed_deviation, joined);
  joinTimes(records, &Record::post_arrival_mean, &Record::post_arrival_minimum, &Record::post_arrival_deviation,
            joined);
  return joined;
}

HistogramRecord joined(std::span<const HistogramRecord> records) {
  HistogramRecord joined = records.back();
  joined.samples = joined.epochs = 0;
  joined.counts.clear();
  for (const HistogramRecord& record : records) {
    joined.samples += record.samples;
    joined.epochs += record.epochs;
    joined.counts.resize(std::max(joined.counts.size(), record.counts.size()));
    for (std::size_t i = 0; i < record.counts.size(); ++i) joined.counts[i] += record.counts[i];
  }
  return joined;
}

std::vector<ArrivalRecord> joinedByRank(std::span<const ArrivalRecord> records, std::int64_t epoch) {
  std::map<std::int32_t, std::vector<const ArrivalRecord*>> by_rank;
  for (const ArrivalRecord& record : records) by_rank[record.rank].push_back(&record);
  std::vector<ArrivalRecord> joined;
  for (const auto& [rank, of_rank] : by_rank) {
    joined.push_back(joinedArrivals(of_rank));
    joined.back().epoch = epoch;
  }
  if (joined.size() <= kRecordedRanks) return joined;
  std::stable_sort(joined.begin(), joined.end(),
                   [](const auto& a, const auto& b) { return totalLateness(a) > totalLateness(b); });
  joined.resize(kRecordedRanks);
  std::sort(joined.begin(), joined.end(), isBefore);
  return joined;
}

}  // namespace starling
