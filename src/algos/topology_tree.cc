// A reduction and a broadcast go along trees that take the heaviest links. One tree has few messages, for short
// vectors; of several, each takes a part of the vector and has a root and, as far as there are any, links of its own.
// The trees follow the ranks wherever the virtual-rank table puts them.
#include <algorithm>

#include "algos/row.h"
#include "algos/tree_search.h"
#include "schedule/partition.h"

namespace starling {
namespace {

// A rank has one child for each time that the ranks below it are cut in halves. Trees beyond the elements carry
// nothing.
std::int64_t topologyTreeSteps(const Shape& shape, const ParameterValues& parameters) {
  const std::int64_t trees =
      std::max<std::int64_t>(std::min({parameters[0], std::int64_t{shape.ranks}, shape.count}), 1);
  return treeSteps(trees * ceilLog2(shape.ranks), parameters[1], partOf({0, shape.count}, trees, 0).count);
}

bool hasTrees(const Topology* topology, std::int64_t trees) {
  return topology != nullptr && std::ssize(topology->trees) >= trees;
}

// Where the trees are not made yet, this counts the weights, the trees, and all that is searched of a few ranks.
std::int64_t topologyTreeWorkBytes(const Shape& shape, const ParameterValues& parameters) {
  const std::int64_t trees = std::min<std::int64_t>(parameters[0], shape.ranks);
  constexpr std::int64_t kBytesPerPlace = 512;
  constexpr std::int64_t kBytesOfSearch = 1 << 18;
  const std::int64_t ranks = shape.ranks;
  const std::int64_t made = ranks * ranks * std::int64_t{sizeof(std::int64_t)} +
                            trees * ranks * std::int64_t{sizeof(TreeLink)} + ranks * kBytesPerPlace + kBytesOfSearch;
  return trees * kBytesPerPlace + (hasTrees(shape.topology, trees) ? 0 : made);
}

std::pmr::vector<TreePlace> placesIn(const BuildRequest& request, std::int32_t trees) {
  const Shape& shape = request.shape;
  std::pmr::vector<TreePlace> places(request.memory);
  places.reserve(static_cast<std::size_t>(trees));
  if (hasTrees(shape.topology, trees)) {
    for (std::int32_t tree = 0; tree < trees; ++tree) {
      places.push_back(placeIn(shape.topology->trees[tree], request.virtual_rank, shape.table, request.memory));
    }
    return places;
  }
  for (const TreeLinks& tree : topologyTrees(shape.topology, shape.ranks, trees, shape.table, request.memory)) {
    places.push_back(placeIn(tree, request.virtual_rank, {}, request.memory));
  }
  return places;
}

Schedule buildTopologyTree(const BuildRequest& request) {
  const Shape& shape = request.shape;
  const Block whole{0, shape.count};
  const auto trees = static_cast<std::int32_t>(std::min<std::int64_t>(request.parameters[0], shape.ranks));
  const std::int64_t longest = partOf(whole, trees, 0).count;
  const auto segments = static_cast<std::int32_t>(std::min(request.parameters[1], longest));
  const std::pmr::vector<TreePlace> places = placesIn(request, trees);
  std::int64_t links = 0;
  for (const TreePlace& place : places) links += std::ssize(place.children) + (place.parent >= 0 ? 1 : 0);
  ScheduleWriter writer(request.seat(), trees * segments, request.room(treeSteps(links, segments, longest)));
  const auto load_of = [&](std::int32_t tree) {
    return TreeLoad{partOf(whole, trees, tree), segments, tree * segments};
  };
  for (std::int32_t tree = 0; tree < trees; ++tree) writeReduction(writer, places[tree], load_of(tree));
  for (std::int32_t tree = 0; tree < trees; ++tree) writeBroadcast(writer, places[tree], load_of(tree));
  return std::move(writer).finish();
}

bool hasFewEnoughRanksForTrees(const Shape& shape) { return shape.ranks <= kMaxLinkedRanks; }

constexpr std::int64_t kTreesWorthTrying[] = {4, kMaxTrees};
constexpr Parameter kTopologyTreeParameters[] = {
    {kTreesParameter.data(), 1, kMaxTrees, 1, "", "each takes a part of the vector; one for short vectors",
     kTreesWorthTrying},
    kTreeSegments,
    kWindow,
    kPacing};

}  // namespace

constexpr Algorithm kTopologyTreeRow{
    .id = 14,
    .name = "topology_tree",
    .what =
        "reduces and broadcasts along balanced trees that take the heaviest links; of several trees each carries a "
        "part of the vector.",
    .trade_off =
        "along the heaviest links, for networks whose links differ; one tree for short vectors, several for "
        "long ones",
    .parameters = kTopologyTreeParameters,
    .keeps_rank_order = false,
    .uses_arrivals = false,
    .suits_topology = tellsApart,
    .is_valid = hasFewEnoughRanksForTrees,
    .build = buildTopologyTree,
    .max_steps = topologyTreeSteps,
    .work_bytes = topologyTreeWorkBytes,
    .valid_text = "up to 128 ranks, any count",
    .cost = "2 log2 P (a + n b/S) + 2 (S - 1) n b/S log2 P with one tree; T trees share the links that there are",
    .source = "MXNet, single-machine all-reduce topology-aware communication (2018); Kernighan, Lin 1970",
    .openmpi_nearest = "nonoverlapping"};

}  // namespace starling
