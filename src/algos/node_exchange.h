// Builds what the rows of one node share: every rank combines a part of the vector, or the whole of it, from all
// others' contributions, in the association of recursive doubling.
#pragma once

#include <cstdint>

#include "algos/catalogue.h"
#include "schedule/schedule.h"

namespace starling {

// Returns the most steps of any rank: others' contributions come, results are handed out, and in between all are
// combined.
std::int64_t nodeExchangeSteps(const Shape& shape, const ParameterValues& parameters);

// Returns the most elements of scratch memory where vectors of up to `most_whole` elements may be combined whole.
std::int64_t nodeExchangeScratch(const Shape& shape, std::int64_t most_whole);

// Builds one rank's schedule. Where `is_whole`, each rank combines the whole vector for itself; else a part of it,
// which it hands to all others.
Schedule buildNodeExchange(const BuildRequest& request, bool is_whole);

// With more ranks a schedule takes too much memory.
bool hasFewEnoughRanksForNode(const Shape& shape);

}  // namespace starling
