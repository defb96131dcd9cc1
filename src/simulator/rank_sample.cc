#include "simulator/rank_sample.h"

#include <algorithm>
#include <span>

#include "algos/topology.h"

namespace starling {
namespace {

// Returns no nodes where ranks do not share them.
NodeMembers nodeMembers(std::int32_t ranks, std::span<const std::int32_t> nodes) {
  const Topology topology{.nodes = {nodes.begin(), nodes.end()}};
  return sharesNodes(&topology) ? ranksOfNodes(&topology, ranks) : NodeMembers{};
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
  const auto lateness_of = [&](std::int32_t rank) { return lateness[static_cast<std::size_t>(rank)]; };
  std::vector<std::int32_t> sizes;
  for (Unit& unit : by_lateness_) {
    const auto members = std::span(ranks_).subspan(unit.first, unit.end - unit.first);
    if (!std::ranges::is_sorted(members, {}, lateness_of)) std::ranges::stable_sort(members, {}, lateness_of);
    unit.lateness = lateness_of(members.back());
    unit.late = static_cast<std::int32_t>(
        std::ranges::count_if(members, [&](std::int32_t rank) { return lateness_of(rank) > earliest; }));
    late_units_ += unit.late > 0 ? 1 : 0;
    sizes.push_back(unit.size());
  }
  std::ranges::nth_element(sizes, sizes.begin() + std::ssize(sizes) / 2);
  ranks_of_unit_ = sizes[sizes.size() / 2];
  const bool is_sorted = std::ranges::is_sorted(by_lateness_, {}, &Unit::lateness);
  if (!is_sorted) std::ranges::stable_sort(by_lateness_, {}, &Unit::lateness);
}

double RankSample::meanRanksOfUnit(std::int32_t of_each) const {
  std::int64_t ranks = 0;
  for (const Unit& unit : by_lateness_) ranks += std::min(unit.size(), of_each);
  return static_cast<double>(ranks) / units();
}

// Returns how many ranks are taken of the unit where few late ones are all taken, and two others.
std::int32_t RankSample::withLate(const Unit& unit, std::int32_t of_each) {
  const std::int32_t wanted = unit.late <= kFewLate ? std::max(of_each, unit.late + 2) : of_each;
  return std::min(wanted, unit.size());
}

std::int32_t RankSample::beyond(std::int32_t of_each) const {
  std::int32_t more = 0;
  for (const Unit& unit : by_lateness_) more += std::max(withLate(unit, of_each) - of_each, 0);
  return more;
}

void RankSample::takeFrom(const Unit& unit, std::int32_t number_of_ranks, std::vector<SampledRank>& ranks) const {
  const auto members = std::span(ranks_).subspan(unit.first, unit.end - unit.first);
  const auto take_evenly = [&](std::span<const std::int32_t> from, std::size_t number) {
    const double stands_for = static_cast<double>(from.size()) / static_cast<double>(number);
    for (std::size_t i = 1; i <= number; ++i) ranks.push_back({from[i * from.size() / number - 1], stands_for});
  };
  const std::size_t number = std::min(members.size(), static_cast<std::size_t>(number_of_ranks));
  const auto late = static_cast<std::size_t>(unit.late);
  if (unit.late > kFewLate || late == members.size()) return take_evenly(members, number);
  // Two of them come in time, as far as may be, so that there is something that a late one waits for.
  const std::size_t in_time = members.size() - late;
  const std::size_t fewest_in_time = std::min<std::size_t>(number - 1, 2);
  const std::size_t kept_in_time = std::min(in_time, std::max(number - std::min(number, late), fewest_in_time));
  take_evenly(members.first(in_time), kept_in_time);
  take_evenly(members.last(late), number - kept_in_time);
}

std::vector<SampledRank> RankSample::choose(std::int32_t units, std::int32_t latest, std::int32_t of_each,
                                            bool keeps_late) const {
  const std::int64_t others = this->units() - latest;
  const std::int64_t wanted = units - latest;
  std::vector<SampledRank> ranks;
  const auto take = [&](std::int64_t place, double like_it) {
    const Unit& unit = by_lateness_[place];
    const std::size_t first = ranks.size();
    takeFrom(unit, keeps_late ? withLate(unit, of_each) : of_each, ranks);
    for (SampledRank& sampled : std::span(ranks).subspan(first)) sampled.of_all = like_it * sampled.stands_for;
  };
  for (std::int64_t i = 1; i <= wanted; ++i) {
    take(i * others / wanted - 1, static_cast<double>(others) / static_cast<double>(wanted));
  }
  for (std::int64_t place = others; place < this->units(); ++place) take(place, 1.0);
  if (!std::ranges::is_sorted(ranks, {}, &SampledRank::rank)) std::ranges::sort(ranks, {}, &SampledRank::rank);
  return ranks;
}

}  // namespace starling
