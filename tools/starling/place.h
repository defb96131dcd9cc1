// Names a site in tables and sentences.
#pragma once

#include <string>

#include "store/records.h"
#include "symbolizer.h"

namespace starling::cli {

// Returns siteName() with what debug information tells of the place.
std::string describeSite(const SiteRecord& site, const Place& place);

}  // namespace starling::cli
