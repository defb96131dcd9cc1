// Recursive doubling: in round d partners at distance d exchange all they have, and both combine (lower op higher).
// The segments are independent; one segment's round goes out while another's is combined.
#include <algorithm>

#include "algos/builders.h"
#include "algos/fold.h"
#include "algos/partition.h"
#include "algos/schedule_writer.h"

namespace starling {

Schedule buildRecursiveDoubling(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const Block whole{0, request.shape.count};
  const auto segments = static_cast<std::int32_t>(std::min(request.parameters[0], request.shape.count));
  const Fold fold(request.shape.ranks);
  ScheduleWriter writer(request, segments);

  for (std::int32_t i = 0; i < segments; ++i) fold.writeFolding(writer, rank, partOf(whole, segments, i), i);
  const std::int32_t position = fold.positionOf(rank);
  if (position != Fold::kFoldedAway) {
    for (std::int32_t distance = 1; distance < fold.power(); distance *= 2) {
      const std::int32_t partner = fold.rankAt(position ^ distance);
      const auto order = partner < rank ? OperandOrder::kIncomingLeft : OperandOrder::kIncomingRight;
      for (std::int32_t i = 0; i < segments; ++i) {
        const Block segment = partOf(whole, segments, i);
        writer.send(segment, partner, i);
        writer.reduce(segment, partner, order, i);
      }
    }
  }
  for (std::int32_t i = 0; i < segments; ++i) fold.writeUnfolding(writer, rank, partOf(whole, segments, i), i);
  return std::move(writer).finish();
}

}  // namespace starling
