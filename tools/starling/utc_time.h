// Writes points in time as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace starling::cli {

// Returns "2026-11-24 21:30", in UTC; "-" where the calendar ends. `seconds` are since 1970.
std::string formatUtc(std::int64_t seconds);

}  // namespace starling::cli
