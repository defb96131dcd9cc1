#include "tuner/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>

#include "algos/flagged.h"
#include "algos/schedule_bytes.h"
#include "algos/tree_search.h"
#include "simulator/fewer_ranks.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

// One ranking may simulate so many steps of all ranks: about 5 ms of one core.
constexpr std::int64_t kSimulationBudget = 20'000;

// A setting beyond an algorithm's defaults may take so much of that. Each count of segments that is tried is four times
// the one before, so that all settings of one algorithm take little more than its largest.
constexpr std::int64_t kSettingBudget = kSimulationBudget / 8;

// Tells whether the call itself is simulated; else what is simulated is bounded already.
bool isSimulated(const CandidateQuery& query) { return query.shape.ranks <= kMostSimulatedRanks; }

constexpr std::int64_t kSmallestSegmentBytes = 1024;

// Other parameters are tried where the usual ones are predicted to take no more than so many times the least.
constexpr double kWorthVarying = 2.0;

// Simulating one other number of segments takes about as long as a call of this. Where the fastest row takes less,
// others are tried only of rows that take no more than so many times that.
constexpr Seconds kShortCall{100e-6};
constexpr double kWorthSegmentsOfShort = 1.5;

// Still more segments, or fewer, are tried where the latest step has left no more than this of the time.
constexpr double kWorthGoingOn = 0.9;

// Of rows that take no more than so many times the least it is simulated what naming late ranks by flags costs where
// these are predicted.
constexpr double kWorthNaming = 1.2;

// Of rows that take so many times the least it does not matter by how much: the tuner believes predictions within a
// third.
constexpr double kHopeless = 2.0;

// A row that was given up with its usual parameters takes longer with these than it is predicted to, so that others may
// take so many times that.
constexpr double kAtLeastBeyond = 1.25;

// Of those that take so many times the least a rough prediction will do: one smaller call in place of two.
constexpr double kFarBehind = 1.5;

std::vector<Seconds> arrivalsOf(const CandidateQuery& query) {
  if (query.lateness_ns.empty()) return usualArrivals(query.unpredicted, query.shape.ranks);
  std::vector<Seconds> arrivals;
  for (const std::int64_t one : query.lateness_ns) arrivals.push_back(fromNanoseconds(one));
  return arrivals;
}

// Simulations of one ranking use the same memory, one after the other.
constexpr std::size_t kScratchBytes = 1 << 20;

// Says how well a time must be known: of more than `limit` only that it is, and of more than `roughly_from` roughly, as
// CallToPredict says it.
struct Precision {
  Seconds limit{HUGE_VAL};
  Seconds roughly_from{HUGE_VAL};
};

// Predicts what choices take in one call.
class Predictor {
 public:
  explicit Predictor(const CandidateQuery& query)
      : query_(query),
        sizes_(sizesOfNodes(&query.topology, query.shape.ranks)),
        arrivals_(arrivalsOf(query)),
        scratch_(new std::byte[kScratchBytes]) {
    if (!isSimulated(query)) sample_ = sampleOf(callOf(kNativeChoice, {}));
  }

  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  const CandidateQuery& query() const { return query_; }

  // Refers to this object.
  Shape shape() const {
    Shape shape = query_.shape;
    shape.topology = &query_.topology;
    shape.node_sizes = &sizes_;
    return shape;
  }

  // What chunks hide is left out: they are taken where they are worth it by a closed form.
  Seconds predict(Choice choice, const Precision& precision) const {
    leaveWhole(choice);
    const Result<Seconds> time = predictPostArrivalTime(callOf(choice, precision));
    return time.isOk() ? time.value() : Seconds{};
  }

 private:
  CallToPredict callOf(const Choice& choice, const Precision& precision) const {
    return {.choice = choice,
            .shape = shape(),
            .element_size = query_.element_size,
            .model = query_.model,
            .arrivals = arrivals_,
            .lateness_ns = query_.lateness_ns,
            .limit = precision.limit,
            .roughly_from = precision.roughly_from,
            .sample = sample_ ? &*sample_ : nullptr,
            .scratch = {scratch_.get(), kScratchBytes}};
  }

  const CandidateQuery& query_;
  const NodeSizes sizes_;
  const std::vector<Seconds> arrivals_;
  std::optional<RankSample> sample_;
  std::unique_ptr<std::byte[]> scratch_;
};

