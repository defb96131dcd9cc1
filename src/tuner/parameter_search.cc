#include "tuner/parameter_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "algos/tree_search.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

// One ranking may simulate so many steps of all ranks: about 5 ms of one core.
constexpr std::int64_t kSimulationBudget = 20'000;

// A setting beyond an algorithm's defaults may take so much of that. Each count of segments that is tried is four times
// the one before, so that all settings of one algorithm take little more than its largest.
constexpr std::int64_t kSettingBudget = kSimulationBudget / 8;

constexpr std::int64_t kSmallestSegmentBytes = 1024;

// Another number of segments is simulated where that takes no longer than a call of the fastest row, so that ranking
// rows for short calls, which have little to gain, takes little. One step of a rank takes about so long.
constexpr Seconds kSimulatedStep{100e-9};

// Where the fastest row takes less than this, other numbers are tried only of rows that take no more than so many times
// that.
constexpr Seconds kShortCall{100e-6};
constexpr double kWorthSegmentsOfShort = 1.5;

// Still more segments, or fewer, are tried where the latest step has left no more than this of the time.
constexpr double kWorthGoingOn = 0.9;

// A row that was given up with its usual parameters takes longer with these than it is predicted to, so that others may
// take so many times that.
constexpr double kAtLeastBeyond = 1.25;

std::int64_t stepsOf(const Choice& choice, const CallPredictor& predictor) {
  std::int64_t steps = 0;
  for (const Schedule& schedule : buildAll(choice, predictor.shape(), predictor.query().lateness_ns))
    steps += std::ssize(schedule.steps);
  return steps;
}

// Returns the most segments with which simulating takes no more than so many steps, which grow with the segments, but 1
// at least.
std::int64_t affordable(Choice choice, std::size_t index, const CallPredictor& predictor, std::int64_t budget) {
  choice.parameters[index] = 1;
  return std::max<std::int64_t>(budget / std::max<std::int64_t>(stepsOf(choice, predictor), 1), 1);
}

bool leavesLongParts(const CandidateQuery& query, std::int64_t parts) {
  return query.shape.count * query.element_size.value / parts >= kSmallestSegmentBytes;
}

// Returns the segment counts of parameter `index` that are worth simulating beside the usual one, rising, where the
// fastest row takes `least`.
std::vector<std::int64_t> segmentCounts(const Choice& usual, std::size_t index, const CallPredictor& predictor,
                                        Seconds least) {
  const CandidateQuery& query = predictor.query();
  const std::int64_t ranks = query.shape.ranks;
  const Parameter& parameter = findAlgorithm(usual.algorithm)->parameters[index];
  std::vector<std::int64_t> counts;
  if (!predictor.isSimulated()) return counts;
  for (std::int64_t segments = 4; segments <= std::min(16 * ranks, parameter.maximum); segments *= 4) {
    const bool is_other = segments >= parameter.minimum && segments != usual.parameters[index];
    if (is_other && leavesLongParts(query, segments)) counts.push_back(segments);
  }
  if (counts.empty()) return counts;
  const auto budget = static_cast<std::int64_t>(std::min<double>(kSettingBudget, least / kSimulatedStep));
  const std::int64_t most = affordable(usual, index, predictor, budget);
  std::erase_if(counts, [most](std::int64_t segments) { return segments > most; });
  return counts;
}

// Returns the better one of the candidate and the best that differs from it in its segments, where these have no closed
// form. `least` is what the fastest row takes. More segments hide more from each other, until what each of them costs
// outweighs that: where one step from count to count gains little, those beyond it gain less.
Candidate withSegmentsTried(const Candidate& usual, const CallPredictor& predictor, Seconds least) {
  if (least < kShortCall && usual.predicted > kWorthSegmentsOfShort * least) return usual;
  const Algorithm& algorithm = *findAlgorithm(usual.choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kSegmentsParameter);
  if (!index || algorithm.best_segments != nullptr) return usual;
  const std::vector<std::int64_t> counts = segmentCounts(usual.choice, *index, predictor, least);
  Candidate best = usual;
  const auto try_in_turn = [&](auto next, auto end) {
    for (; next != end; ++next) {
      Choice choice = usual.choice;
      choice.parameters[*index] = *next;
      const Candidate candidate{choice, predictor.predict(choice, {best.predicted})};
      const bool goes_on = candidate.predicted < kWorthGoingOn * best.predicted;
      if (candidate.predicted < best.predicted) best = candidate;
      if (!goes_on) return;
    }
  };
  const auto first_above = std::ranges::upper_bound(counts, usual.choice.parameters[*index]);
  try_in_turn(first_above, counts.end());
  const bool is_above = best.choice.parameters != usual.choice.parameters;
  if (!is_above) try_in_turn(std::make_reverse_iterator(first_above), counts.rend());
  return best;
}

