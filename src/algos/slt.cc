// Sorted linear tree: a chain in virtual-rank order reduces segment by segment; what the last rank completed goes to
// rank 0 and down the chain again. With the table sorted by arrival, only the last links wait for the latest ranks.
//
// Where somebody will be late, a rank sends all partial results before the first final one. A late rank that is not
// the last has both to take in: final segments in between would halve the rate of the chain behind it, on which
// everybody waits, and gain nobody time. When nobody is late, they fill gaps.
#include <algorithm>

#include "algos/builders.h"
#include "algos/partition.h"
#include "algos/schedule_writer.h"

namespace starling {

Schedule buildSlt(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const std::int32_t ranks = request.shape.ranks;
  const std::int32_t last = ranks - 1;
  const std::int64_t asked = request.parameters[0] == 0 ? ranks : request.parameters[0];
  const auto segments = static_cast<std::int32_t>(std::min(asked, request.shape.count));
  const Block whole{0, request.shape.count};
  const bool somebody_is_late = std::ranges::any_of(request.lateness_ns, [](std::int64_t late) { return late > 0; });
  const std::uint8_t final_lane = somebody_is_late ? kReduceLane : kDistributeLane;
  ScheduleWriter writer(request, 2 * segments);

  for (std::int32_t i = 0; i < segments; ++i) {
    const Block segment = partOf(whole, segments, i);
    if (rank > 0) writer.reduce(segment, rank - 1, OperandOrder::kIncomingLeft, i, kReduceLane);
    if (rank < last) writer.send(segment, rank + 1, i, kReduceLane);
  }
  for (std::int32_t i = 0; i < segments; ++i) {
    const Block segment = partOf(whole, segments, i);
    const std::int32_t tag = segments + i;
    if (rank < last) writer.receive(segment, rank == 0 ? last : rank - 1, tag, kDistributeLane);
    if (rank != last - 1) writer.send(segment, (rank + 1) % ranks, tag, final_lane);
  }
  return std::move(writer).finish();
}

}  // namespace starling
