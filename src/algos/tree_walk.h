// A reduction along a tree, and a broadcast back along it, as parts of a schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "algos/schedule.h"
#include "algos/schedule_writer.h"

namespace starling {

struct TreeChild {
  std::int32_t rank = 0;
  OperandOrder order = OperandOrder::kIncomingRight;  // of its partial result and its parent's

  bool operator==(const TreeChild&) const = default;
};

// Where a rank stands in a tree of virtual ranks.
struct TreePlace {
  std::int32_t parent = -1;         // -1 at the root
  std::vector<TreeChild> children;  // in the order in which they are combined
};

// What goes along the tree: `whole` in `segments` parts that follow each other, with the tags from `first_tag` on, one
// for each segment; the two ways have the same tags.
struct TreeLoad {
  Block whole;
  std::int32_t segments = 1;
  std::int32_t first_tag = 0;
};

// In kReduceLane: every segment from all children, then to the parent.
void writeReduction(ScheduleWriter& writer, const TreePlace& place, const TreeLoad& load);

// In kDistributeLane: every segment from the parent, then to the children, the one combined last first.
void writeBroadcast(ScheduleWriter& writer, const TreePlace& place, const TreeLoad& load);

// A whole schedule: the vector in so many segments, as far as there are elements, up and down one tree.
Schedule buildAlongTree(const BuildRequest& request, const TreePlace& place, std::int64_t segments);

}  // namespace starling
