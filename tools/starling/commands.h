// The commands of `starling`. Each file named <group>_command.cc adds the options of its commands and returns what to
// do once the command line has been parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "outcome.h"
#include "terminal.h"

namespace starling::cli {

// Every command may use these values, which are filled before an action runs.
struct Globals {
  std::string database;                    // --db; empty: not given
  std::string colour = "auto";             // --color: auto, always or never
  std::vector<std::string> raw_arguments;  // of a command whose row says takes_raw_arguments

  // Returns what --db says, else what the environment says. Where that cannot be used the default is returned, and a
  // warning says so.
  std::string databaseInForce() const;
  // Returns what is wrong with the environment's database, and how to mend it; empty where nothing is, or --db is
  // given.
  std::string faultOfDatabase() const;
  // Returns how text for people looks on stdout.
  Look look() const;
};

using Action = std::function<Outcome()>;

struct CommandRow {
  const char* name;
  const char* help;
  Action (*setUp)(CLI::App& command, const Globals& globals);
  bool takes_raw_arguments;      // its arguments are not parsed here, because they belong to another program
  bool writes_database = false;  // it is not started where faultOfDatabase() finds something
};

std::span<const CommandRow> commandTable();

Action setUpRun(CLI::App& command, const Globals& globals);
Action setUpSummary(CLI::App& command, const Globals& globals);
Action setUpReport(CLI::App& command, const Globals& globals);
Action setUpRuns(CLI::App& command, const Globals& globals);
Action setUpSites(CLI::App& command, const Globals& globals);
Action setUpWatch(CLI::App& command, const Globals& globals);
Action setUpShow(CLI::App& command, const Globals& globals);
Action setUpExplain(CLI::App& command, const Globals& globals);
Action setUpArrivals(CLI::App& command, const Globals& globals);
Action setUpDecisions(CLI::App& command, const Globals& globals);
Action setUpPolicies(CLI::App& command, const Globals& globals);
Action setUpAlgorithms(CLI::App& command, const Globals& globals);
Action setUpSimulate(CLI::App& command, const Globals& globals);
Action setUpWhatIf(CLI::App& command, const Globals& globals);
Action setUpExport(CLI::App& command, const Globals& globals);
Action setUpImport(CLI::App& command, const Globals& globals);
Action setUpPrune(CLI::App& command, const Globals& globals);
Action setUpMerge(CLI::App& command, const Globals& globals);
Action setUpDoctor(CLI::App& command, const Globals& globals);
Action setUpOptions(CLI::App& command, const Globals& globals);
Action setUpCompletions(CLI::App& command, const Globals& globals);
Action setUpMan(CLI::App& command, const Globals& globals);

}  // namespace starling::cli
