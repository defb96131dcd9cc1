// Figures as people read them: three significant digits and a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace starling::cli {

// "0 s", "25.0 us", "1.23 ms", "50.1 s"; "-" when not a number.
std::string formatDuration(Seconds duration);
// "-" when there is no value.
std::string formatDuration(const std::optional<double>& seconds);

// "512 B", "1.50 KiB", "4 MiB".
std::string formatBytes(Bytes bytes);

// "2.61x", "-" when there is no value.
std::string formatRatio(const std::optional<double>& ratio);

// "1 call", "2 calls".
std::string formatCalls(std::int64_t calls);

// "0 2 1 3"; "identity" when empty.
std::string formatRankTable(const std::vector<std::int32_t>& table);

}  // namespace starling::cli
