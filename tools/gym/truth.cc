#include "truth.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "simulator/fewer_ranks.h"
#include "tuner/candidates.h"
#include "tuner/virtual_ranks.h"

namespace starling::gym {
namespace {

constexpr std::size_t kCandidates = 5;  // algorithms in all their forms, of which the best is looked for
constexpr std::array<std::string_view, 3> kCommon{"recursive_doubling", "rabenseifner", "ring"};

std::int64_t rounded(std::int64_t lateness_ns) {
  const int drop = std::max(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(lateness_ns))) - 4, 0);
  return lateness_ns >> drop << drop;
}

std::vector<PlacedRank> rounded(std::span<const PlacedRank> placed) {
  std::vector<PlacedRank> result(placed.begin(), placed.end());
  for (PlacedRank& one : result) one.lateness_ns = rounded(one.lateness_ns);
  return result;
}

// Calls of both keys are of one shape, and their ranks come alike.
bool areAlike(const World& world, std::int32_t key, std::int32_t other) {
  const auto countOf = [&](std::int32_t one) { return world.keys[static_cast<std::size_t>(one)].signature.count; };
  const bool tells_sites = world.arrivals == ArrivalKind::kTwoSites;
  return countOf(key) == countOf(other) && (!tells_sites || key % 2 == other % 2);
}

// The mean pattern of the calls, ranks sorted by it.
std::vector<PlacedRank> sortedByMean(const World& world, const std::vector<const WorldCall*>& calls) {
  std::vector<Seconds> mean(static_cast<std::size_t>(world.ranks));
  for (const WorldCall* call : calls) {
    const std::vector<Seconds>& pattern = world.patterns[static_cast<std::size_t>(call->pattern)];
    for (std::size_t rank = 0; rank < mean.size(); ++rank) {
      mean[rank] += (1.0 / static_cast<double>(calls.size())) * pattern[rank];
    }
  }
  const Seconds latest = *std::max_element(mean.begin(), mean.end());
  if (latest <= Seconds{}) return {};
  const std::vector<std::int32_t> table = sortedTable(mean, orderingNoise(latest));
  std::vector<std::int64_t> lateness_ns;
  for (const std::int32_t rank : table) lateness_ns.push_back(toNanoseconds(mean[static_cast<std::size_t>(rank)]));
  return placementOf(table, lateness_ns);
}

Seconds meanLatest(const World& world, const std::vector<const WorldCall*>& calls) {
  Seconds sum;
  for (const WorldCall* call : calls) {
    sum += *std::ranges::max_element(world.patterns[static_cast<std::size_t>(call->pattern)]);
  }
  return (1.0 / static_cast<double>(calls.size())) * sum;
}

}  // namespace

Shape Truth::shapeOf(const WorldCall& call) const {
  return {.ranks = world_.ranks, .count = world_.keys[static_cast<std::size_t>(call.key)].signature.count};
}

std::uint64_t Truth::hashOf(const WorldCall& call, const Choice& choice, std::span<const PlacedRank> placed) const {
  std::uint64_t hash = mixHash(static_cast<std::uint64_t>(call.pattern), static_cast<std::uint64_t>(call.machine));
  const auto mix = [&hash](std::int64_t value) { hash = mixHash(hash, static_cast<std::uint64_t>(value)); };
  mix(shapeOf(call).count);
  mix(choice.algorithm);
  for (const std::int64_t value : choice.parameters) mix(value);
  for (const PlacedRank& one : placed) {
    mix(one.rank);
    mix(one.place);
    mix(one.lateness_ns);
  }
  return hash;
}

Seconds Truth::timeOf(const WorldCall& call, const Choice& choice, std::span<const PlacedRank> placed) {
  const bool is_native = choice.algorithm == kNativeAlgorithm;
  const std::vector<PlacedRank> arranged = is_native ? std::vector<PlacedRank>{} : rounded(placed);
  const auto [found, is_new] = times_.try_emplace(hashOf(call, choice, arranged));
  if (is_new) {
    const Seconds time = is_native ? nativeTime(call) : simulated(call, choice, arranged);
    times_[hashOf(call, choice, arranged)] = time;  // simulating may have moved what `found` points to
    return time;
  }
  return found->second;
}

Seconds Truth::nativeTime(const WorldCall& call) {
  Seconds least{std::numeric_limits<double>::infinity()};
  for (const std::string_view name : kCommon) {
    const Choice choice = parseChoice(name).value();
    if (isValid(*findAlgorithm(choice.algorithm), shapeOf(call))) least = std::min(least, timeOf(call, choice, {}));
  }
  return world_.machines[static_cast<std::size_t>(call.machine)].native_factor * least;
}

Seconds Truth::simulated(const WorldCall& call, const Choice& choice, std::span<const PlacedRank> placed) {
  const Machine& machine = world_.machines[static_cast<std::size_t>(call.machine)];
  const ExpandedPlacement placement = expanded(placed, world_.ranks);
  std::vector<Seconds> arrivals = world_.patterns[static_cast<std::size_t>(call.pattern)];
  if (!placement.table.empty()) {
    const std::vector<Seconds> by_rank = arrivals;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      arrivals[i] = by_rank[static_cast<std::size_t>(placement.table[i])];
    }
  }
  const Bytes element{world_.keys[static_cast<std::size_t>(call.key)].signature.element_size};
  const Seconds time =
      predictPostArrivalTime({choice, shapeOf(call), element, machine.model, arrivals, placement.lateness_ns}).value();
  // The first to leave may do so before the last has come; nothing is measured so finely.
  const Seconds least = 0.1 * machine.model.alpha;
  return machine.row_factors[static_cast<std::size_t>(choice.algorithm)] * std::max(time, least);
}

Arranged Truth::bestPlan(std::int32_t key, std::size_t first, std::size_t last) {
  std::vector<const WorldCall*> calls;
  for (std::size_t i = first; i < last; ++i) {
    if (areAlike(world_, key, world_.calls[i].key)) calls.push_back(&world_.calls[i]);
  }
  if (calls.empty()) return {};
  std::vector<Arranged> plans{{}};
  const CostModel& model = world_.machines[static_cast<std::size_t>(calls.front()->machine)].model;
  const Bytes element{world_.keys[static_cast<std::size_t>(key)].signature.element_size};
  const std::vector<PlacedRank> sorted = sortedByMean(world_, calls);
  for (const bool is_sorted : {false, true}) {
    if (is_sorted && sorted.empty()) continue;
    const std::vector<PlacedRank> placed = is_sorted ? sorted : std::vector<PlacedRank>{};
    CandidateQuery query{.shape = shapeOf(*calls.front()),
                         .element_size = element,
                         .model = model,
                         .lateness_ns = expanded(placed, world_.ranks).lateness_ns,
                         .unpredicted = {.latest = is_sorted ? Seconds{} : meanLatest(world_, calls)}};
    std::set<std::int32_t> algorithms;
    for (const Candidate& candidate : rankCandidates(query)) {
      algorithms.insert(candidate.choice.algorithm);
      if (algorithms.size() > kCandidates) break;
      plans.push_back({candidate.choice, placed});
    }
  }
  const auto costOf = [&](const Arranged& plan) {
    Seconds sum;
    for (const WorldCall* call : calls) sum += timeOf(*call, plan.choice, plan.placed);
    return sum;
  };
  return *std::ranges::min_element(plans, {}, costOf);
}

}  // namespace starling::gym
