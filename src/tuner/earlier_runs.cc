#include "tuner/earlier_runs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "tuner/candidates.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr double kLeastGain = 1.1;  // that is worth having before native was called
// The cost model may be wrong by so much.
constexpr double kModelError = 2.0;

using Kind = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

Kind kindOf(const EarlierPolicy& one) { return {one.record->size_class, one.origin.type, one.origin.operation}; }

bool runTheSame(const EarlierPolicy& a, const EarlierPolicy& b) {
  return a.record->choice == b.record->choice && a.record->table == b.record->table;
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
  struct OfKind {
    const EarlierPolicy* first = nullptr;
    const EarlierPolicy* promising = nullptr;  // the first one that is
    bool is_mixed = false;
  };
  const std::string compared_by = comparedBy(settings.stamps_compare);
  std::map<Kind, OfKind> kinds;
  for (const EarlierPolicy& one : policies) {
    if (one.record->communicator_size != ranks) continue;
    OfKind& kind = kinds[kindOf(one)];
    if (kind.first == nullptr) kind.first = &one;
    kind.is_mixed = kind.is_mixed || !runTheSame(one, *kind.first);
    const bool promises = promisesGain(*one.record) && one.record->compared_by == compared_by;
    if (kind.promising == nullptr && promises) kind.promising = &one;
  }
  std::vector<EarlierPolicy> found;
  for (const auto& [name, kind] : kinds) {
    if (kind.promising != nullptr && !kind.is_mixed) found.push_back(*kind.promising);
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
