// Turns the command line of `starling run` into that of a launcher, mpirun or srun.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace starling::cli {

enum class Launcher { kMpirun, kSrun };

struct LaunchRequest {
  Launcher launcher = Launcher::kMpirun;        // of --launcher
  std::vector<std::string> launcher_arguments;  // as given, without starling's own options; program included
  bool has_program = false;                     // false: there is nothing that could be a program
  std::optional<int> ranks;   // of -n, -np, --np, mpirun's -c; of all programs, where there are several
  bool places_ranks = false;  // the user says where ranks go: hosts, mapping, oversubscription
  std::string exported;       // of srun's --export; empty: not given
  std::string database;
  std::string algorithm;
  std::string mode;
  std::string colour;  // of --color, which says nothing here: launchers and programs have their own
  bool verbose = false;
  bool dry_run = false;  // the command is printed and not carried out
};

// Reads the arguments after `starling run`. Before `--`, starling's own options are taken wherever they stand and
// everything else goes to the launcher; without `--`, they are taken until the first that is not starling's, and the
// rest goes to the launcher as it is. Errors: an option without its value, a number of ranks below 1, another launcher
// than mpirun and srun, --export for mpirun, `--` with nothing after it, or with an option of starling's own.
Result<LaunchRequest> parseLaunch(std::span<const std::string> arguments);

// The ranks must see this.
struct RankEnvironment {
  std::string preload;                 // value of LD_PRELOAD
  std::vector<std::string> variables;  // names that are set in this process
};

// Returns the libraries that a value of LD_PRELOAD names, in their order; both ':' and ' ' part them.
std::vector<std::string> preloadedLibraries(const std::string& value);

// Returns the variables of `environment` ("NAME=value") that Starling reads, and LD_PRELOAD with `library` in front of
// what is there, but behind the run-time libraries of sanitizers.
RankEnvironment rankEnvironment(std::span<const std::string> environment, const std::string& library);

// Returns the command, in which LD_PRELOAD goes by -x, so that it reaches the ranks and not mpirun itself. Each of
// several programs, which have ':' between them, is given all variables: mpirun gives them to one program only.
std::vector<std::string> mpirunCommand(const std::string& mpirun, const LaunchRequest& request,
                                       const RankEnvironment& environment, bool oversubscribe);

// Returns the command, in which LD_PRELOAD goes by --export, so that it reaches the ranks and not srun itself. What the
// user exports is kept. REQUIRES: `environment.preload` has no comma, which would end the value there.
std::vector<std::string> srunCommand(const std::string& srun, const LaunchRequest& request,
                                     const RankEnvironment& environment);

// Returns a line for a shell that sets these variables, "NAME=value", for this command.
std::string shellLine(std::span<const std::string> variables, std::span<const std::string> command);

}  // namespace starling::cli
