// Records for programs, a table for people.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "algos/simulator.h"
#include "arguments.h"
#include "json_text.h"
#include "store/records.h"
#include "summary.h"

namespace starling::bench {

// What the run is measured on.
struct Header {
  Environment environment;
  std::string clock;    // "shared", "synchronised", "virtual"
  std::string command;  // the arguments, as they were given
  std::string type;     // of an element
  CostModel model;
};

cli::Json headerRecord(const Header& header, const Arguments& arguments);
cli::Json resultRecord(const Header& header, const Arguments& arguments, const Summary& summary);

// Titles and one line per summary. REQUIRES: at least one.
std::string csvOf(const Header& header, const Arguments& arguments, std::span<const Summary> summaries);

std::string tableOf(const Header& header, const Arguments& arguments, std::span<const Summary> summaries);

}  // namespace starling::bench
