// Turns an address in this process into the identity of a site, which stays the same from run to run.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "store/records.h"

namespace starling {

// Returns the module (executable or library) and the offset in it of a return address, with the symbol where the
// dynamic symbol table knows it. It never fails: an address in no module gets its number as identity. It is slow,
// because it reads the module's notes, and meant for the end of an epoch. THREADS: any.
SiteRecord siteOfAddress(std::uint64_t return_address);

// Returns the site of tuned_allreduce_at() and starling_site_create().
SiteRecord siteOfLabel(const std::string& label);

// Returns the site that stands for all calls whose ranks could not agree on where they came from.
SiteRecord siteOfSignature();

// Returns the build of a site of siteOfAddress() as its identity names it, "solver[0123456789abcdef]"; empty: the site
// is of another kind. THREADS: any.
std::string buildOfSite(const std::string& identity);

// The modules that this process has loaded.
struct LoadedBuilds {
  std::set<std::string> modules;  // file names
  std::set<std::string> builds;   // as in identities

  // Returns whether the module of a build is loaded, and it is another build. THREADS: any.
  bool haveAnotherOf(const std::string& build) const;
};

// Returns those of now; reads the notes of every module. THREADS: any.
LoadedBuilds loadedBuilds();

}  // namespace starling
