// Writes figures as people read them: three significant digits and a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace starling {

// Returns three significant digits of a value in [0, 1000).
std::string formatThreeDigits(double value);

// Returns "0 s", "25.0 us", "1.23 ms" or "50.1 s"; "-" when it is not a number.
std::string formatDuration(Seconds duration);
// Returns "-" when there is no value.
std::string formatDuration(const std::optional<double>& seconds);

// Returns "512 B", "1.50 KiB" or "4 MiB".
std::string formatBytes(Bytes bytes);

// Returns "2.61x"; "-" when there is no value.
std::string formatRatio(const std::optional<double>& ratio);

// Returns "1.20x +- 0.05", with fewer digits where the error is greater, as in "1.9x +- 0.3" and "10x +- 5", or
// "1.2x +- ?" where the error is not known; "-" when there is no gain.
std::string formatGain(const std::optional<double>& gain, const std::optional<double>& error);

// Returns "1 call" or "2 calls" where the noun is "call", "1 policy" or "2 policies" where it is "policy".
std::string formatCount(std::int64_t number, std::string_view noun);

// Returns "0 2 1 3"; "identity" when the table is empty.
std::string formatRankTable(const std::vector<std::int32_t>& table);

}  // namespace starling
