// Writes times in the sentences that explain decisions.
#pragma once

#include <fmt/format.h>

#include <string>

namespace starling {

inline std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

}  // namespace starling
