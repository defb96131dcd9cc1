#include "tuner/candidates.h"

#include <algorithm>
#include <string_view>

namespace starling {
namespace {

// Steps of all ranks that one ranking may simulate: about 60 ms of one core.
constexpr std::int64_t kSimulationBudget = 200'000;

// Of that, a setting beyond an algorithm's defaults. Four algorithms have segments, and each count tried is a multiple
// of the one before, so that all settings of one take little more than its largest.
constexpr std::int64_t kSettingBudget = kSimulationBudget / 8;

// The largest communicator whose ring (2 P (P-1) steps) is within the budget for a dozen candidates.
bool fitsBudget(std::int32_t ranks) { return 24LL * ranks * ranks <= kSimulationBudget; }

constexpr std::int64_t kSmallestSegmentBytes = 1024;

std::int64_t stepsOf(const Choice& choice, const Shape& shape) {
  std::int64_t steps = 0;
  for (const Schedule& schedule : buildAll(choice, shape, {})) steps += std::ssize(schedule.steps);
  return steps;
}

// The segment counts of parameter `index` that are worth simulating; steps grow with the segments.
std::vector<std::int64_t> segmentCounts(const Choice& defaults, std::size_t index, const CandidateQuery& query) {
  const std::int64_t ranks = query.shape.ranks;
  if (!fitsBudget(query.shape.ranks)) return {};
  const Parameter& parameter = findAlgorithm(defaults.algorithm)->parameters[index];
  Choice whole = defaults;
  whole.parameters[index] = 1;
  const std::int64_t steps = stepsOf(whole, query.shape);
  std::vector<std::int64_t> counts;
  for (const std::int64_t segments : {std::int64_t{4}, std::int64_t{16}, ranks, 4 * ranks, 16 * ranks}) {
    if (segments < parameter.minimum || segments > parameter.maximum) continue;
    if (query.shape.count * query.element_size.value / segments < kSmallestSegmentBytes) continue;
    if (segments * steps <= kSettingBudget) counts.push_back(segments);
  }
  return counts;
}

// Parameter settings to try: for each algorithm its defaults, and where it has segments the counts that measurements
// showed to matter (a chain of P ranks needs many more segments than ranks).
std::vector<Choice> settingsOf(const Algorithm& algorithm, const CandidateQuery& query) {
  std::vector<Choice> settings{{algorithm.id, defaultParameters(algorithm)}};
  setStepTime(settings.front(), query.shape, query.element_size, query.model);
  for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
    if (algorithm.parameters[i].name != std::string_view("segments")) continue;
    for (const std::int64_t segments : segmentCounts(settings.front(), i, query)) {
      settings.push_back(settings.front());
      settings.back().parameters[i] = segments;
    }
  }
  return settings;
}

std::vector<Seconds> arrivalsOf(const CandidateQuery& query) {
  std::vector<Seconds> arrivals(static_cast<std::size_t>(query.shape.ranks));
  for (std::size_t i = 0; i < query.lateness_ns.size(); ++i) arrivals[i] = fromNanoseconds(query.lateness_ns[i]);
  return arrivals;
}

}  // namespace

Seconds predictPostArrival(const CandidateQuery& query, const Choice& choice) {
  if (choice.algorithm == kNativeAlgorithm || !fitsBudget(query.shape.ranks)) return {};
  const std::vector<Schedule> schedules = buildAll(choice, query.shape, query.lateness_ns);
  const std::vector<Seconds> arrivals = arrivalsOf(query);
  const Result<SimulatedCall> call = simulate(schedules, query.element_size, query.model, arrivals);
  return call.isOk() ? postArrivalTime(call.value(), arrivals) : Seconds{};
}

std::vector<Candidate> rankCandidates(const CandidateQuery& query, std::size_t limit) {
  std::vector<Candidate> ranked;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.id == kNativeAlgorithm || !isValid(algorithm, query.shape)) continue;
    std::vector<Candidate> settings;
    for (const Choice& choice : settingsOf(algorithm, query)) {
      settings.push_back({choice, predictPostArrival(query, choice)});
    }
    ranked.push_back(*std::min_element(settings.begin(), settings.end(), [](const Candidate& a, const Candidate& b) {
      return a.predicted < b.predicted;
    }));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; });
  if (ranked.size() > limit) ranked.resize(limit);
  return ranked;
}

}  // namespace starling
