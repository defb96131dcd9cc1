// Combines within one node. Where the ranks share memory (src/node) nothing of this schedule travels: it says who
// combines what, and in which association. Where they do not, its messages do the same.
//
// Short vectors every rank combines for itself; of longer ones each combines a part, which it takes from all others and
// hands to all others. Operands are combined in the association of recursive doubling.
#include "algos/node_exchange.h"
#include "algos/row.h"

namespace starling {
namespace {

enum NodeParameters : std::size_t { kSlotElements, kChunk };

constexpr std::int64_t kMostSlotElements = 1024;

bool isInSlots(std::int64_t count, const ParameterValues& parameters) { return count <= parameters[kSlotElements]; }

std::int64_t nodeScratch(const Shape& shape) { return nodeExchangeScratch(shape, kMostSlotElements); }

Schedule buildNode(const BuildRequest& request) {
  return buildNodeExchange(request, isInSlots(request.shape.count, request.parameters));
}

constexpr std::int64_t kSlotElementsWorthTrying[] = {0, kMostSlotElements};
constexpr std::int64_t kChunkWorthTrying[] = {384};
constexpr Parameter kNodeParameters[] = {
    {"slots", 0, kMostSlotElements, 256, "elements", "vectors of up to so many lie in slots, which every rank combines",
     kSlotElementsWorthTrying},
    {"chunk", 4, 384, 128, "KiB", "of longer vectors this much is copied in while the part before is combined",
     kChunkWorthTrying},
    kWindow,
    kPacing};

}  // namespace

constexpr Algorithm kNodeRow{
    .id = kNodeAlgorithm,
    .name = "node",
    .what =
        "combines through memory that the ranks of one node share: each combines the whole of a short vector, and a "
        "part of a long one.",
    .trade_off =
        "no messages, and what is there is combined while somebody is late; needs all ranks on one node, else its "
        "messages are those of an exchange of all with all",
    .parameters = kNodeParameters,
    .keeps_rank_order = true,
    .fixed_association = true,
    .uses_arrivals = false,
    .suits_topology = sharesOneMemory,
    .chains_ranks = always,
    .scratch_elements = nodeScratch,
    .is_valid = hasFewEnoughRanksForNode,
    .build = buildNode,
    .max_steps = nodeExchangeSteps,
    .has_side_slots = true,
    .valid_text = "up to 4096 ranks, any count",
    .cost = "in shared memory: 2 a + n b (copy in, copy out) + n g; as messages 2 (P - 1) a + 2 n b (P-1)/P + n g",
    .source = "own; slots as in MPICH's release-gather, slices as in Open MPI's xhc, association of recursive doubling",
    .openmpi_nearest = "ignore"};

}  // namespace starling
