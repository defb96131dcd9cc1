#include "tuner/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "algos/flagged.h"
#include "algos/schedule_bytes.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

// Other parameters are tried where the usual ones are predicted to take no more than so many times the least.
constexpr double kWorthVarying = 2.0;

// Of rows that take no more than so many times the least it is simulated what naming late ranks by flags costs where
// these are predicted.
constexpr double kWorthNaming = 1.2;

// Of rows that take so many times the least it does not matter by how much: the tuner believes predictions within a
// third.
constexpr double kHopeless = 2.0;

// Of those that take so many times the least a rough prediction will do: one smaller call in place of two.
constexpr double kFarBehind = 1.5;

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
bool isWorthRanking(const Algorithm& algorithm, const CallPredictor& predictor) {
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
Seconds assumedLeast(const CallPredictor& predictor) {
  if (predictor.isSimulated()) return Seconds{HUGE_VAL};
  const CandidateQuery& query = predictor.query();
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
std::vector<const Algorithm*> rowsToRank(const CallPredictor& predictor) {
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
std::vector<Candidate> usualCandidates(const CallPredictor& predictor) {
  const Seconds assumed = assumedLeast(predictor);
  std::vector<Candidate> candidates;
  std::vector<Seconds> limits;
  Seconds least{HUGE_VAL};  // of those that were not given up
  for (const Algorithm* algorithm : rowsToRank(predictor)) {
    limits.push_back(predictor.isSimulated() ? assumed : kHopeless * std::min(assumed, least));
    candidates.push_back(withUsualParameters(*algorithm, predictor, {limits.back(), kFarBehind * least}));
    if (candidates.back().predicted <= limits.back()) least = std::min(least, candidates.back().predicted);
  }
  // Where it takes longer than that, some were given up too early.
  for (std::size_t i = 0; i < candidates.size() && least > assumed; ++i) {
    const Seconds limit = kHopeless * least;
    if (candidates[i].predicted <= limits[i] || candidates[i].predicted > limit) continue;
    candidates[i] =
        withUsualParameters(*findAlgorithm(candidates[i].choice.algorithm), predictor, {limit, kFarBehind * least});
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
void varyTheBest(std::vector<Candidate>& candidates, const CallPredictor& predictor) {
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

std::vector<Candidate> rankCandidates(const CandidateQuery& query) {
  const CallPredictor predictor(query);
  std::vector<Candidate> ranked = usualCandidates(predictor);
  varyTheBest(ranked, predictor);
  for (Candidate& candidate : ranked)
    candidate.takes_longer = candidate.takes_longer && !followsTopology(candidate, query);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; });
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
