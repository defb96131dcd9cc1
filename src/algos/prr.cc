// Pre-reduced ring: ranks that come early combine some blocks among themselves before the latest rank is there.
//
// k[i] is the number of pre-steps of virtual rank i, sorted by arrival: one more than its successor's where the
// receiver of that step is present early enough for all of them. Block j starts at the first rank i with i + k[i] >= j,
// so rank i begins with block i + k[i]. That sum never falls along the ranks and is P - 1 at the last, hence the blocks
// that start at rank i are those above the first block of rank i - 1, and rank i completes those that start at rank i
// + 1. All integers, so that every rank computes the same.
#include <algorithm>
#include <vector>

#include "algos/builders.h"
#include "algos/partition.h"
#include "algos/ring_walk.h"

namespace starling {
namespace {

std::vector<std::int32_t> firstBlocks(const BuildRequest& request, std::int64_t tau_ns) {
  const std::int32_t ranks = request.shape.ranks;
  std::vector<std::int32_t> first_blocks(ranks);
  first_blocks[ranks - 1] = ranks - 1;
  std::int32_t pre_steps = 0;
  for (std::int32_t i = ranks - 2; i >= 0; --i) {
    if (tau_ns > 0 && !request.lateness_ns.empty()) {
      const std::int64_t head_start = request.lateness_ns[ranks - 1] - request.lateness_ns[i + 1];
      if (head_start >= (pre_steps + 1) * tau_ns) ++pre_steps;
    }
    first_blocks[i] = i + pre_steps;
  }
  return first_blocks;
}

}  // namespace

Schedule buildPrr(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const std::int32_t ranks = request.shape.ranks;
  const std::vector<std::int32_t> first_blocks = firstBlocks(request, request.parameters[0]);
  const auto starting_at = [&](std::int32_t i) {
    return i == 0 ? first_blocks[0] + 1 : first_blocks[i] - first_blocks[i - 1];
  };
  const RingPlace place{.first_block = first_blocks[rank],
                        .starting = starting_at(rank),
                        .completing = starting_at((rank + 1) % ranks),
                        .ending = starting_at((rank + 2) % ranks)};
  const std::int64_t longest_block = partOf({0, request.shape.count}, ranks, 0).count;
  const auto pieces = static_cast<std::int32_t>(std::min(request.parameters[1], longest_block));
  return buildRingWalk(request, place, pieces);
}

}  // namespace starling
