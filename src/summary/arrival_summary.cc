#include "summary/arrival_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text_format.h"
#include "store/group_moments.h"

namespace starling {
namespace {

struct AccumulatedArrivals {
  RankArrival arrival;
  GroupMoments lateness;
  double error_sum = 0.0;
  std::int64_t errors = 0;
  bool has_prediction = false;

  void add(const ArrivalRecord& record) {
    // What was joined no longer tells what each epoch predicted and measured.
    if (has_prediction && record.samples > 0 && record.epochs == 1) {
      error_sum += std::abs(arrival.predicted.value - record.mean);
      ++errors;
    }
    has_prediction = record.epochs == 1;
    const bool is_first = arrival.samples == 0;
    const bool is_counted = record.last && (is_first || arrival.last);
    arrival.last = is_counted ? std::optional(arrival.last.value_or(0) + *record.last) : std::nullopt;
    arrival.world_rank = record.world_rank;
    arrival.rank = record.rank;
    arrival.samples += record.samples;
    arrival.predicted = Seconds{record.predicted};
    arrival.method = record.method;
    arrival.error = record.error ? std::optional(Seconds{*record.error}) : std::nullopt;
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

double totalLateness(const RankArrival& rank) { return static_cast<double>(rank.samples) * rank.lateness.value; }

// A rank stands out where it is later than the others by more than this.
Seconds thresholdOf(const RankArrival& latest, const RankArrival& second) {
  return std::max({latest.deviation, second.deviation, 0.5 * latest.lateness});
}

bool isEarlier(const RankArrival& a, const RankArrival& b) {
  return std::pair(totalLateness(a), a.lateness) < std::pair(totalLateness(b), b.lateness);
}

// Returns the latest rank but one; nullptr with fewer than two ranks.
const RankArrival* runnerUp(std::span<const RankArrival> ranks, const RankArrival* latest) {
  const RankArrival* second = nullptr;
  for (const RankArrival& rank : ranks) {
    if (&rank != latest && (second == nullptr || isEarlier(*second, rank))) second = &rank;
  }
  return second;
}

}  // namespace

ArrivalHistogram summarizeHistograms(std::span<const HistogramRecord> histograms) {
  ArrivalHistogram all;
  all.records = static_cast<std::int64_t>(histograms.size());
  for (const HistogramRecord& histogram : histograms) {
    all.samples += histogram.samples;
    all.epochs += histogram.epochs;
    all.counts.resize(std::max(all.counts.size(), histogram.counts.size()));
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) all.counts[i] += histogram.counts[i];
  }
  return all;
}

std::vector<RankArrival> summarizeArrivals(std::span<const ArrivalRecord> arrivals,
                                           std::span<const HistogramRecord> histograms) {
  std::map<std::int32_t, AccumulatedArrivals> by_rank;
  for (const ArrivalRecord& record : arrivals) by_rank[record.rank].add(record);
  const std::int64_t timed = summarizeHistograms(histograms).samples;
  std::vector<RankArrival> ranks;
  for (const auto& [rank, accumulated] : by_rank) {
    ranks.push_back(accumulated.finished());
    ranks.back().timed = std::max(timed, ranks.back().samples);
  }
  return ranks;
}

std::vector<std::string> describeRecorded(std::span<const RankArrival> ranks, const ArrivalHistogram& histogram,
                                          std::int32_t size) {
  std::vector<std::string> sentences;
  if (!ranks.empty() && std::cmp_less(ranks.size(), size)) {
    sentences.push_back(
        fmt::format("Of its {} ranks {} were recorded by themselves, because they came late beyond the noise or were "
                    "among the latest; the others are in the histogram alone.",
                    size, ranks.size()));
  }
  const RankArrival* const latest = latestRank(ranks);
  if (latest != nullptr && latest->world_rank && *latest->world_rank != latest->rank) {
    sentences.push_back(
        fmt::format("Ranks are those of the communicator: its latest one, rank {}, is rank {} of "
                    "MPI_COMM_WORLD.",
                    latest->rank, *latest->world_rank));
  }
  if (histogram.isJoined()) {
    sentences.push_back(
        fmt::format("Arrivals of {} epochs are kept in {} record{}: old epochs were joined, which leaves means and "
                    "deviations as they "
                    "were, but not when they were so.",
                    histogram.epochs, histogram.records, histogram.records == 1 ? "" : "s"));
  }
  return sentences;
}

const RankArrival* latestRank(std::span<const RankArrival> ranks) {
  return ranks.empty() ? nullptr : &*std::max_element(ranks.begin(), ranks.end(), isEarlier);
}

const RankArrival* standingOut(std::span<const RankArrival> ranks) {
  const RankArrival* latest = latestRank(ranks);
  const RankArrival* second = runnerUp(ranks, latest);
  if (second == nullptr) return nullptr;
  const bool is_usual = 2 * latest->samples >= latest->timed;
  // One call shows nothing usual.
  return is_usual && latest->samples > 1 && latest->lateness - second->lateness > thresholdOf(*latest, *second)
             ? latest
             : nullptr;
}

std::string describeLatest(std::span<const RankArrival> ranks) {
  const RankArrival* latest = latestRank(ranks);
  if (latest == nullptr) return "No arrivals were recorded.";
  const std::string share = latest->samples < latest->timed
                                ? fmt::format(
                                      " This is of {} of {} timed calls; in the others it was not among the "
                                      "latest.",
                                      latest->samples, latest->timed)
                                : "";
  const std::string deviation =
      latest->samples > 1 ? fmt::format("deviation {}", formatDuration(latest->deviation)) : "in one call";
  if (standingOut(ranks) != nullptr) {
    return fmt::format("Rank {} stands out: it comes {} after the first ({}), {} after the last of the others.{}",
                       latest->rank, formatDuration(latest->lateness), deviation,
                       formatDuration(latest->lateness - runnerUp(ranks, latest)->lateness), share);
  }
  const RankArrival* second = runnerUp(ranks, latest);
  const std::string gap = second == nullptr || latest->samples < 2
                              ? ""
                              : fmt::format(", {} after the last of the others, where more than {} would stand out",
                                            formatDuration(latest->lateness - second->lateness),
                                            formatDuration(thresholdOf(*latest, *second)));
  return fmt::format("No rank stands out: the latest, rank {}, comes {} after the first ({}){}.{}", latest->rank,
                     formatDuration(latest->lateness), deviation, gap, share);
}

}  // namespace starling