// Returns which share of the time of the usual parameters other ones may take to be preferred. What is predicted from
// fewer ranks is not exact.
double gainOf(const CallPredictor& predictor) { return predictor.isSimulated() ? 1.0 : 0.9; }

// Returns which part of the choice's time is left by closed form with another value of parameter `index`, where both
// have segments; else 0. The least of (S + d) (a + n b / S), where S is sqrt(d n b / a), is n b (1 + S a / (n b))^2.
double shareLeftByClosedForm(const Choice& choice, std::size_t index, std::int64_t value,
                             const CallPredictor& predictor) {
  const CandidateQuery& query = predictor.query();
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  ParameterValues other = choice.parameters;
  other[index] = value;
  if (algorithm.best_segments == nullptr || query.model.alpha <= Seconds{}) return 0.0;
  const double transfers = transfersOf(query.shape, query.element_size, query.model);
  const std::optional<double> before = algorithm.best_segments(predictor.shape(), choice.parameters, transfers);
  const std::optional<double> after = algorithm.best_segments(predictor.shape(), other, transfers);
  if (!before || !after || transfers <= 0.0) return 0.0;
  return std::pow((transfers + *after) / (transfers + *before), 2.0);
}

}  // namespace

Candidate withBestSegments(Choice choice, const CallPredictor& predictor, const Precision& precision) {
  const CandidateQuery& query = predictor.query();
  setBestChunks(choice, predictor.shape(), query.element_size, query.model);
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kSegmentsParameter);
  if (!index || algorithm.best_segments == nullptr) return {choice, predictor.predict(choice, precision)};
  setBestSegments(choice, predictor.shape(), query.element_size, query.model);
  if (!predictor.isSimulated()) return {choice, predictor.predict(choice, precision)};
  Choice simulated = choice;
  const std::int64_t wanted = choice.parameters[*index];
  if (wanted > 1)
    simulated.parameters[*index] = std::min(wanted, affordable(choice, *index, predictor, kSettingBudget));
  return {choice, predictor.predict(simulated, precision)};
}

Candidate withUsualParameters(const Algorithm& algorithm, const CallPredictor& predictor, const Precision& precision) {
  const CandidateQuery& query = predictor.query();
  Choice choice{algorithm.id, defaultParameters(algorithm)};
  setStepTime(choice, query.shape, query.element_size, query.model);
  return withBestSegments(choice, predictor, precision);
}

Candidate withAlternatives(const Candidate& usual, const CallPredictor& predictor, Seconds least) {
  Candidate best = withSegmentsTried(usual, predictor, least);
  const std::span<const Parameter> parameters = findAlgorithm(usual.choice.algorithm)->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool are_parts = parameters[i].name == kTreesParameter;
    const auto try_value = [&](std::int64_t value) {
      if (are_parts && !leavesLongParts(predictor.query(), value)) return;
      Choice other = best.choice;
      other.parameters[i] = value;
      const Seconds limit = gainOf(predictor) * (best.takes_longer ? kAtLeastBeyond : 1.0) * best.predicted;
      const Candidate candidate = withSegmentsTried(withBestSegments(other, predictor, {limit}), predictor, least);
      if (candidate.predicted < limit) best = candidate;
    };
    std::ranges::for_each(parameters[i].worth_trying, try_value);
    if (predictor.query().lateness_ns.empty()) continue;
    for (const std::int64_t value : parameters[i].worth_trying_late) {
      if (shareLeftByClosedForm(best.choice, i, value, predictor) < gainOf(predictor)) try_value(value);
    }
  }
  return best;
}

}  // namespace starling
