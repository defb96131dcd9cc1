// Turns the command line of `starling run` into that of mpirun.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace starling::cli {

struct LaunchRequest {
  std::vector<std::string> mpirun_arguments;  // as given, without starling's own options; program included
  bool has_program = false;                   // false: there is nothing that could be a program
  std::optional<int> ranks;                   // of -n, -np, --np, -c
  bool places_ranks = false;                  // the user says where ranks go: hosts, mapping, oversubscription
  std::string database;
  std::string algorithm;
  std::string mode;
  bool verbose = false;
};

// Reads the arguments after `starling run`. Before `--`, starling's own options are taken wherever they stand and
// everything else goes to mpirun; without `--`, they are taken until the first that is not starling's, and the rest
// goes to mpirun as it is. Errors: an option without its value, a number of ranks below 1, `--` with nothing after it.
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

// Returns the command, in which LD_PRELOAD goes by -x, so that it reaches the ranks and not mpirun itself.
std::vector<std::string> mpirunCommand(const std::string& mpirun, const LaunchRequest& request,
                                       const RankEnvironment& environment, bool oversubscribe);

}  // namespace starling::cli
