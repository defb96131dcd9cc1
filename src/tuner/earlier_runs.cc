#include "tuner/earlier_runs.h"

#include <algorithm>
#include <string>

#include "tuner/candidates.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr double kLeastGain = 1.1;  // that is worth having before native was called
// The cost model may be wrong by so much.
constexpr double kModelError = 2.0;

bool areOfOneKind(const EarlierPolicy& a, const EarlierPolicy& b) {
  return a.record->communicator_size == b.record->communicator_size && a.record->size_class == b.record->size_class &&
         a.origin.type == b.origin.type && a.origin.operation == b.origin.operation;
}

double gainOf(const EarlierPolicy& policy) { return policy.record->gain.value_or(0.0); }

}  // namespace

bool fitsRanks(const PolicyRecord& policy, std::int32_t ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  if (!policy.table.empty() && (policy.table.size() != size || !isPermutation(policy.table))) return false;
  const auto is_negative = [](std::int64_t lateness_ns) { return lateness_ns < 0; };
  if (std::ranges::any_of(policy.lateness_ns, is_negative)) return false;
  return policy.lateness_ns.empty() || policy.lateness_ns.size() == size;
}

bool promisesGain(const PolicyRecord& policy) { return policy.gain.value_or(0.0) >= kLeastGain; }

std::vector<EarlierPolicy> foretellingPolicies(std::span<const EarlierPolicy> policies, const TunerSettings& settings,
                                               std::int32_t ranks) {
  std::vector<EarlierPolicy> of_ranks;
  for (const EarlierPolicy& one : policies) {
    if (one.record->communicator_size == ranks) of_ranks.push_back(one);
  }
  const std::string compared_by = comparedBy(settings.stamps_compare);
  std::vector<EarlierPolicy> found;
  for (const EarlierPolicy& one : of_ranks) {
    const auto is_like = [&](const EarlierPolicy& other) { return areOfOneKind(one, other); };
    const auto differs = [&](const EarlierPolicy& other) {
      return is_like(other) && (other.record->choice != one.record->choice || other.record->table != one.record->table);
    };
    if (!promisesGain(*one.record) || one.record->compared_by != compared_by) continue;
    if (std::ranges::any_of(found, is_like) || std::ranges::any_of(of_ranks, differs)) continue;
    found.push_back(one);
  }
  std::ranges::stable_sort(found, {}, [](const EarlierPolicy& one) { return gainOf(one); });
  return found;
}

std::optional<LatestKeys::Arranged> choiceOfEarlierRun(const EarlierPolicy& policy, const TunerSettings& settings,
                                                       std::int32_t ranks) {
  const PolicyRecord& record = *policy.record;
  const Result<Choice> choice = parseChoice(record.choice);
  const Shape shape{ranks, policy.longest.count, policy.longest.commutative};
  if (!choice.isOk() || !fitsRanks(record, ranks)) return std::nullopt;
  const Algorithm& algorithm = *findAlgorithm(choice.value().algorithm);
  const bool has_memory = !runsInMemory(algorithm.id) || sharesOneMemory(&settings.topology);
  const bool may_run = has_memory && isValid(algorithm, shape) && isAllowed(algorithm, settings.topology);
  if (algorithm.id == kNativeAlgorithm || !may_run) return std::nullopt;
  CandidateQuery query;
  query.shape = shape;
  query.element_size = Bytes{policy.longest.element_size};
  query.model = settings.model;
  query.lateness_ns = record.lateness_ns;
  query.topology = arranged(settings.topology, record.table);
  const Seconds predicted = predictPostArrival(query, {algorithm.id, defaultParameters(algorithm)});
  if (predicted <= Seconds{}) return std::nullopt;
  LatestKeys::Arranged runs{choice.value(), placementOf(record.table, record.lateness_ns)};
  const double gain = std::min(gainOf(policy), kMostLearnedGain);
  runs.limit = CallLimit::beside(kModelError * gain * predicted, ranks, settings.model.alpha);
  runs.limit.cold = KeyCosts::coldCallsOf(algorithm.id, predicted);
  runs.is_of_earlier_run = true;
  return runs;
}

}  // namespace starling
