// In a sorted linear tree, a chain in virtual-rank order reduces segment by segment; what the last rank completed goes
// to rank 0 and down the chain again. With the table sorted by arrival, only the last links wait for the latest ranks.
//
// Where somebody will be late, a rank sends all partial results before the first final one. A late rank that is not
// the last has both to take in: final segments in between would halve the rate of the chain behind it, on which
// everybody waits, and gain nobody time. When nobody is late, they fill gaps.
#include <algorithm>

#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

std::int64_t sltSegments(const Shape& shape, const ParameterValues& parameters) {
  return std::min(parameters[0] == 0 ? std::int64_t{shape.ranks} : parameters[0], shape.count);
}

std::int64_t sltSteps(const Shape& shape, const ParameterValues& parameters) {
  return 4 * sltSegments(shape, parameters);
}

Schedule buildSlt(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const std::int32_t ranks = request.shape.ranks;
  const std::int32_t last = ranks - 1;
  const auto segments = static_cast<std::int32_t>(sltSegments(request.shape, request.parameters));
  const Block whole{0, request.shape.count};
  const bool somebody_is_late = std::ranges::any_of(request.lateness_ns, [](std::int64_t late) { return late > 0; });
  const std::uint8_t final_lane = somebody_is_late ? kReduceLane : kDistributeLane;
  ScheduleWriter writer(request.seat(), 2 * segments, request.room(sltSteps(request.shape, request.parameters)));

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

// The chain has P - 1 links after the last arrival.
std::optional<double> bestChainSegments(const Shape& shape, const ParameterValues&, double transfers) {
  return leastCostSegments(shape.ranks - 1, transfers);
}

constexpr Parameter kSltParameters[] = {
    {"segments", 0, 65536, 0, "",
     "parts of the vector that follow each other down the chain; best: sqrt((P - 1) n b/a); 0 = P"},
    kWindow,
    kPacing,
    kFlagged};

}  // namespace

constexpr Algorithm kSltRow{
    .id = 5,
    .name = "slt",
    .what =
        "reduces segment after segment down a chain whose last ranks are the late ones, and sends each result from its "
        "end round to the start and down the chain again.",
    .trade_off =
        "with the table sorted, only the last links wait for the latest ranks, at about one vector's time for any "
        "number of these; long chain, needs many segments",
    .parameters = kSltParameters,
    .keeps_rank_order = true,
    .uses_arrivals = true,
    .uses_only_any_late = true,
    .chains_ranks = always,
    .build = buildSlt,
    .max_steps = sltSteps,
    .best_segments = bestChainSegments,
    .valid_text = kAnyShape,
    .cost = "(2 P + S - 3) (a + n b/S + n g/S); (P + S - 1) of these after the last arrival when sorted by it",
    .source = "Proficz 2018, section 4.1, figure 5; the order of segments after late arrivals: own",
    .openmpi_nearest = "ring"};

}  // namespace starling
