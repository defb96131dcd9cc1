#include "node/node_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace starling {
namespace {

constexpr std::int32_t kFewest = NodeGroups::kMostRanks / 2;  // ranks of a domain that have groups of their own

// Splits each stretch into as few groups as there must be, of sizes that differ by one at most.
std::vector<std::int32_t> sizesWithin(std::span<const std::int32_t> stretches) {
  std::vector<std::int32_t> sizes;
  for (const std::int32_t stretch : stretches) {
    const std::int32_t groups = (stretch + NodeGroups::kMostRanks - 1) / NodeGroups::kMostRanks;
    for (std::int32_t i = 0; i < groups; ++i) sizes.push_back((stretch + i) / groups);
  }
  return sizes;
}

// Returns how many ranks that follow each other, in the order of their places, are of one domain, or join others.
std::vector<std::int32_t> stretchesOf(std::span<const ProcessorPlace> places, std::span<const std::int32_t> order) {
  std::vector<std::int32_t> stretches;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto domain_of = [&](std::size_t at) { return places[static_cast<std::size_t>(order[at])].domain; };
    const bool is_another = i > 0 && domain_of(i) != domain_of(i - 1);
    if (stretches.empty() || (is_another && stretches.back() >= kFewest)) stretches.push_back(0);
    ++stretches.back();
  }
  if (stretches.size() > 1 && stretches.back() < kFewest) {
    const std::int32_t last = stretches.back();
    stretches.pop_back();
    stretches.back() += last;
  }
  return stretches;
}

}  // namespace

template <typename TreeOf>
std::vector<std::int32_t> NodeGroups::addLevel(std::span<const std::int32_t> ranks, std::span<const std::int32_t> sizes,
                                               const TreeOf& tree_of) {
  std::vector<std::int32_t> leaders;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto members = ranks.subspan(begin, static_cast<std::size_t>(sizes[i]));
    const bool is_for_all = levels_ == 0 && sizes.size() == 1;
    if (members.front() == rank_ || is_for_all) groups_.push_back({tree_of(i), {members.begin(), members.end()}});
    leaders.push_back(members.front());
    begin += members.size();
  }
  ++levels_;
  root_ = leaders.front();
  return leaders;
}

NodeGroups NodeGroups::inOrder(std::int32_t ranks, std::int32_t rank) {
  NodeGroups made(rank);
  std::vector<std::int32_t> widths = AssociationTree::widthsOf(ranks);
  std::vector<std::int32_t> operands(static_cast<std::size_t>(ranks));
  std::iota(operands.begin(), operands.end(), 0);
  do {
    const auto places_of = [&](std::size_t group) {
      const std::size_t first = group * kMostRanks;
      return std::span(widths).subspan(first, std::min<std::size_t>(kMostRanks, widths.size() - first));
    };
    std::vector<std::int32_t> sizes;
    for (std::size_t group = 0; group * kMostRanks < widths.size(); ++group) {
      const auto places = places_of(group);
      sizes.push_back(std::accumulate(places.begin(), places.end(), 0));
    }
    operands = made.addLevel(operands, sizes, [&](std::size_t group) { return AssociationTree(places_of(group)); });
    widths.assign(operands.size(), 1);
  } while (operands.size() > 1);
  return made;
}

NodeGroups NodeGroups::byPlace(std::span<const ProcessorPlace> places, std::int32_t rank) {
  NodeGroups made(rank);
  std::vector<std::int32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
    return places[static_cast<std::size_t>(left)] < places[static_cast<std::size_t>(right)];
  });
  std::vector<std::int32_t> stretches{static_cast<std::int32_t>(order.size())};
  if (stretches.front() > kMostRanks) stretches = stretchesOf(places, order);
  do {
    const std::vector<std::int32_t> sizes = sizesWithin(stretches);
    order = made.addLevel(order, sizes, [&](std::size_t group) { return AssociationTree::ofRanks(sizes[group]); });
    stretches = {static_cast<std::int32_t>(order.size())};
  } while (order.size() > 1);
  return made;
}

// Groups by place have half of kMostRanks or more, as those of the first level in order have.
std::int32_t NodeGroups::mostLevels(std::int32_t ranks) {
  std::int32_t levels = 1;
  for (std::int32_t most = ranks <= kMostRanks ? 1 : ranks / kFewest; most > 1;
       most = (most + kMostRanks - 1) / kMostRanks) {
    ++levels;
  }
  return levels;
}

}  // namespace starling
