// Topology trees: a reduction and a broadcast along trees that take the heaviest links. One tree has few messages, for
// short vectors; of several each takes a part of the vector, with a root and, as far as there are any, links of its
// own. The trees follow the ranks wherever the
// virtual-rank table puts them.
#include <algorithm>

#include "algos/builders.h"
#include "algos/partition.h"
#include "algos/topology_trees.h"

namespace starling {

Schedule buildTopologyTree(const BuildRequest& request) {
  const std::int32_t ranks = request.shape.ranks;
  const Block whole{0, request.shape.count};
  const auto trees = static_cast<std::int32_t>(std::min<std::int64_t>(request.parameters[0], ranks));
  const std::int64_t longest = partOf(whole, trees, 0).count;
  const auto segments = static_cast<std::int32_t>(std::min(request.parameters[1], longest));
  ScheduleWriter writer(request, trees * segments);
  const Topology* topology = request.shape.topology;
  const bool is_made = topology != nullptr && std::ssize(topology->trees) >= trees;
  const std::vector<TreeLinks> links = is_made ? topology->trees : topologyTrees(topology, ranks, trees);
  std::vector<TreePlace> places;
  for (std::int32_t tree = 0; tree < trees; ++tree) places.push_back(placeIn(links[tree], request.virtual_rank));
  const auto load_of = [&](std::int32_t tree) {
    return TreeLoad{partOf(whole, trees, tree), segments, tree * segments};
  };
  for (std::int32_t tree = 0; tree < trees; ++tree) writeReduction(writer, places[tree], load_of(tree));
  for (std::int32_t tree = 0; tree < trees; ++tree) writeBroadcast(writer, places[tree], load_of(tree));
  return std::move(writer).finish();
}

}  // namespace starling
