#include "arrival_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "moments.h"
#include "text_format.h"

namespace starling::cli {
namespace {

struct AccumulatedArrivals {
  RankArrival arrival;
  Moments lateness;
  double error_sum = 0.0;
  std::int64_t errors = 0;
  bool has_prediction = false;

  void add(const ArrivalRecord& record) {
    if (has_prediction && record.samples > 0) {
      error_sum += std::abs(arrival.predicted.value - record.mean);
      ++errors;
    }
    has_prediction = true;
    arrival.rank = record.rank;
    arrival.samples += record.samples;
    arrival.predicted = Seconds{record.predicted};
    arrival.method = record.method;
    lateness.add(record.samples, record.mean, record.deviation);
  }

  RankArrival finished() const {
    RankArrival result = arrival;
    result.lateness = Seconds{lateness.mean()};
    result.deviation = Seconds{lateness.deviation()};
    if (errors > 0) result.prediction_error = Seconds{error_sum / static_cast<double>(errors)};
    return result;
  }
};

bool isEarlier(const RankArrival& a, const RankArrival& b) { return a.lateness < b.lateness; }

// Returns the latest rank but one; nullptr with fewer than two ranks.
const RankArrival* runnerUp(std::span<const RankArrival> ranks, const RankArrival* latest) {
  const RankArrival* second = nullptr;
  for (const RankArrival& rank : ranks) {
    if (&rank != latest && (second == nullptr || isEarlier(*second, rank))) second = &rank;
  }
  return second;
}

}  // namespace

std::vector<RankArrival> summarizeArrivals(std::span<const ArrivalRecord> arrivals) {
  std::map<std::int32_t, AccumulatedArrivals> by_rank;
  for (const ArrivalRecord& record : arrivals) by_rank[record.rank].add(record);
  std::vector<RankArrival> ranks;
  for (const auto& [rank, accumulated] : by_rank) ranks.push_back(accumulated.finished());
  return ranks;
}

const RankArrival* latestRank(std::span<const RankArrival> ranks) {
  return ranks.empty() ? nullptr : &*std::max_element(ranks.begin(), ranks.end(), isEarlier);
}

const RankArrival* standingOut(std::span<const RankArrival> ranks) {
  const RankArrival* latest = latestRank(ranks);
  const RankArrival* second = runnerUp(ranks, latest);
  if (second == nullptr) return nullptr;
  const Seconds gap = latest->lateness - second->lateness;
  const Seconds noise = std::max(latest->deviation, second->deviation);
  return gap > noise && gap >= 0.5 * latest->lateness ? latest : nullptr;
}

std::string describeLatest(std::span<const RankArrival> ranks) {
  const RankArrival* latest = latestRank(ranks);
  if (latest == nullptr) return "No arrivals were recorded.";
  if (standingOut(ranks) != nullptr) {
    return fmt::format(
        "Rank {} stands out: it comes {} after the first (deviation {}), {} after the last of the others.",
        latest->rank, formatDuration(latest->lateness), formatDuration(latest->deviation),
        formatDuration(latest->lateness - runnerUp(ranks, latest)->lateness));
  }
  return fmt::format("No rank stands out: the latest, rank {}, comes {} after the first (deviation {}).", latest->rank,
                     formatDuration(latest->lateness), formatDuration(latest->deviation));
}

}  // namespace starling::cli
