// What the user asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "collective.h"
#include "forecast.h"
#include "operands.h"
#include "pattern.h"
#include "summary/recorded_patterns.h"

namespace starling::bench {

// So many places of the program a loop may call from.
inline constexpr int kMostSites = 64;

// How calls are made: each by itself under an imposed pattern, or in loops without anything between them.
enum class Procedure : std::uint8_t { kImposed, kBackToBack, kOverhead };

struct Arguments {
  Procedure procedure = Procedure::kImposed;
  Collective collective = Collective::kAllreduce;
  std::vector<std::string> algorithms;  // with their parameters
  std::vector<std::int64_t> counts;     // elements
  std::string type;                     // "" = the one that the operation asks for
  std::string operation = "sum";
  std::optional<OperandChoice> operands;  // what type and operation name together
  Seconds slow_cost{50e-9};               // per element of slow operations
  Pattern pattern;
  std::vector<RecordedPattern> recorded{};  // what a pattern of kRecorded replays; not read yet by parseArguments()
  std::vector<double> delays_ms;            // as they are reported
  std::int32_t late_rank = 1;
  Predict predict = Predict::kPerfect;
  bool announce = true;     // `tuned` hears of the pattern by starling_edge()
  bool as_program = false;  // nothing stands between the calls of an algorithm but its computation
  std::int32_t iterations = 5;
  std::int32_t warmup = 1;
  std::int32_t sites = 1;          // places in the program from which a loop calls, in turn
  std::int32_t calls = 0;          // of a loop of --overhead; 0: as many as suites of benchmarks make
  bool has_iterations = false;     // the user gave them; else a loop makes as many calls as suites of benchmarks do
  bool has_warmup = false;         // likewise
  bool from_first_call = false;    // what learns is not warmed up
  std::optional<Seconds> compute;  // emulated computation before each call; empty: the delay and 100 ms
  std::uint64_t seed = 1;
  std::optional<double> beta_ns;  // time of one byte on one link
  std::optional<Seconds> alpha;   // latency of one message
  bool model = false;             // say what the cost model predicts, too
  std::string json;               // "" = none, "-" = stdout
  std::string csv;
  bool quiet = false;  // no table
};

// The outcome of parsing: arguments, or a text to print and the exit code (0 for --help and --version).
struct ParsedArguments {
  std::optional<Arguments> arguments;
  std::string text;
  int exit_code = 0;
};

// Reads `arguments`, which do not contain the program's name; `ranks` bounds what may be asked for.
ParsedArguments parseArguments(const std::vector<std::string>& arguments, std::int32_t ranks);

// Returns what to print and the exit code for a user who asks for what cannot be.
ParsedArguments usageError(const std::string& message);

}  // namespace starling::bench
