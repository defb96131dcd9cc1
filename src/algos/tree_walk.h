// Writes a reduction along a tree, and a broadcast back along it, as parts of a schedule.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "algos/row.h"
#include "schedule/schedule.h"
#include "schedule/schedule_writer.h"

namespace starling {

// The rows that walk one tree have these parameters.
inline constexpr Parameter kTreeParameters[] = {kTreeSegments, kWindow, kPacing};

struct TreeChild {
  std::int32_t rank = 0;
  OperandOrder order = OperandOrder::kIncomingRight;  // of its partial result and its parent's

  bool operator==(const TreeChild&) const = default;
};

// Tells where a rank stands in a tree of virtual ranks.
struct TreePlace {
  std::int32_t parent = -1;              // -1 at the root
  std::pmr::vector<TreeChild> children;  // in the order in which they are combined
};

// Tells what goes along the tree: `whole` in `segments` parts that follow each other, with the tags from `first_tag`
// on, one for each segment; the two ways have the same tags.
struct TreeLoad {
  Block whole;
  std::int32_t segments = 1;
  std::int32_t first_tag = 0;
};

// Returns the steps of a rank that has so many links, as far as there are elements for the segments.
inline std::int64_t treeSteps(std::int64_t links, std::int64_t segments, std::int64_t count) {
  return 2 * links * std::min(segments, count);
}

// Writes, in kReduceLane, every segment from all children and then to the parent.
void writeReduction(ScheduleWriter& writer, const TreePlace& place, const TreeLoad& load);

// Writes, in kDistributeLane, every segment from the parent and then to the children, the one combined last first.
void writeBroadcast(ScheduleWriter& writer, const TreePlace& place, const TreeLoad& load);

// Builds the whole schedule of a rank with a place in one tree: the vector goes up and down in so many segments, as far
// as there are elements.
Schedule buildAlongTree(const BuildRequest& request, const TreePlace& place, std::int64_t segments);

}  // namespace starling
