// All that an algorithm is. This one takes everybody's vector to virtual rank 0 and the result back.
#include "algos/row.h"
#include "schedule/schedule_writer.h"

namespace starling {
namespace {

std::int64_t starSteps(const Shape& shape, const ParameterValues&) { return 2 * (shape.ranks - 1); }

Schedule buildStar(const BuildRequest& request) {
  const Block whole{0, request.shape.count};
  ScheduleWriter writer(request.seat(), 1, request.room(starSteps(request.shape, request.parameters)));
  if (request.virtual_rank > 0) {
    writer.send(whole, 0, 0);
    writer.receive(whole, 0, 0, kDistributeLane);
  } else {
    for (std::int32_t peer = 1; peer < request.shape.ranks; ++peer) {
      writer.reduce(whole, peer, OperandOrder::kIncomingRight, 0);
    }
    for (std::int32_t peer = 1; peer < request.shape.ranks; ++peer) writer.send(whole, peer, 0, kDistributeLane);
  }
  return std::move(writer).finish();
}

}  // namespace

constexpr Algorithm kStarRow{.id = 1000,
                             .name = "star",
                             .what = "takes everybody's vector to one rank and the result back.",
                             .trade_off = "an example",
                             .parameters = kFlowParameters,
                             .keeps_rank_order = true,
                             .uses_arrivals = false,
                             .build = buildStar,
                             .max_steps = starSteps,
                             .valid_text = kAnyShape,
                             .cost = "2 (P - 1) (a + n b) + (P - 1) n g",
                             .source = "an example",
                             .openmpi_nearest = "basic_linear",
                             .openmpi_is_same = true};

}  // namespace starling
