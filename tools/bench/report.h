// Prints records for programs and a table for people.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "arguments.h"
#include "json_text.h"
#include "simulator/simulator.h"
#include "store/records.h"
#include "summary.h"

namespace starling::bench {

// Tells what the run is measured on.
struct Header {
  Environment environment;
  std::string clock;    // "shared", "synchronised", "virtual"
  std::string command;  // the arguments, as they were given
  std::string type;     // name of the elements' type
  CostModel model;
};

cli::Json headerRecord(const Header& header, const Arguments& arguments);
cli::Json resultRecord(const Header& header, const Arguments& arguments, const Summary& summary);

// Returns a line of titles and one line per summary. REQUIRES: at least one summary.
std::string csvOf(const Header& header, const Arguments& arguments, std::span<const Summary> summaries);

std::string tableOf(const Header& header, const Arguments& arguments, std::span<const Summary> summaries);

}  // namespace starling::bench
