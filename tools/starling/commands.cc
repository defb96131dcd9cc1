#include "commands.h"

#include <cstdlib>

#include "base/options.h"

namespace starling::cli {
namespace {

constexpr CommandRow kTable[] = {
    {"run", "Run a program under mpirun with Starling preloaded", setUpRun, true},
    {"summary", "Say what a run spent in allreduce and what tuning won", setUpSummary, false},
    {"report", "Write a page with all that a run came to, to look at and send around", setUpReport, false},
    {"runs", "List the runs of the database", setUpRuns, false},
    {"sites", "List the sites of a run, most time in allreduce first", setUpSites, false},
    {"watch", "Watch the sites of a run while it goes on", setUpWatch, false},
    {"show", "Show everything recorded of a site", setUpShow, false},
    {"explain", "Say in sentences why a site uses what it uses", setUpExplain, false},
    {"arrivals", "Show when each rank arrives at a site", setUpArrivals, false},
    {"decisions", "List the decisions taken, of one site or of all", setUpDecisions, false},
    {"algorithms", "List the algorithms, or describe one", setUpAlgorithms, false},
    {"simulate", "Predict what each algorithm costs under an arrival pattern", setUpSimulate, false},
    {"whatif", "Predict what a site would gain by other algorithms, arrivals or ranks", setUpWhatIf, false},
    {"policies", "List what later runs start from, of all programs", setUpPolicies, false},
    {"export", "Write what was learned: as a policy document, a table, or rules for Open MPI", setUpExport, false},
    {"import", "Read a policy document into the database", setUpImport, false, true},
    {"prune", "Remove old runs or sites from the database, and give the space back", setUpPrune, false, true},
    {"merge", "Take the runs and policies of other databases into this one", setUpMerge, false, true},
    {"doctor", "Check the installation, the environment and what a program is linked with", setUpDoctor, true},
    {"options", "List the environment variables that Starling reads", setUpOptions, false},
    {"completions", "Print what a shell completes of starling's commands and options", setUpCompletions, false},
    {"man", "Print a manual page", setUpMan, false},
};

}  // namespace

std::span<const CommandRow> commandTable() { return kTable; }

std::string Globals::databaseInForce() const {
  if (!database.empty()) return database;
  if (const std::string fault = faultOfDatabase(); !fault.empty()) {
    show(stderr, "starling: {}; its default is used\n", fault);
  }
  return databasePath(parseEnvironment().options);
}

std::string Globals::faultOfDatabase() const {
  if (!database.empty()) return "";
  // An empty name is seldom meant, as where a variable of a shell is not set.
  const char* const named = std::getenv("STARLING_DB");
  if (named != nullptr && *named == '\0') return "STARLING_DB is empty: unset it, or give a file";
  for (const std::string& error : parseEnvironment().errors) {
    if (error.starts_with("STARLING_DB=")) return error;
  }
  return "";
}

Look Globals::look() const {
  return lookOfStdout(colour == "always"  ? ColourChoice::kAlways
                      : colour == "never" ? ColourChoice::kNever
                                          : ColourChoice::kAuto);
}

}  // namespace starling::cli
