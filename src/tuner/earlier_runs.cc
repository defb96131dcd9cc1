#include "tuner/earlier_runs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tuner/candidates.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

// What is hardly faster than native can wait until native was called.
constexpr double kLeastGain = 1.1;
// The cost model may be wrong by so much.
constexpr double kModelError = 2.0;

bool areOfOneKind(const PolicyRecord& a, const PolicyRecord& b) {
  return a.communicator_size == b.communicator_size && a.size_class == b.size_class && a.type == b.type &&
         a.operation == b.operation;
}

std::optional<LatestKeys::Arranged> runsOf(const EarlierPolicy& policy, const TunerSettings& settings,
                                           std::int32_t ranks) {
  const PolicyRecord& record = *policy.record;
  const bool is_sure = record.gain && *record.gain >= kLeastGain &&
                       record.compared_by == std::optional<std::string>(comparedBy(settings.stamps_compare));
  const Result<Choice> choice = parseChoice(record.choice);
  const Shape shape{ranks, policy.longest.count, policy.longest.commutative};
  if (!is_sure || !choice.isOk() || !fitsRanks(record, ranks)) return std::nullopt;
  const Algorithm& algorithm = *findAlgorithm(choice.value().algorithm);
  const bool has_memory = !runsInMemory(algorithm.id) || sharesOneMemory(&settings.topology);
  const bool may_run = has_memory && isValid(algorithm, shape) && isAllowed(algorithm, settings.topology);
  if (algorithm.id == kNativeAlgorithm || !may_run) return std::nullopt;
  LatestKeys::Arranged runs{choice.value(), placementOf(record.table, record.lateness_ns)};
  CandidateQuery query;
  query.shape = shape;
  query.element_size = Bytes{policy.longest.element_size};
  query.model = settings.model;
  query.lateness_ns = record.lateness_ns;
  query.topology = arranged(settings.topology, record.table);
  const Seconds predicted = predictPostArrival(query, runs.choice);
  if (predicted <= Seconds{}) return std::nullopt;
  runs.limit = CallLimit::beside(kModelError * *record.gain * predicted, ranks, settings.model.alpha);
  return runs;
}

}  // namespace

bool fitsRanks(const PolicyRecord& policy, std::int32_t ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  if (!policy.table.empty() && (policy.table.size() != size || !isPermutation(policy.table))) return false;
  return policy.lateness_ns.empty() || policy.lateness_ns.size() == size;
}

std::vector<LatestKeys::Known> choicesOfEarlierRuns(std::span<const EarlierPolicy> policies,
                                                    const TunerSettings& settings, std::int32_t ranks) {
  std::vector<LatestKeys::Known> known;
  for (const EarlierPolicy& policy : policies) {
    const PolicyRecord& record = *policy.record;
    if (record.communicator_size != ranks) continue;
    const auto differs = [&](const EarlierPolicy& other) {
      return areOfOneKind(*other.record, record) && other.record->choice != record.choice;
    };
    if (std::ranges::any_of(policies, differs)) continue;
    std::optional<LatestKeys::Arranged> runs = runsOf(policy, settings, ranks);
    if (!runs) continue;
    known.push_back({shapeOn(settings.topology, ranks, record.size_class), policy.origin, *std::move(runs), nullptr});
  }
  return known;
}

}  // namespace starling
