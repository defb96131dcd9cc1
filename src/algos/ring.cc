// In the ring, block j starts at rank j, is complete at rank j - 1 and goes round once more.
#include "algos/ring_walk.h"
#include "algos/row.h"

namespace starling {
namespace {

std::int64_t ringSteps(const Shape& shape, const ParameterValues&) { return ringWalkSteps(shape, 1); }

Schedule buildRing(const BuildRequest& request) {
  return buildRingWalk(request, {.first_block = request.virtual_rank}, 1);
}

}  // namespace

constexpr Algorithm kRingRow{
    .id = 3,
    .name = "ring",
    .what = "cuts the vector into P blocks that go round a ring twice: once to be reduced, once to be distributed.",
    .trade_off = "least data for any P, and to neighbours only; 2 (P-1) rounds, so for long vectors",
    .parameters = kFlowParameters,
    .keeps_rank_order = false,
    .uses_arrivals = false,
    .chains_ranks = always,
    .build = buildRing,
    .max_steps = ringSteps,
    .valid_text = kAnyShape,
    .cost = "2 (P-1) a + 2 n b (P-1)/P + n g (P-1)/P",
    .source = "Proficz 2018, section 2.1 and figure 2, after Thakur, Rabenseifner, Gropp 2005",
    .openmpi_nearest = "ring",
    .openmpi_is_same = true};

}  // namespace starling
