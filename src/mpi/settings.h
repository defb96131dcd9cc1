// The ranks agree on settings before anything is tuned: options are read on one rank and told to all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/status.h"

namespace starling {

struct Settings {
  Options options;
  // This says how the user pinned the MPI library's own choice ("OMPI_MCA_coll_tuned_allreduce_algorithm=4"), so that
  // Starling only observes; empty: not at all.
  std::string pinned;
};

// Reads this process's environment. Complains once about values that are not understood, and about variables that it
// does not read, where they `count`: those of one rank are told to all.
Settings readSettings(bool count);

// These turn settings into bytes and back. Errors: damaged bytes.
std::vector<std::uint8_t> encodeSettings(const Settings& settings);
Result<Settings> decodeSettings(std::span<const std::uint8_t> bytes);

}  // namespace starling
