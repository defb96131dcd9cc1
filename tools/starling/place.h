// Names a site in tables and sentences.
#pragma once

#include <string>

#include "store/records.h"
#include "symbolizer.h"

namespace starling::cli {

// Returns the symbol without its argument list: "Solver::dot(double const*) const" gives "Solver::dot".
std::string shortSymbol(const std::string& symbol);

// Returns the best name that is known: label, "symbol (file.cc:12)", symbol, "module+0x1f", else the identity.
std::string describeSite(const SiteRecord& site, const Place& place);

}  // namespace starling::cli
