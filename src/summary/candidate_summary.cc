#include "summary/candidate_summary.h"

#include <algorithm>
#include <map>

#include "store/group_moments.h"

namespace starling {
namespace {

// Adds up one kind of time, epoch after epoch. What one epoch lacks is not known of all of them.
struct AccumulatedTime {
  GroupMoments moments;
  TimeSummary summary;
  bool has_epoch = false;
  bool has_means = true;
  bool has_minima = true;
  bool has_deviations = true;
  std::int64_t all_samples = 0;

  void add(std::int64_t samples, const TimeSummary& epoch) {
    has_epoch = true;
    has_means = has_means && epoch.mean;
    has_minima = has_minima && epoch.minimum;
    has_deviations = has_deviations && epoch.deviation;
    all_samples += samples;
    moments.add(samples, epoch.mean.value_or(0.0), epoch.deviation.value_or(0.0));
    if (epoch.minimum) summary.minimum = std::min(summary.minimum.value_or(*epoch.minimum), *epoch.minimum);
  }

  TimeSummary finished() const {
    TimeSummary result;
    if (!has_epoch || !has_means) return result;
    result.mean = moments.mean();
    if (has_minima) result.minimum = summary.minimum;
    if (has_deviations && all_samples > 1) result.deviation = moments.deviation();
    return result;
  }
};

struct AccumulatedCalls {
  CandidateSummary summary;
  AccumulatedTime elapsed;
  AccumulatedTime post_arrival;

  void add(const ObservationRecord& observation) {
    summary.choice = observation.choice;
    summary.epochs += observation.epochs;
    summary.records += 1;
    summary.calls += observation.calls;
    if (observation.exploration) summary.exploration_calls += observation.calls;
    if (observation.samples <= 0) return;
    summary.samples += observation.samples;
    elapsed.add(observation.samples,
                {observation.elapsed_mean, observation.elapsed_minimum, observation.elapsed_deviation});
    post_arrival.add(observation.samples, {observation.post_arrival_mean, observation.post_arrival_minimum,
                                           observation.post_arrival_deviation});
  }

  CandidateSummary finished() const {
    CandidateSummary result = summary;
    result.elapsed = elapsed.finished();
    result.post_arrival = post_arrival.finished();
    return result;
  }
};

}  // namespace

std::vector<CandidateSummary> summarizeCandidates(std::span<const ObservationRecord> observations) {
  std::map<std::string, AccumulatedCalls> by_choice;
  for (const ObservationRecord& observation : observations) by_choice[observation.choice].add(observation);
  std::vector<CandidateSummary> summaries;
  for (const auto& [choice, accumulated] : by_choice) summaries.push_back(accumulated.finished());
  std::stable_sort(summaries.begin(), summaries.end(), [](const CandidateSummary& a, const CandidateSummary& b) {
    const std::optional<double>& first = a.compared().mean;
    const std::optional<double>& second = b.compared().mean;
    return first && (!second || *first < *second);
  });
  return summaries;
}

const CandidateSummary* findCandidate(std::span<const CandidateSummary> candidates, const std::string& choice) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const CandidateSummary& candidate) { return candidate.choice == choice; });
  return found == candidates.end() ? nullptr : &*found;
}

std::optional<double> usualTime(std::span<const ObservationRecord> observations, const std::string& choice) {
  std::vector<std::pair<double, double>> means;  // with how many samples each has
  double samples = 0.0;
  for (const ObservationRecord& one : observations) {
    if (one.choice != choice || one.samples <= 0 || !comparedMean(one)) continue;
    means.emplace_back(*comparedMean(one), static_cast<double>(one.samples));
    samples += means.back().second;
  }
  std::ranges::sort(means);
  double seen = 0.0;
  for (const auto& [mean, of_mean] : means) {
    seen += of_mean;
    if (2.0 * seen >= samples) return mean;
  }
  return std::nullopt;
}

}  // namespace starling
