// Binary tree: every rank combines the partial results of at most two others, the left one's ranks before its own, the
// right one's after, so that rank order is kept; the result comes back the same way. Of a range of ranks the middle one
// is the root.
#include "algos/builders.h"
#include "algos/tree_walk.h"

namespace starling {
namespace {

std::int32_t middleOf(std::int32_t begin, std::int32_t end) { return begin + (end - begin) / 2; }

TreePlace placeOf(std::int32_t rank, std::int32_t ranks) {
  TreePlace place;
  std::int32_t begin = 0;
  std::int32_t end = ranks;
  std::int32_t root = middleOf(begin, end);
  while (root != rank) {
    place.parent = root;
    (rank < root ? end : begin) = rank < root ? root : root + 1;
    root = middleOf(begin, end);
  }
  if (begin < rank) place.children.push_back({middleOf(begin, rank), OperandOrder::kIncomingLeft});
  if (rank + 1 < end) place.children.push_back({middleOf(rank + 1, end), OperandOrder::kIncomingRight});
  return place;
}

}  // namespace

Schedule buildBinaryTree(const BuildRequest& request) {
  return buildAlongTree(request, placeOf(request.virtual_rank, request.shape.ranks), request.parameters[0]);
}

}  // namespace starling
