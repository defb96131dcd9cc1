// What can be wrong with an installation, one check each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/options.h"

namespace starling::cli {

enum class Health { kOk, kWarning, kFault };

const char* healthName(Health health);

struct Finding {
  Health health = Health::kOk;
  std::string subject;
  std::string text;
  std::string remedy;  // how to mend it; empty when there is nothing to mend
};

// Names and values of environment variables, "NAME=value".
using Entries = std::vector<std::string>;

Finding checkMpirun(const std::string& search_path);
Finding checkPreload(const std::filesystem::path& executable);
Finding checkDatabase(const std::string& path);
// One finding per rejected value, unknown STARLING_ name and unusable algorithm; one that says all is well otherwise.
std::vector<Finding> checkOptions(const Entries& environment);
// Users who pin an algorithm of the MPI library decide what `native` means.
std::vector<Finding> checkPinning(const Entries& environment);

}  // namespace starling::cli
