// In a binary tree every rank combines the partial results of at most two others, the left one's ranks before its own,
// the right one's after, so that rank order is kept; the result comes back the same way. Of a range of ranks the middle
// one is the root.
#include "algos/row.h"
#include "algos/tree_walk.h"

namespace starling {
namespace {

std::int32_t middleOf(std::int32_t begin, std::int32_t end) { return begin + (end - begin) / 2; }

TreePlace binaryPlaceOf(std::int32_t rank, std::int32_t ranks, std::pmr::memory_resource* memory) {
  TreePlace place{.children = std::pmr::vector<TreeChild>(memory)};
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

std::int64_t binaryTreeSteps(const Shape& shape, const ParameterValues& parameters) {
  return treeSteps(std::min(3, shape.ranks - 1), parameters[0], shape.count);
}

Schedule buildBinaryTree(const BuildRequest& request) {
  return buildAlongTree(request, binaryPlaceOf(request.virtual_rank, request.shape.ranks, request.memory),
                        request.parameters[0]);
}

}  // namespace

constexpr Algorithm kBinaryTreeRow{
    .id = 12,
    .name = "binary_tree",
    .what =
        "reduces along a binary tree, of which the middle rank of each range is the root, and sends the result back "
        "along it.",
    .trade_off =
        "two vectors in and one out per rank, whatever P; overlaps reduction and distribution, for vectors of "
        "middle length",
    .parameters = kTreeParameters,
    .keeps_rank_order = true,
    .uses_arrivals = false,
    .build = buildBinaryTree,
    .max_steps = binaryTreeSteps,
    .valid_text = kAnyShape,
    .cost = "about (2 log2 P + 3 (S - 1)) (a + n b/S) + n g; S = 1: 4 log2 P (a + n b)",
    .source = "Marendic 2012, section 2.1, in rank order",
    .openmpi_nearest = "nonoverlapping"};

}  // namespace starling