std::int64_t stepsOf(const Choice& choice, const Predictor& predictor) {
  std::int64_t steps = 0;
  for (const Schedule& schedule : buildAll(choice, predictor.shape(), predictor.query().lateness_ns))
    steps += std::ssize(schedule.steps);
  return steps;
}

// Returns the most segments with which simulating stays within the budget; steps grow with the segments.
std::int64_t affordable(Choice choice, std::size_t index, const Predictor& predictor) {
  choice.parameters[index] = 1;
  return std::max<std::int64_t>(kSettingBudget / std::max<std::int64_t>(stepsOf(choice, predictor), 1), 1);
}

bool leavesLongParts(const CandidateQuery& query, std::int64_t parts) {
  return query.shape.count * query.element_size.value / parts >= kSmallestSegmentBytes;
}

// Returns the segment counts of parameter `index` that are worth simulating beside the usual one, rising.
std::vector<std::int64_t> segmentCounts(const Choice& usual, std::size_t index, const Predictor& predictor) {
  const CandidateQuery& query = predictor.query();
  const std::int64_t ranks = query.shape.ranks;
  const Parameter& parameter = findAlgorithm(usual.algorithm)->parameters[index];
  std::vector<std::int64_t> counts;
  if (!isSimulated(query)) return counts;
  const std::int64_t most = std::min(parameter.maximum, affordable(usual, index, predictor));
  for (std::int64_t segments = 4; segments <= std::min(16 * ranks, most); segments *= 4) {
    const bool is_other = segments >= parameter.minimum && segments != usual.parameters[index];
    if (is_other && leavesLongParts(query, segments)) counts.push_back(segments);
  }
  return counts;
}

// Returns the candidate with these parameters, and the segments and chunks of the row's closed forms, where it has
// some.
Candidate withBestSegments(Choice choice, const Predictor& predictor, const Precision& precision) {
  const CandidateQuery& query = predictor.query();
  setBestChunks(choice, predictor.shape(), query.element_size, query.model);
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kSegmentsParameter);
  if (!index || algorithm.best_segments == nullptr) return {choice, predictor.predict(choice, precision)};
  setBestSegments(choice, predictor.shape(), query.element_size, query.model);
  if (!isSimulated(query)) return {choice, predictor.predict(choice, precision)};
  Choice simulated = choice;
  const std::int64_t wanted = std::max<std::int64_t>(choice.parameters[*index], 1);
  simulated.parameters[*index] = std::min(wanted, affordable(choice, *index, predictor));
  return {choice, predictor.predict(simulated, precision)};
}

Candidate usualOf(const Algorithm& algorithm, const Predictor& predictor, const Precision& precision) {
  const CandidateQuery& query = predictor.query();
  Choice choice{algorithm.id, defaultParameters(algorithm)};
  setStepTime(choice, query.shape, query.element_size, query.model);
  return withBestSegments(choice, predictor, precision);
}

