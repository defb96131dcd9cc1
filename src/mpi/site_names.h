// From an address in this process to a site's identity that is stable between runs.
#pragma once

#include <cstdint>
#include <string>

#include "store/records.h"

namespace starling {

// The module (executable or library) and the offset in it of a return address, with the symbol where the dynamic
// symbol table knows it. Never fails: an address in no module gets its number as identity. Slow (it reads the module's
// notes): for the end of an epoch. THREADS: any.
SiteRecord siteOfAddress(std::uint64_t return_address);

// The site of tuned_allreduce_at() and starling_site_create().
SiteRecord siteOfLabel(const std::string& label);

// Calls whose ranks came from sites that could not be agreed on.
SiteRecord siteOfSignature();

}  // namespace starling
