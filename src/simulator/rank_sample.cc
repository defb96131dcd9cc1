#include "simulator/rank_sample.h"

#include <algorithm>

#include "algos/topology.h"

namespace starling {
namespace {

// Fewer nodes than this would leave no smaller number of them that still tells traffic within and between them apart.
constexpr std::size_t kFewestSampledNodes = 4;

// Returns no nodes where they are too few, or where ranks do not share them.
NodeMembers nodeMembers(std::int32_t ranks, std::span<const std::int32_t> nodes) {
  const Topology topology{.nodes = {nodes.begin(), nodes.end()}};
  if (!sharesNodes(&topology)) return {};
  NodeMembers members = ranksOfNodes(&topology, ranks);
  return members.size() < kFewestSampledNodes ? NodeMembers{} : members;
}

}  // namespace

RankSample::RankSample(std::span<const Seconds> lateness, std::span<const std::int32_t> nodes) {
  const auto ranks = static_cast<std::int32_t>(lateness.size());
  ranks_.reserve(lateness.size());
  for (const auto& members : nodeMembers(ranks, nodes)) {
    by_lateness_.push_back({ranks_.size(), ranks_.size() + members.size()});
    ranks_.insert(ranks_.end(), members.begin(), members.end());
  }
  for (std::int32_t rank = 0; rank < ranks && ranks_.size() < lateness.size(); ++rank) {
    by_lateness_.push_back({ranks_.size(), ranks_.size() + 1});
    ranks_.push_back(rank);
  }
  const Seconds earliest = *std::ranges::min_element(lateness);
  for (Unit& unit : by_lateness_) {
    for (std::size_t i = unit.first; i < unit.end; ++i) unit.lateness = std::max(unit.lateness, lateness[ranks_[i]]);
    late_units_ += unit.lateness > earliest ? 1 : 0;
  }
  const bool is_sorted = std::ranges::is_sorted(by_lateness_, {}, &Unit::lateness);
  if (!is_sorted) std::ranges::stable_sort(by_lateness_, {}, &Unit::lateness);
}

std::vector<std::int32_t> RankSample::choose(std::int32_t units, std::int32_t latest) const {
  const std::int64_t others = this->units() - latest;
  const std::int64_t wanted = units - latest;
  std::vector<std::int32_t> ranks;
  const auto take = [&](std::int64_t place) {
    const Unit& unit = by_lateness_[place];
    for (std::size_t i = unit.first; i < unit.end; ++i) ranks.push_back(ranks_[i]);
  };
  for (std::int64_t i = 1; i <= wanted; ++i) take(i * others / wanted - 1);
  for (std::int64_t place = others; place < this->units(); ++place) take(place);
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace starling
