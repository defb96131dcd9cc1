// Static optimal merges partial results in the order in which ranks become ready, as far as that is predicted.
#include "algos/merge_walk.h"
#include "algos/row.h"

namespace starling {
namespace {

Schedule buildStaticOptimal(const BuildRequest& request) { return buildMerges(request, earliestReadyMerges); }

}  // namespace

constexpr Algorithm kStaticOptimalRow{
    .id = 10,
    .name = "static_optimal",
    .what =
        "merges partial results in the order in which ranks are predicted to be ready, and broadcasts the result in "
        "the fewest rounds.",
    .trade_off =
        "whoever is ready sends to the rank that will be ready next: few messages after any late ranks, so "
        "for short vectors whose arrivals are known",
    .parameters = kMergeParameters,
    .keeps_rank_order = false,
    .uses_arrivals = true,
    .build = buildStaticOptimal,
    .max_steps = mergeSteps,
    .work_bytes = mergeWorkBytes,
    .valid_text = kAnyShape,
    .cost =
        "a + n b + n g after one late rank, or ceil(log2 P) of these when nobody is late; then "
        "(S - 1 + ceil(log2 P)) (a + n b/S)",
    .source = "Marendic 2012, section 3, algorithm 1; broadcast rounds of Traff 2024 (arXiv 2407.18004)",
    .openmpi_nearest = "nonoverlapping"};

}  // namespace starling
