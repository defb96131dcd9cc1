// Says in words by which time of a call candidates were compared.
#pragma once

#include <optional>
#include <string>

#include "store/records.h"

namespace starling::cli {

// This is CommunicatorRecord::compared_by.
using ComparedBy = std::optional<std::string>;

// Returns "1.20x +- 0.05"; native is as fast as itself without an error.
std::string gainOf(const KeyRecord& key);

// Returns whether a gain is less than twice its standard error away from none.
bool mayBeChance(const std::optional<double>& gain, const std::optional<double>& error);

bool isComparedByElapsed(const ComparedBy& compared_by);

// Returns "post-arrival time" or "mean elapsed time", and "time" where it is not recorded.
std::string comparedTime(const ComparedBy& compared_by);

// Says in a sentence why no rank's lateness is known; where none should be missing, that none was recorded.
std::string whyNoArrivals(const ComparedBy& compared_by);

// Says in a sentence how well the ranks' clocks agreed; "" where that is not known, or does not matter because the
// ranks read one clock.
std::string clockNote(const std::optional<double>& clock_error);

// Returns a note to stand below figures that are not post-arrival times, or may not be, which says what they are; else
// "". `whose` begins it, as in "Site 3: ".
std::string comparisonNote(const ComparedBy& compared_by, const std::string& whose = "");

}  // namespace starling::cli
