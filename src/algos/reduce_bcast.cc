// Binomial reduction to virtual rank 0, then binomial broadcast, both pipelined over segments. A rank with lowest set
// bit b combines ranks [rank, rank + b), child by child in ascending order, so rank order is kept. In the broadcast the
// largest subtree comes first: it has the longest way to go.
#include "algos/builders.h"
#include "algos/tree_walk.h"

namespace starling {
namespace {

TreePlace placeOf(std::int32_t rank, std::int32_t ranks) {
  TreePlace place;
  for (std::int32_t distance = 1; distance < ranks; distance *= 2) {
    if ((rank & distance) != 0) {
      place.parent = rank - distance;
      break;
    }
    if (rank + distance < ranks) place.children.push_back({rank + distance, OperandOrder::kIncomingRight});
  }
  return place;
}

}  // namespace

Schedule buildReduceBcast(const BuildRequest& request) {
  return buildAlongTree(request, placeOf(request.virtual_rank, request.shape.ranks), request.parameters[0]);
}

}  // namespace starling
