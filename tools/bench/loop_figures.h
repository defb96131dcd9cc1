// The figures of calls that follow each other at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.h"
#include "json_text.h"
#include "report.h"

namespace starling::bench {

// What one call of a loop took, in nanoseconds: the mean over calls, of which mean, least and most of the ranks.
struct LoopTime {
  double mean_ns = 0.0;
  double shortest_ns = 0.0;
  double longest_ns = 0.0;
};

// Returns how many calls suites of benchmarks time with vectors of so many bytes, and how many they make before.
std::int32_t suiteCalls(std::int64_t bytes);
std::int32_t suiteWarmup(std::int64_t bytes);

// One count of --back-to-back.
struct LoopFigures {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int32_t calls = 0;
  LoopTime time;
  std::int64_t wrong_elements = 0;
};

// One count of --overhead.
struct OverheadFigures {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int32_t calls = 0;       // of one loop
  std::vector<double> mpi_ns;   // what a call took, loop by loop
  std::vector<double> pmpi_ns;  // likewise, of the loop beside it
  std::vector<double> copy_ns;  // what copying the vector took, on all ranks at once, likewise
  // What it took that all ranks waited for each other, likewise; empty: they share no memory.
  std::vector<double> flags_ns;
  std::int64_t wrong_elements = 0;
};

cli::Json recordOf(const Header& header, const Arguments& arguments, const LoopFigures& figures);
// REQUIRES: one pair of loops at least.
cli::Json recordOf(const Header& header, const Arguments& arguments, const OverheadFigures& figures);

// Returns a line of what was measured, titles, and a row for each of these records, an array of the kind that the
// arguments ask for.
std::string loopTable(const Header& header, const Arguments& arguments, const cli::Json& records);

}  // namespace starling::bench
