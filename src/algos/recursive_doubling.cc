// In recursive doubling, in the round of distance d, partners at that distance exchange all they have, and both combine
// (lower op higher).
// The segments are independent; one segment's round goes out while another's is combined.
#include <algorithm>

#include "algos/fold.h"
#include "algos/row.h"
#include "schedule/partition.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

// A rank that the fold has paired has two steps more.
std::int64_t recursiveDoublingSteps(const Shape& shape, const ParameterValues& parameters) {
  return std::min(parameters[0], shape.count) * (2 * ceilLog2(Fold(shape.ranks).power()) + 2);
}

Schedule buildRecursiveDoubling(const BuildRequest& request) {
  const std::int32_t rank = request.virtual_rank;
  const Block whole{0, request.shape.count};
  const auto segments = static_cast<std::int32_t>(std::min(request.parameters[0], request.shape.count));
  const Fold fold(request.shape.ranks);
  ScheduleWriter writer(request.seat(), segments,
                        request.room(recursiveDoublingSteps(request.shape, request.parameters)));

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

constexpr Parameter kRecursiveDoublingParameters[] = {
    {"segments", 1, 64, 1, "", "independent parts of the vector, pipelined over the rounds"}, kWindow, kPacing};

}  // namespace

constexpr Algorithm kRecursiveDoublingRow{
    .id = 1,
    .name = "recursive_doubling",
    .what = "lets ranks at distance 1, 2, 4, ... exchange all that they have, and both combine it.",
    .trade_off = "fewest rounds, so best for short vectors; sends and combines the whole vector in each",
    .parameters = kRecursiveDoublingParameters,
    .keeps_rank_order = true,
    .fixed_association = true,
    .uses_arrivals = false,
    .build = buildRecursiveDoubling,
    .max_steps = recursiveDoublingSteps,
    .valid_text = kAnyShape,
    .cost = "floor(log2 P) (a + n b + n g); P not a power of two: 2 (a + n b) + n g more",
    .source = "Thakur, Rabenseifner, Gropp 2005, allreduce for short messages",
    .openmpi_nearest = "recursive_doubling",
    .openmpi_is_same = true};

}  // namespace starling
