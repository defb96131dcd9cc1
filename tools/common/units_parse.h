// Reads numbers with units, as users write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "base/units.h"

namespace starling::cli {

// Reads a whole number with an optional multiplier: K M G (powers of 1000), Ki Mi Gi (powers of 1024).
Result<std::int64_t> parseCount(std::string_view text);

// Reads a number of zero or more with a unit: ns, us, ms, s. Zero needs no unit.
Result<Seconds> parseDuration(std::string_view text);

// Reads a whole number with a unit of calendars: m (minutes), h, d, w.
Result<std::int64_t> parseAge(std::string_view text);  // seconds

}  // namespace starling::cli
