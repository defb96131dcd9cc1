// Segmented ring: the ring's blocks in pieces, so that one piece is combined while the next is on the wire.
#include <algorithm>

#include "algos/builders.h"
#include "algos/partition.h"
#include "algos/ring_walk.h"

namespace starling {

Schedule buildRingSegmented(const BuildRequest& request) {
  const std::int64_t longest_block = partOf({0, request.shape.count}, request.shape.ranks, 0).count;
  const auto pieces = static_cast<std::int32_t>(std::min(request.parameters[0], longest_block));
  return buildRingWalk(request, {.first_block = request.virtual_rank}, pieces);
}

}  // namespace starling
