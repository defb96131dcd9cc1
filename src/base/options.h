// The one table of options, from which the parser, the documentation and the CLI are made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "base/units.h"

namespace starling {

enum class Mode { kOff, kObserve, kTune };
enum class TablePolicy { kSort, kSwap };
enum class Preparation { kWorthwhile, kAlways };
enum class WriterThread { kOwn, kCallers };
enum class SummaryLength { kOff, kShort, kFull };

// What the user may set, in the order of the table.
struct Options {
  Mode mode = Mode::kTune;
  std::string algorithm;  // "" = tuned; else NAME or NAME:parameter=value,...
  bool reproducible = false;
  std::string programs;        // patterns of the names of programs that the preload library is for; "" = all
  std::string not_programs;    // likewise, of those that it is not for
  std::string database;        // "" = $XDG_DATA_HOME/starling/tuning.db
  std::string start_database;  // that is read for what that one has no policy of; "" = none
  LogLevel verbosity = LogLevel::kWarning;
  SummaryLength summary = SummaryLength::kShort;

  TablePolicy virtual_ranks = TablePolicy::kSort;
  std::string links;  // "" = not known; "measure"; else a file
  std::int64_t minimum_calls = 4;
  Preparation prepare = Preparation::kWorthwhile;
  std::int64_t longest_epoch = 256;
  std::int64_t rooted_period = 16;
  Seconds watchdog{30.0};  // 0: never
  Seconds flush_interval{2.0};
  WriterThread writer = WriterThread::kOwn;
  ClockFault clock_fault;  // of this process's clock, which tests set

  // What runs is the tuner's own choice, where it tunes.
  bool leavesTheChoice() const { return algorithm.empty() && !reproducible; }

  bool operator==(const Options&) const = default;
};

// One row of the table of options.
struct OptionRow {
  const char* variable;  // environment variable
  const char* values;    // what it takes, for people: "off | observe | tune", "whole number, 1 to 4096"
  const char* fallback;  // its default, as text
  const char* unit;      // "" when it has none
  bool changes_results;  // false: it changes speed or logging, and results only as far as any other choice does
  const char* help;      // one sentence
  Status (*apply)(const OptionRow& row, std::string_view text, Options& options);
};

std::span<const OptionRow> optionTable();

// Looks up one environment variable; returns nullopt when it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const char* variable)>;

struct ParsedOptions {
  Options options;                  // rejected values keep their defaults
  std::vector<std::string> errors;  // one sentence for each rejected value
};

// Reads every row of the table through `lookup`.
ParsedOptions parseOptions(const EnvironmentLookup& lookup);

// Reads every row of the table from this process's environment.
ParsedOptions parseEnvironment();

// A variable that is named like an option, and is none.
struct UnknownVariable {
  std::string name;
  std::string hint;  // "; did you mean `STARLING_DB`?"; empty where no option is near
};

// Returns those among the entries of an environment, NAME=value each. Names by which environment modules say where a
// library is installed, as STARLING_ROOT, are none of them, nor are those of the laboratory.
std::vector<UnknownVariable> unknownVariables(std::span<const std::string> environment);

// Returns the entries of this process's environment.
std::vector<std::string> ownEnvironment();

// Returns "NAME=value" of the variable by which the user has chosen an allreduce algorithm of Open MPI's, as `mpirun
// --mca` does, too: then Starling observes at most, whatever else is set. "": there is none.
std::string pinnedAlgorithm(const EnvironmentLookup& lookup);

// Returns the path of the database: `options.database`, else $XDG_DATA_HOME/starling/tuning.db, if that is absolute,
// else $HOME/.local/share/starling/tuning.db, else "starling-tuning.db" in the working directory.
std::string databasePath(const Options& options, const EnvironmentLookup& lookup);
std::string databasePath(const Options& options);

// Returns the same from the root folder on, which holds wherever a program goes, and on other ranks; as it is where the
// working directory is not known, or no file is meant (":memory:").
std::string absoluteDatabasePath(const Options& options);

}  // namespace starling
