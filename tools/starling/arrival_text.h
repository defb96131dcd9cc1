// Words for when ranks arrive, as tables have them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "summary/arrival_summary.h"

namespace starling::cli {

// Returns in which share of the timed calls the rank came last; empty where that is not recorded.
std::optional<double> shareLast(const RankArrival& rank);

// Returns "37%"; "-" when there is no share.
std::string wholePercent(const std::optional<double>& share);

// Returns "below 10.0 us", the title of a class of store/lateness_classes.h.
std::string classTitle(std::size_t index);

}  // namespace starling::cli
