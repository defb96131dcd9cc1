// Ring: block j starts at rank j, is complete at rank j - 1 and goes round once more.
#include "algos/builders.h"
#include "algos/ring_walk.h"

namespace starling {

Schedule buildRing(const BuildRequest& request) {
  return buildRingWalk(request, {.first_block = request.virtual_rank}, 1);
}

}  // namespace starling