// Returns the better one of the candidate and the best that differs from it in its segments, where these have no closed
// form. `least` is what the fastest row takes. More segments hide more from each other, until what each of them costs
// outweighs that: where one step from count to count gains little, those beyond it gain less.
Candidate withSegmentsTried(const Candidate& usual, const Predictor& predictor, Seconds least) {
  if (least < kShortCall && usual.predicted > kWorthSegmentsOfShort * least) return usual;
  const Algorithm& algorithm = *findAlgorithm(usual.choice.algorithm);
  const std::optional<std::size_t> index = findParameter(algorithm, kSegmentsParameter);
  if (!index || algorithm.best_segments != nullptr) return usual;
  const std::vector<std::int64_t> counts = segmentCounts(usual.choice, *index, predictor);
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
double gainOf(const CandidateQuery& query) { return isSimulated(query) ? 1.0 : 0.9; }

// Returns which part of the choice's time is left by closed form with another value of parameter `index`, where both
// have segments; else 0. The least of (S + d) (a + n b / S), where S is sqrt(d n b / a), is n b (1 + S a / (n b))^2.
double shareLeftByClosedForm(const Choice& choice, std::size_t index, std::int64_t value, const Predictor& predictor) {
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

// Returns the best of the usual parameters and the values that the row wants tried, one parameter after the other.
Candidate withAlternatives(const Candidate& usual, const Predictor& predictor, Seconds least) {
  Candidate best = withSegmentsTried(usual, predictor, least);
  const std::span<const Parameter> parameters = findAlgorithm(usual.choice.algorithm)->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool are_parts = parameters[i].name == kTreesParameter;
    const auto try_value = [&](std::int64_t value) {
      if (are_parts && !leavesLongParts(predictor.query(), value)) return;
      Choice other = best.choice;
      other.parameters[i] = value;
      const Seconds limit = gainOf(predictor.query()) * (best.takes_longer ? kAtLeastBeyond : 1.0) * best.predicted;
      const Candidate candidate = withSegmentsTried(withBestSegments(other, predictor, {limit}), predictor, least);
      if (candidate.predicted < limit) best = candidate;
    };
    std::ranges::for_each(parameters[i].worth_trying, try_value);
    if (predictor.query().lateness_ns.empty()) continue;
    for (const std::int64_t value : parameters[i].worth_trying_late) {
      if (shareLeftByClosedForm(best.choice, i, value, predictor) < gainOf(predictor.query())) try_value(value);
    }
  }
  return best;
}

// Tells whether some rank is late, as far as is known.
bool isAnyLate(const CandidateQuery& query) {
  return query.unpredicted.latest > Seconds{} || !query.lateness_ns.empty();
}

// Naming late ranks takes two messages, one after the other.
Seconds timeToName(const CandidateQuery& query) { return 2.0 * query.model.alpha; }

// Returns the row with late ranks named by flags where that is simulated in no other way.
Candidate assumedFlagged(const Choice& choice, const Candidate& usual, const CandidateQuery& query) {
  const bool is_useless = !isAnyLate(query) && query.arrivals_are_known;
  return {choice, usual.predicted + timeToName(query), usual.takes_longer || is_useless, !query.arrivals_are_known};
}

// Returns whether the row may be planned: it suits the call, and its schedule takes no more memory than any may.
bool isWorthRanking(const Algorithm& algorithm, const Predictor& predictor) {
  const CandidateQuery& query = predictor.query();
  if (algorithm.id == kNativeAlgorithm || !isValid(algorithm, query.shape)) return false;
  if (query.reproducible && !algorithm.fixed_association) return false;
  if (!isAllowed(algorithm, query.topology)) return false;
  if (algorithm.suits_topology != nullptr && !algorithm.suits_topology(&query.topology)) return false;
  Choice usual{algorithm.id, defaultParameters(algorithm)};
  setBestSegments(usual, predictor.shape(), query.element_size, query.model);
  return scheduleBytes(algorithm, predictor.shape(), usual.parameters) <= kMostScheduleBytes;
}

// Returns whether its usual parameters make a chain of ranks, as others may not.
bool mayLeaveChain(const Candidate& candidate) {
  const Algorithm& algorithm = *findAlgorithm(candidate.choice.algorithm);
  const bool has_others = std::ranges::any_of(
      algorithm.parameters, [](const Parameter& parameter) { return !parameter.worth_trying.empty(); });
  return has_others && algorithm.chains_ranks != nullptr && algorithm.chains_ranks(candidate.choice.parameters);
}

// Returns a time that the fastest row hardly ever exceeds: 2.5 times that of one that halves the vector in each round,
// and then puts it together again.
Seconds assumedLeast(const CandidateQuery& query) {
  if (isSimulated(query)) return Seconds{HUGE_VAL};
  const auto bytes = static_cast<double>(query.shape.count * query.element_size.value);
  const double rounds = 2.0 * std::log2(query.shape.ranks);
  return 2.5 * Seconds{rounds * query.model.alpha.value + 2.0 * bytes * query.model.beta};
}

// The model is told nothing of links, and little of memory that ranks share: what it predicts of a row that is made for
// these does not tell that it is not worth a trial.
bool followsTopology(const Candidate& candidate, const CandidateQuery& query) {
  const bool is_placed = findAlgorithm(candidate.choice.algorithm)->suits_topology != nullptr;
  return is_placed && (!query.topology.links.empty() || query.topology.shares_memory);
}

// Returns the rows that may be planned; first those that are likely to be the fastest, so that others are given up
// early.
std::vector<const Algorithm*> rowsToRank(const Predictor& predictor) {
  std::vector<const Algorithm*> rows;
  for (const Algorithm& algorithm : catalogue()) {
    if (isWorthRanking(algorithm, predictor)) rows.push_back(&algorithm);
  }
  if (!predictor.query().lateness_ns.empty()) {
    std::stable_partition(rows.begin(), rows.end(), [](const Algorithm* row) { return row->uses_arrivals; });
  }
  return rows;
}

// Returns all rows that may be planned, with their usual parameters. Of many ranks, those are given up that take far
// longer than the fastest, which is thought to take no more than assumedLeast().
std::vector<Candidate> usualCandidates(const Predictor& predictor) {
  const CandidateQuery& query = predictor.query();
  const Seconds assumed = assumedLeast(query);
  std::vector<Candidate> candidates;
  std::vector<Seconds> limits;
  Seconds least{HUGE_VAL};  // of those that were not given up
  for (const Algorithm* algorithm : rowsToRank(predictor)) {
    limits.push_back(isSimulated(query) ? assumed : kHopeless * std::min(assumed, least));
    candidates.push_back(usualOf(*algorithm, predictor, {limits.back(), kFarBehind * least}));
    if (candidates.back().predicted <= limits.back()) least = std::min(least, candidates.back().predicted);
  }
  // Where it takes longer than that, some were given up too early.
  for (std::size_t i = 0; i < candidates.size() && least > assumed; ++i) {
    const Seconds limit = kHopeless * least;
    if (candidates[i].predicted <= limits[i] || candidates[i].predicted > limit) continue;
    candidates[i] = usualOf(*findAlgorithm(candidates[i].choice.algorithm), predictor, {limit, kFarBehind * least});
    limits[i] = limit;
    least = std::min(least, candidates[i].predicted);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].takes_longer = candidates[i].predicted > limits[i];
  }
  std::ranges::sort(candidates, {}, [](const Candidate& candidate) { return candidate.choice.algorithm; });
  return candidates;
}

