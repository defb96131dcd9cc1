// What the ranks agree on before anything is tuned: options are read on one rank and told to all.
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
  // How the user pinned the MPI library's own choice ("OMPI_MCA_coll_tuned_allreduce_algorithm=4"); empty: not at all.
  // Starling then only observes.
  std::string pinned;
};

// Of this process's environment; complains once about values that are not understood.
Settings readSettings();

// As bytes and back. Errors: damaged bytes.
std::vector<std::uint8_t> encodeSettings(const Settings& settings);
Result<Settings> decodeSettings(std::span<const std::uint8_t> bytes);

}  // namespace starling
