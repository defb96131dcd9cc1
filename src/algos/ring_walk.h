// Builds the walk that ring, ring_segmented and prr share: P blocks go round the ring once to be reduced, once to be
// distributed.
#pragma once

#include <cstdint>

#include "algos/catalogue.h"
#include "schedule/schedule.h"

namespace starling {

// Tells where a rank stands in the walk. It handles the blocks in descending order, cyclically, beginning with
// `first_block`. The first `starting` of them begin their way here; the last `completing` are complete here, and are
// then the first to be distributed. The last `ending` of the distribution are complete on the next rank, so they go no
// further.
struct RingPlace {
  std::int32_t first_block = 0;
  std::int32_t starting = 1;
  std::int32_t completing = 1;
  std::int32_t ending = 1;
};

// Returns the most steps of any rank: it takes in and passes on every piece of every block twice.
std::int64_t ringWalkSteps(const Shape& shape, std::int64_t pieces);

// Builds one rank's schedule of the walk; every block is cut into `pieces` that follow each other.
Schedule buildRingWalk(const BuildRequest& request, const RingPlace& place, std::int32_t pieces);

}  // namespace starling