// Tries other parameters of rows that are not far behind with the usual ones, or that may be so for these alone, and
// adds the rows that can name late ranks, in that form.
void varyTheBest(std::vector<Candidate>& candidates, const Predictor& predictor) {
  if (candidates.empty()) return;
  const CandidateQuery& query = predictor.query();
  const Seconds least = std::ranges::min(candidates, {}, &Candidate::predicted).predicted;
  std::vector<Candidate> flagged;
  for (Candidate& candidate : candidates) {
    const Candidate usual = candidate;
    const bool is_varied = usual.predicted <= kWorthVarying * least || mayLeaveChain(usual);
    if (is_varied) candidate = withAlternatives(usual, predictor, least);
    const std::optional<Choice> naming = otherForm(candidate.choice);
    if (!naming || query.shape.ranks < 2) continue;
    const bool is_promising = query.lateness_ns.empty() || candidate.predicted <= kWorthNaming * least;
    if (!is_varied || !isAnyLate(query) || !is_promising) {
      flagged.push_back(assumedFlagged(*naming, candidate, query));
      continue;
    }
    const Seconds limit = kHopeless * least;
    flagged.push_back(withBestSegments(*naming, predictor, {limit}));
    flagged.back().takes_longer = flagged.back().predicted > limit;
    flagged.back().is_guess = !query.arrivals_are_known;
  }
  candidates.insert(candidates.end(), flagged.begin(), flagged.end());
}

}  // namespace

Seconds predictPostArrival(const CandidateQuery& query, const Choice& choice) {
  if (choice.algorithm == kNativeAlgorithm) return {};
  return Predictor(query).predict(choice, {});
}

std::vector<Candidate> rankCandidates(const CandidateQuery& query, std::size_t limit) {
  const Predictor predictor(query);
  std::vector<Candidate> ranked = usualCandidates(predictor);
  varyTheBest(ranked, predictor);
  for (Candidate& candidate : ranked)
    candidate.takes_longer = candidate.takes_longer && !followsTopology(candidate, query);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; });
  if (ranked.size() <= limit || limit < 2) {
    ranked.resize(std::min(limit, ranked.size()));
    return ranked;
  }
  const auto left_out = std::find_if(ranked.begin() + static_cast<std::ptrdiff_t>(limit), ranked.end(),
                                     [&](const Candidate& candidate) { return followsTopology(candidate, query); });
  if (left_out != ranked.end()) ranked[limit - 1] = *left_out;
  ranked.resize(limit);
  return ranked;
}

std::vector<Candidate> bestForms(const std::vector<Candidate>& ranked) {
  std::vector<Candidate> best;
  for (const Candidate& candidate : ranked) {
    const auto is_other_form = [&](const Candidate& one) { return one.choice.algorithm == candidate.choice.algorithm; };
    if (std::ranges::none_of(best, is_other_form)) best.push_back(candidate);
  }
  return best;
}

}  // namespace starling
