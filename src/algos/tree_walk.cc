#include "algos/tree_walk.h"

#include <algorithm>
#include <utility>

#include "schedule/partition.h"

namespace starling {

void writeReduction(ScheduleWriter& writer, const TreePlace& place, const TreeLoad& load) {
  for (std::int32_t i = 0; i < load.segments; ++i) {
    const Block segment = partOf(load.whole, load.segments, i);
    const std::int32_t tag = load.first_tag + i;
    for (const TreeChild& child : place.children) writer.reduce(segment, child.rank, child.order, tag, kReduceLane);
    if (place.parent >= 0) writer.send(segment, place.parent, tag, kReduceLane);
  }
}

void writeBroadcast(ScheduleWriter& writer, const TreePlace& place, const TreeLoad& load) {
  for (std::int32_t i = 0; i < load.segments; ++i) {
    const Block segment = partOf(load.whole, load.segments, i);
    const std::int32_t tag = load.first_tag + i;
    if (place.parent >= 0) writer.receive(segment, place.parent, tag, kDistributeLane);
    for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
      writer.send(segment, child->rank, tag, kDistributeLane);
    }
  }
}

Schedule buildAlongTree(const BuildRequest& request, const TreePlace& place, std::int64_t segments) {
  const std::int64_t count = request.shape.count;
  const TreeLoad load{{0, count}, static_cast<std::int32_t>(std::min(segments, count)), 0};
  const std::int64_t links = std::ssize(place.children) + (place.parent >= 0 ? 1 : 0);
  ScheduleWriter writer(request.seat(), load.segments, request.room(treeSteps(links, segments, count)));
  writeReduction(writer, place, load);
  writeBroadcast(writer, place, load);
  return std::move(writer).finish();
}

}  // namespace starling
