// Names a place in a program.
#pragma once

#include <string>

#include "store/records.h"

namespace starling {

// Returns the symbol without its argument list: "Solver::dot(double const*) const" gives "Solver::dot".
std::string shortSymbol(const std::string& symbol);

// Returns the best name that is known: label, "symbol (file.cc:12)", symbol, "module+0x1f", else the identity. What
// debug information tells comes first: `symbol` and `source`, "file.cc:12"; "" where there is none.
std::string siteName(const SiteRecord& site, const std::string& symbol = "", const std::string& source = "");

}  // namespace starling
