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

namespace starling::bench {

struct Arguments {
  Collective collective = Collective::kAllreduce;
  std::vector<std::string> algorithms;  // with their parameters
  std::vector<std::int64_t> counts;     // elements
  std::string type;                     // "" = the operation's
  std::string operation = "sum";
  std::optional<OperandChoice> operands;  // what these two stand for
  Seconds slow_cost{50e-9};               // per element of slow operations
  Pattern pattern;
  std::vector<double> delays_ms;  // as they are reported
  std::int32_t late_rank = 1;
  Predict predict = Predict::kPerfect;
  bool announce = true;  // `tuned` hears of the pattern by starling_edge()
  std::int32_t iterations = 5;
  std::int32_t warmup = 1;
  std::optional<Seconds> compute;  // emulated computation before each call; empty: the delay and 100 ms (seed 000)
  std::uint64_t seed = 1;
  std::optional<double> beta_ns;  // time of one byte on one link
  std::optional<Seconds> alpha;   // latency of one message
  bool model = false;             // say what the cost model predicts, too
  std::string json;               // "" = none, "-" = stdout
  std::string csv;
  bool quiet = false;  // no table
};

// What parsing came to: arguments, or a text to print and the exit code (0 for --help and --version).
struct ParsedArguments {
  std::optional<Arguments> arguments;
  std::string text;
  int exit_code = 0;
};

// `arguments` without the program's name; `ranks` bounds what may be asked for.
ParsedArguments parseArguments(const std::vector<std::string>& arguments, std::int32_t ranks);

// What to print and to exit with when the user asks for what cannot be.
ParsedArguments usageError(const std::string& message);

}  // namespace starling::bench
