// This is a binomial reduction to virtual rank 0 and then a binomial broadcast, both pipelined over segments. A rank
// with lowest set bit b combines ranks [rank, rank + b), child by child in ascending order, so rank order is kept. In
// the broadcast the largest subtree comes first: it has the longest way to go.
#include "algos/row.h"
#include "algos/tree_walk.h"

namespace starling {
namespace {

TreePlace binomialPlaceOf(std::int32_t rank, std::int32_t ranks, std::pmr::memory_resource* memory) {
  TreePlace place{.children = std::pmr::vector<TreeChild>(memory)};
  for (std::int32_t distance = 1; distance < ranks; distance *= 2) {
    if ((rank & distance) != 0) {
      place.parent = rank - distance;
      break;
    }
    if (rank + distance < ranks) place.children.push_back({rank + distance, OperandOrder::kIncomingRight});
  }
  return place;
}

std::int64_t reduceBcastSteps(const Shape& shape, const ParameterValues& parameters) {
  return treeSteps(ceilLog2(shape.ranks), parameters[0], shape.count);
}

Schedule buildReduceBcast(const BuildRequest& request) {
  return buildAlongTree(request, binomialPlaceOf(request.virtual_rank, request.shape.ranks, request.memory),
                        request.parameters[0]);
}

}  // namespace

constexpr Algorithm kReduceBcastRow{
    .id = 7,
    .name = "reduce_bcast",
    .what = "reduces along a binomial tree to one rank, which sends the result back along such a tree.",
    .trade_off = "fewest messages in all; the root combines and sends log2 P whole vectors",
    .parameters = kTreeParameters,
    .keeps_rank_order = true,
    .uses_arrivals = false,
    .build = buildReduceBcast,
    .max_steps = reduceBcastSteps,
    .valid_text = kAnyShape,
    .cost = "ceil(log2 P) (2 a + 2 n b + n g), S = 1; segments let the two trees overlap",
    .source = "Thakur, Rabenseifner, Gropp 2005, binomial trees",
    .openmpi_nearest = "nonoverlapping",
    .openmpi_is_same = true};

}  // namespace starling
