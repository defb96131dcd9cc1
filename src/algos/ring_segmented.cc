// The segmented ring cuts the ring's blocks in pieces, so that one piece is combined while the next is on the wire.
#include <algorithm>

#include "algos/ring_walk.h"
#include "algos/row.h"
#include "schedule/partition.h"

namespace starling {
namespace {

std::int64_t ringSegmentedSteps(const Shape& shape, const ParameterValues& parameters) {
  return ringWalkSteps(shape, parameters[0]);
}

Schedule buildRingSegmented(const BuildRequest& request) {
  const std::int64_t longest_block = partOf({0, request.shape.count}, request.shape.ranks, 0).count;
  const auto pieces = static_cast<std::int32_t>(std::min(request.parameters[0], longest_block));
  return buildRingWalk(request, {.first_block = request.virtual_rank}, pieces);
}

// With more ranks a schedule takes too much memory, and what travels is short in any case.
bool hasFewEnoughRanksForPieces(const Shape& shape) { return shape.ranks <= 2048; }

constexpr Parameter kRingSegmentedParameters[] = {
    {"segments", 1, 1024, 4, "", "pieces of each of the P blocks, pipelined along the ring"}, kWindow, kPacing};

}  // namespace

constexpr Algorithm kRingSegmentedRow{
    .id = 4,
    .name = "ring_segmented",
    .what = "sends the ring's blocks in pieces, so that one piece is combined while the next is on the wire.",
    .trade_off = "the ring with combining hidden behind the wire; S times as many messages",
    .parameters = kRingSegmentedParameters,
    .keeps_rank_order = false,
    .uses_arrivals = false,
    .chains_ranks = always,
    .is_valid = hasFewEnoughRanksForPieces,
    .build = buildRingSegmented,
    .max_steps = ringSegmentedSteps,
    .valid_text = "up to 2048 ranks, any count",
    .cost = "2 (P-1) a + 2 n b (P-1)/P + n g/(P S) (P-1), where g < b and the window hides the latency of pieces",
    .source = "Proficz 2018, section 2.1, after Open MPI's segmented ring",
    .openmpi_nearest = "segmented_ring",
    .openmpi_is_same = true};

}  // namespace starling
