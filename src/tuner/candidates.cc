#include "tuner/candidates.h"

#include <algorithm>
#include <optional>

#include "algos/flagged.h"
#include "simulator/fewer_ranks.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

// One ranking may simulate so many steps of all ranks: about 60 ms of one core.
constexpr std::int64_t kSimulationBudget = 200'000;

// A setting beyond an algorithm's defaults may take so much of that. Each count of segments that is tried is a multiple
// of the one before, so that all settings of one algorithm take little more than its largest.
constexpr std::int64_t kSettingBudget = kSimulationBudget / 8;

// Tells whether the call itself is simulated; else what is simulated is bounded already.
bool isSimulated(const CandidateQuery& query) { return query.shape.ranks <= kMostSimulatedRanks; }

constexpr std::int64_t kSmallestSegmentBytes = 1024;

Shape shapeOf(const CandidateQuery& query) {
  Shape shape = query.shape;
  shape.topology = &query.topology;
  return shape;
}

std::int64_t stepsOf(const Choice& choice, const CandidateQuery& query) {
  std::int64_t steps = 0;
  for (const Schedule& schedule : buildAll(choice, shapeOf(query), query.lateness_ns))
    steps += std::ssize(schedule.steps);
  return steps;
}

// Returns the most segments with which simulating stays within the budget; steps grow with the segments.
std::int64_t affordable(Choice choice, std::size_t index, const CandidateQuery& query) {
  choice.parameters[index] = 1;
  return std::max<std::int64_t>(kSettingBudget / std::max<std::int64_t>(stepsOf(choice, query), 1), 1);
}

// Returns the segment counts of parameter `index` that are worth simulating.
std::vector<std::int64_t> segmentCounts(const Choice& defaults, std::size_t index, const CandidateQuery& query) {
  const std::int64_t ranks = query.shape.ranks;
  const Parameter& parameter = findAlgorithm(defaults.algorithm)->parameters[index];
  std::vector<std::int64_t> counts{defaults.parameters[index]};
  if (!isSimulated(query)) return counts;
  const std::int64_t most = std::min(parameter.maximum, affordable(defaults, index, query));
  for (const std::int64_t segments : {std::int64_t{4}, std::int64_t{16}, ranks, 4 * ranks, 16 * ranks}) {
    if (segments < parameter.minimum || segments > most || segments == counts.front()) continue;
    if (query.shape.count * query.element_size.value / segments < kSmallestSegmentBytes) continue;
    counts.push_back(segments);
  }
  return counts;
}

Candidate predicted(const CandidateQuery& query, const Choice& choice) {
  return {choice, predictPostArrival(query, choice)};
}

// Returns the candidate of a row that has its segments at parameter `index`.
Candidate withSegments(const Choice& defaults, std::size_t index, const CandidateQuery& query) {
  Choice choice = defaults;
  if (findAlgorithm(defaults.algorithm)->best_segments != nullptr) {
    setBestSegments(choice, query.shape, query.element_size, query.model);
    if (!isSimulated(query)) return predicted(query, choice);
    Choice simulated = choice;
    const std::int64_t wanted = std::max<std::int64_t>(choice.parameters[index], 1);
    simulated.parameters[index] = std::min(wanted, affordable(choice, index, query));
    return {choice, predictPostArrival(query, simulated)};
  }
  Candidate best;
  for (const std::int64_t segments : segmentCounts(defaults, index, query)) {
    choice.parameters[index] = segments;
    const Candidate candidate = predicted(query, choice);
    if (best.choice.algorithm == kNativeAlgorithm || candidate.predicted < best.predicted) best = candidate;
  }
  return best;
}

// Returns the candidate of a row with some of its parameters given.
Candidate withOthers(Choice choice, const CandidateQuery& query) {
  const std::optional<std::size_t> segments = findParameter(*findAlgorithm(choice.algorithm), kSegmentsParameter);
  return segments ? withSegments(choice, *segments, query) : predicted(query, choice);
}

// Returns the best of the defaults and the values that the row wants tried, one parameter after the other.
Candidate withAlternatives(const Choice& choice, const CandidateQuery& query) {
  Candidate best = withOthers(choice, query);
  const std::span<const Parameter> parameters = findAlgorithm(choice.algorithm)->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const std::int64_t value : parameters[i].worth_trying) {
      Choice other = best.choice;
      other.parameters[i] = value;
      const Candidate candidate = withOthers(other, query);
      if (candidate.predicted < best.predicted) best = candidate;
    }
  }
  return best;
}

Candidate candidateOf(const Algorithm& algorithm, const CandidateQuery& query) {
  Choice choice{algorithm.id, defaultParameters(algorithm)};
  setStepTime(choice, query.shape, query.element_size, query.model);
  const Candidate candidate = withAlternatives(choice, query);
  const std::optional<std::size_t> flagged = findParameter(algorithm, kFlaggedParameter);
  if (!flagged || query.unpredicted <= Seconds{} || !query.lateness_ns.empty() || query.shape.ranks < 2) {
    return candidate;
  }
  choice.parameters[*flagged] = 1;
  const Candidate naming = withOthers(choice, query);
  return naming.predicted < candidate.predicted ? naming : candidate;
}

std::vector<Seconds> arrivalsOf(const CandidateQuery& query) {
  std::vector<Seconds> arrivals(static_cast<std::size_t>(query.shape.ranks));
  // Any rank would do but the one that is the coordinator where late ranks are named.
  if (query.lateness_ns.empty()) arrivals[arrivals.size() / 2] = query.unpredicted;
  for (std::size_t i = 0; i < query.lateness_ns.size(); ++i) arrivals[i] = fromNanoseconds(query.lateness_ns[i]);
  return arrivals;
}

}  // namespace

Seconds predictPostArrival(const CandidateQuery& query, const Choice& choice) {
  if (choice.algorithm == kNativeAlgorithm) return {};
  const std::vector<Seconds> arrivals = arrivalsOf(query);
  const Result<Seconds> time =
      predictPostArrivalTime({choice, shapeOf(query), query.element_size, query.model, arrivals, query.lateness_ns});
  return time.isOk() ? time.value() : Seconds{};
}

std::vector<Candidate> rankCandidates(const CandidateQuery& query, std::size_t limit) {
  std::vector<Candidate> ranked;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.id == kNativeAlgorithm || !isValid(algorithm, query.shape)) continue;
    if (query.reproducible && !algorithm.fixed_association) continue;
    if (algorithm.suits_topology != nullptr && !algorithm.suits_topology(&query.topology)) continue;
    ranked.push_back(candidateOf(algorithm, query));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; });
  // A row that is made for the topology is worth a trial whatever is predicted where links are known, of which the
  // model is told nothing.
  const auto follows_topology = [&](const Candidate& candidate) {
    const bool is_placed = findAlgorithm(candidate.choice.algorithm)->suits_topology != nullptr;
    return is_placed && !query.topology.links.empty();
  };
  if (ranked.size() <= limit || limit < 2) {
    ranked.resize(std::min(limit, ranked.size()));
    return ranked;
  }
  const auto left_out =
      std::find_if(ranked.begin() + static_cast<std::ptrdiff_t>(limit), ranked.end(), follows_topology);
  if (left_out != ranked.end()) ranked[limit - 1] = *left_out;
  ranked.resize(limit);
  return ranked;
}

}  // namespace starling
