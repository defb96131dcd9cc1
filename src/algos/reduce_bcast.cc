// Binomial reduction to virtual rank 0, then binomial broadcast, both pipelined over segments. A rank with lowest set
// bit b combines ranks [rank, rank + b), child by child in ascending order, so rank order is kept.
#include <algorithm>
#include <vector>

#include "algos/builders.h"
#include "algos/partition.h"
#include "algos/schedule_writer.h"

namespace starling {
namespace {

struct TreePlace {
  std::int32_t parent = -1;            // -1 at the root
  std::vector<std::int32_t> children;  // ascending, the smallest subtree first
};

TreePlace placeOf(std::int32_t rank, std::int32_t ranks) {
  TreePlace place;
  for (std::int32_t distance = 1; distance < ranks; distance *= 2) {
    if ((rank & distance) != 0) {
      place.parent = rank - distance;
      break;
    }
    if (rank + distance < ranks) place.children.push_back(rank + distance);
  }
  return place;
}

}  // namespace

Schedule buildReduceBcast(const BuildRequest& request) {
  const auto segments = static_cast<std::int32_t>(std::min(request.parameters[0], request.shape.count));
  const Block whole{0, request.shape.count};
  const TreePlace place = placeOf(request.virtual_rank, request.shape.ranks);
  ScheduleWriter writer(request, segments);

  for (std::int32_t i = 0; i < segments; ++i) {
    const Block segment = partOf(whole, segments, i);
    for (const std::int32_t child : place.children) {
      writer.reduce(segment, child, OperandOrder::kIncomingRight, i, kReduceLane);
    }
    if (place.parent >= 0) writer.send(segment, place.parent, i, kReduceLane);
  }
  for (std::int32_t i = 0; i < segments; ++i) {
    const Block segment = partOf(whole, segments, i);
    if (place.parent >= 0) writer.receive(segment, place.parent, i, kDistributeLane);
    for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
      writer.send(segment, *child, i, kDistributeLane);  // the largest subtree first: it has the longest way to go
    }
  }
  return std::move(writer).finish();
}

}  // namespace starling
