// Combines within one node, where each rank may read the memory of the others' processes (src/node/node_reads.h): a
// rank takes its part of the vector from where the others have it, and the other parts of the result from where those
// have put them. Where ranks may not, its messages do the same.
#include "algos/node_exchange.h"
#include "algos/row.h"

namespace starling {
namespace {

std::int64_t nodeReadScratch(const Shape& shape) { return nodeExchangeScratch(shape, 0); }

Schedule buildNodeRead(const BuildRequest& request) { return buildNodeExchange(request, false); }

constexpr Parameter kNodeReadParameters[] = {
    {"chunk", 4, 384, 256, "KiB", "so much is read at a time of what others have"}, kWindow, kPacing};

}  // namespace

constexpr Algorithm kNodeReadRow{
    .id = kNodeReadAlgorithm,
    .name = "node_read",
    .what =
        "combines vectors where the ranks of one node have them: each reads a part of all others' vectors, and the "
        "rest of the result from those that combined it.",
    .trade_off =
        "long vectors are not copied to be shared, which pays where copies between the cores are slow; needs all ranks "
        "on one node, whose system lets them read each other's memory, else it is the row node",
    .parameters = kNodeReadParameters,
    .keeps_rank_order = true,
    .fixed_association = true,
    .uses_arrivals = false,
    .suits_topology = sharesOneMemory,
    .chains_ranks = always,
    .scratch_elements = nodeReadScratch,
    .is_valid = hasFewEnoughRanksForNode,
    .build = buildNodeRead,
    .max_steps = nodeExchangeSteps,
    .has_side_slots = true,
    .valid_text = "up to 4096 ranks, any count",
    .cost = "in memory that may be read: 3 a + 2 n b (P-1)/P + n g; as messages 2 (P - 1) a + 2 n b (P-1)/P + n g",
    .source = "own; single copies as in Open MPI's vader, slices as in its xhc, association of recursive doubling",
    .openmpi_nearest = "ignore"};

}  // namespace starling
