// Local redirect merges partial results between neighbours, each with the one that becomes ready next.
#include "algos/merge_walk.h"
#include "algos/row.h"

namespace starling {
namespace {

Schedule buildLocalRedirect(const BuildRequest& request) { return buildMerges(request, neighbourMerges); }

}  // namespace

constexpr Algorithm kLocalRedirectRow{
    .id = 11,
    .name = "local_redirect",
    .what =
        "merges partial results between neighbours, in the order in which these are predicted to be ready, and "
        "broadcasts the result in the fewest rounds.",
    .trade_off =
        "as static_optimal between neighbours only, so in rank order; a late rank between early ones costs "
        "two vectors",
    .parameters = kMergeParameters,
    .keeps_rank_order = true,
    .uses_arrivals = true,
    .build = buildLocalRedirect,
    .max_steps = mergeSteps,
    .work_bytes = mergeWorkBytes,
    .valid_text = kAnyShape,
    .cost =
        "2 (a + n b + n g) after one late rank, or ceil(log2 P) of these when nobody is late; then "
        "(S - 1 + ceil(log2 P)) (a + n b/S)",
    .source =
        "Marendic 2012, section 4, algorithm 2, played beforehand; broadcast rounds of Traff 2024 (arXiv "
        "2407.18004)",
    .openmpi_nearest = "nonoverlapping"};

}  // namespace starling
