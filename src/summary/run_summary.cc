#include "summary/run_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "store/hosts.h"
#include "summary/arrival_summary.h"
#include "summary/communicator_names.h"
#include "summary/native_comparison.h"
#include "summary/site_name.h"

namespace starling {
namespace {

// Where allreduce takes less of a run there is nothing to be won.
constexpr double kLeastShare = 0.01;

using Observations = std::span<const ObservationRecord>;

// Returns the share of the time in calls that was spent before the last rank came, where the database says only what
// was observed: older Starlings wrote no more.
std::optional<double> shareWaiting(Observations observations) {
  double waiting = 0.0;
  double elapsed = 0.0;
  for (const ObservationRecord& one : observations) {
    if (one.samples <= 0) continue;
    if (!one.elapsed_mean || !one.post_arrival_mean) return std::nullopt;
    waiting += static_cast<double>(one.calls) * (*one.elapsed_mean - *one.post_arrival_mean);
    elapsed += static_cast<double>(one.calls) * *one.elapsed_mean;
  }
  return elapsed > 0.0 ? std::optional(std::clamp(waiting / elapsed, 0.0, 1.0)) : std::nullopt;
}

std::optional<double> waitingIn(const KeyRecord& key, Observations observations) {
  if (!key.seconds) return std::nullopt;
  if (key.waiting) return std::clamp(*key.waiting, 0.0, *key.seconds);
  const std::optional<double> share = shareWaiting(observations);
  return share ? std::optional(*share * *key.seconds) : std::nullopt;
}

// Adds up for whom the others waited, over all keys.
class Latest {
 public:
  // `waiting` is what was waited in all calls of the key, and `share` the part of all ranks that call it.
  void add(double waiting, double share, std::span<const ArrivalRecord> arrivals,
           std::span<const HistogramRecord> histograms) {
    const auto timed = static_cast<double>(summarizeHistograms(histograms).samples);
    all_ += share * waiting;
    for (const ArrivalRecord& one : arrivals) {
      if (!one.world_rank || (!one.waited && (!one.last || timed <= 0.0))) continue;
      // Older Starlings wrote only how often it came last.
      const double waited = one.waited ? *one.waited : waiting * static_cast<double>(*one.last) / timed;
      ranks_[*one.world_rank] += share * waited;
    }
  }

  std::optional<LatestRank> found(const std::string& hosts) const {
    const auto latest =
        std::ranges::max_element(ranks_, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (latest == ranks_.end() || latest->second <= 0.0 || all_ <= 0.0) return std::nullopt;
    const auto [rank, waited] = *latest;
    return LatestRank{rank, std::string(hostOf(hosts, rank)), std::min(waited / all_, 1.0)};
  }

 private:
  std::map<std::int64_t, double> ranks_;  // seconds, by rank in MPI_COMM_WORLD
  double all_ = 0.0;
};

// Adds `part`, of which each of `share` of all ranks has so much; the sum is known where a part is.
void add(std::optional<double>& sum, const std::optional<double>& part, double share) {
  if (part) sum = sum.value_or(0.0) + share * *part;
}

// Returns which part of the run's ranks calls the key.
double shareOfRanks(const Run& run, const KeyRow& key) {
  return static_cast<double>(key.communicator.size) / std::max(run.environment.ranks, 1);
}

// Returns what was spent in the calls of keys and in those that no key has, in seconds; empty: none was timed.
std::optional<double> sumOfTimes(const Run& run, std::span<const KeyRow> keys) {
  std::optional<double> sum;
  for (const KeyRow& key : keys) add(sum, key.key.seconds, shareOfRanks(run, key));
  if (run.beside_keys.seconds.value_or(0.0) > 0.0) add(sum, run.beside_keys.seconds, 1.0);
  return sum;
}

// Where threads call at the same time, sums are of more than the run took: then all are as much smaller.
void fitIntoRun(const Run& run, RunSummary& summary) {
  if (!summary.seconds || !run.seconds || *summary.seconds <= *run.seconds) return;
  const double share = *run.seconds / *summary.seconds;
  summary.seconds = run.seconds;
  summary.adds_up_to_more = true;
  for (std::optional<double>* sum : {&summary.waiting, &summary.saved, &summary.saved_error, &summary.exploring}) {
    if (*sum) **sum *= share;
  }
}

}  // namespace

std::optional<double> timeInAllreduce(const Run& run, std::span<const KeyRow> keys) {
  const std::optional<double> sum = sumOfTimes(run, keys);
  return sum && run.seconds ? std::min(sum, run.seconds) : sum;
}

Result<RunSummary> summarizeRun(const Reader& reader, const RunRow& run) {
  Result<std::vector<KeyRow>> keys = reader.keys(run.number);
  if (!keys.isOk()) return keys.status();
  RunSummary summary;
  summary.run = run;
  Latest latest;
  double squared_error = 0.0;
  bool is_any_saved_known = false;  // of calls that took the place of native's
  const std::vector<std::string> communicators = communicatorNames(keys.value());
  NativeComparison comparison(reader, keys.value());
  for (std::size_t i = 0; i < keys.value().size(); ++i) {
    const KeyRow& row = keys.value()[i];
    const auto observations = reader.observations(row.number);
    if (!observations.isOk()) return observations.status();
    const auto arrivals = reader.arrivals(row.number);
    if (!arrivals.isOk()) return arrivals.status();
    const auto histograms = reader.histograms(row.number);
    if (!histograms.isOk()) return histograms.status();
    KeySummary& key =
        summary.keys.emplace_back(KeySummary{.row = row, .site = siteName(row.site), .communicator = communicators[i]});
    const KeyRecord& record = key.row.key;
    key.waiting = waitingIn(record, observations.value());
    if (const Status compared = comparison.compare(observations.value(), key); !compared.isOk()) return compared;
    const double share = shareOfRanks(run.run, row);
    add(summary.waiting, key.waiting, share);
    add(summary.saved, key.saved, share);
    add(summary.exploring, key.exploring, share);
    if (record.seconds && !key.waiting) summary.is_waiting_partial = true;
    if (key.saved && (*key.saved != 0.0 || key.saved_error != 0.0)) is_any_saved_known = true;
    if (!key.saved && isTuned(record)) ++summary.unclear_keys;
    squared_error += std::pow(share * key.saved_error.value_or(0.0), 2);
    latest.add(key.waiting.value_or(0.0), share, arrivals.value(), histograms.value());
  }
  // What other keys left to native saved is nothing, but that is not what one asks for.
  if (summary.unclear_keys > 0 && !is_any_saved_known) summary.saved.reset();
  if (summary.saved) summary.saved_error = std::sqrt(squared_error);
  summary.seconds = sumOfTimes(run.run, keys.value());
  const double beside = run.run.beside_keys.seconds.value_or(0.0);
  if (beside > 0.0 && beside >= kLeastShare * *summary.seconds) summary.is_waiting_partial = true;
  fitIntoRun(run.run, summary);
  summary.latest = latest.found(run.run.hosts);
  return summary;
}

bool isWorthTelling(const RunSummary& summary) {
  if (!summary.seconds) return false;
  return !summary.run.run.seconds || *summary.seconds >= kLeastShare * *summary.run.run.seconds;
}

}  // namespace starling
