// In a pre-reduced ring, ranks that come early combine some blocks among themselves before the latest rank is there.
//
// k[i] is the number of pre-steps of virtual rank i, sorted by arrival: one more than its successor's where the
// receiver of that step is present early enough for all of them. Block j starts at the first rank i with i + k[i] >= j,
// so rank i begins with block i + k[i]. That sum never falls along the ranks and is P - 1 at the last, hence the blocks
// that start at rank i are those above the first block of rank i - 1, and rank i completes those that start at rank i
// + 1. All numbers are integers, so that every rank computes the same.
#include <algorithm>
#include <vector>

#include "algos/ring_walk.h"
#include "algos/row.h"
#include "schedule/partition.h"

namespace starling {
namespace {

std::pmr::vector<std::int32_t> firstBlocks(const BuildRequest& request, std::int64_t tau_ns) {
  const std::int32_t ranks = request.shape.ranks;
  std::pmr::vector<std::int32_t> first_blocks(ranks, request.memory);
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

std::int64_t prrSteps(const Shape& shape, const ParameterValues& parameters) {
  return ringWalkSteps(shape, parameters[1]);
}

std::int64_t prrWorkBytes(const Shape& shape, const ParameterValues&) {
  return shape.ranks * std::int64_t{sizeof(std::int32_t)};
}

Schedule buildPrr(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const std::int32_t ranks = request.shape.ranks;
  const std::pmr::vector<std::int32_t> first_blocks = firstBlocks(request, request.parameters[0]);
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

constexpr Parameter kPrrParameters[] = {
    {"tau_ns", 0, 1'000'000'000'000, 0, "ns", "time to transfer one of the P blocks; 0 = no pre-steps, a plain ring"},
    {"segments", 1, 1024, 1, "", "pieces of each of the P blocks, pipelined along the ring"},
    kWindow,
    kPacing};

}  // namespace

constexpr Algorithm kPrrRow{
    .id = 6,
    .name = "prr",
    .what =
        "is a ring in which ranks that come early combine some blocks among themselves before the latest rank is "
        "there.",
    .trade_off =
        "a ring whose early ranks combine while they wait; needs a predicted arrival pattern, else it is the ring",
    .parameters = kPrrParameters,
    .keeps_rank_order = false,
    .uses_arrivals = true,
    .chains_ranks = always,
    .build = buildPrr,
    .max_steps = prrSteps,
    .work_bytes = prrWorkBytes,
    .valid_text = kAnyShape,
    .cost = "as ring; of the blocks of n/P the early ranks send up to 2 P, the latest down to P + 1",
    .source = "Proficz 2018, section 4.2, figure 7 (misprints mended)",
    .openmpi_nearest = "ring"};

}  // namespace starling
