// Checks what can be wrong with an installation, one function for each thing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/options.h"
#include "environment_entries.h"

namespace starling::cli {

enum class Health { kOk, kWarning, kFault };

const char* healthName(Health health);

struct Finding {
  Health health = Health::kOk;
  std::string subject;
  std::string text;
  std::string remedy;  // how to mend it; empty when there is nothing to mend
};

Finding checkMpirun(const std::string& search_path);
// Says which batch system is seen, whether this process is in a job of it, and whether its launcher, Slurm's srun, can
// start ranks of Open MPI, which needs srun's plugin pmix.
Finding checkBatchSystem(const Entries& environment, const std::string& search_path);
Finding checkPreload(const std::filesystem::path& executable);
// Tells how well the clocks agreed in the latest run that the database has.
Finding checkClocks(const std::string& path);
Finding checkDatabase(const std::string& path);
// Returns one finding on the database of STARLING_START_DB; none where the path is empty.
std::vector<Finding> checkStartDatabase(const std::string& path);
// Returns one finding per rejected value, unknown STARLING_ name and unusable algorithm, or one that says all is well.
std::vector<Finding> checkOptions(const Entries& environment);
// Tells that the program of a command, as a user types it, is left out by STARLING_PROGRAMS or STARLING_NOT_PROGRAMS;
// no finding where it is not. A name without a folder is looked for in `search_path`.
std::vector<Finding> checkPrograms(const std::vector<std::string>& command, const std::string& search_path,
                                   const Entries& environment);
// Says whether ranks of one machine can share memory here, for calls within it: whether a process may open the memory
// that another one of the same user has made, and what Open MPI is told of shared memory. Where they can, also whether
// they can read each other's.
std::vector<Finding> checkSharedMemory(const Entries& environment);
// Finds what the user has set of the MPI library's algorithms: what pins one, so that nothing is tuned, and what may
// decide what `native` means.
std::vector<Finding> checkPinning(const Entries& environment);

}  // namespace starling::cli
