// Says what a key's plan makes of the arrivals of its ranks, and why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/records.h"
#include "summary/arrival_summary.h"

namespace starling::cli {

// Says which of its site's calls the key has, which method forecasts the latest rank and how well, and why the plan
// follows it, flags are candidates, or neither. What an older Starling did not record is left out.
std::vector<std::string> describeOutlook(const KeyRecord& key, std::span<const RankArrival> ranks);

}  // namespace starling::cli
