#include "candidate_summary.h"

#include <algorithm>
#include <map>

#include "moments.h"

namespace starling::cli {
namespace {

struct AccumulatedCalls {
  CandidateSummary summary;
  Moments elapsed;
  Moments post_arrival;

  void add(const ObservationRecord& observation) {
    summary.choice = observation.choice;
    summary.epochs += 1;
    summary.calls += observation.calls;
    if (observation.exploration) summary.exploration_calls += observation.calls;
    if (observation.samples <= 0) return;
    const Seconds minimum{observation.post_arrival_minimum};
    summary.post_arrival_minimum = summary.samples == 0 ? minimum : std::min(summary.post_arrival_minimum, minimum);
    summary.samples += observation.samples;
    elapsed.add(observation.samples, observation.elapsed_mean, 0.0);
    post_arrival.add(observation.samples, observation.post_arrival_mean, observation.post_arrival_deviation);
  }

  CandidateSummary finished() const {
    CandidateSummary result = summary;
    result.elapsed = Seconds{elapsed.mean()};
    result.post_arrival = Seconds{post_arrival.mean()};
    result.post_arrival_deviation = Seconds{post_arrival.deviation()};
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
    if ((a.samples > 0) != (b.samples > 0)) return a.samples > 0;
    return a.post_arrival < b.post_arrival;
  });
  return summaries;
}

const CandidateSummary* findCandidate(std::span<const CandidateSummary> candidates, const std::string& choice) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const CandidateSummary& candidate) { return candidate.choice == choice; });
  return found == candidates.end() ? nullptr : &*found;
}

}  // namespace starling::cli
