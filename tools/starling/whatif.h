// Says what the calls of a key would take otherwise: with each algorithm, were a rank on time, or on more ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algos/topology.h"
#include "recording.h"
#include "simulator/simulator.h"
#include "summary/candidate_summary.h"
#include "summary/recorded_patterns.h"

namespace starling::cli {

struct WhatIfQuery {
  std::vector<std::string> choices{};        // with their parameters; empty: all rows of the catalogue
  std::optional<std::int32_t> on_time{};     // a rank; empty: the one that is late for the longest time
  std::optional<std::int32_t> more_ranks{};  // than were recorded
};

// One algorithm. What is empty is not known: `native` has no schedule to simulate, and not all were tried.
struct WhatIfRow {
  std::string choice;
  std::optional<Seconds> predicted{};      // post-arrival time
  std::optional<Seconds> on_more_ranks{};  // likewise
  std::optional<CandidateSummary> measured{};
  bool is_in_force = false;
};

// What one call would gain by other arrivals.
struct ArrivalGain {
  Seconds earlier;       // by which its end comes sooner, counted from the first arrival
  Seconds less_waiting;  // for the last rank, mean over ranks
  // Post-arrival times of what is in force, with the arrivals as they were and as they would be; empty: not known, and
  // taken to be the same.
  std::optional<Seconds> before;
  std::optional<Seconds> after;
};

struct WhatIf {
  std::int64_t epochs = 0;  // of which arrivals are known, and their timed calls
  std::int64_t samples = 0;
  CostModel model;
  Topology topology;                    // by rank
  std::vector<RecordedPattern> played;  // the patterns that are simulated, and as they are extended to more ranks
  std::vector<RecordedPattern> extended;
  std::vector<WhatIfRow> rows;       // by rising prediction, those without one last
  std::vector<std::string> skipped;  // rows of the catalogue, with the reason
  std::optional<std::int32_t> on_time_rank;
  ArrivalGain on_time;   // were that rank on time
  ArrivalGain together;  // did all ranks come at their mean
  // The deviation of the rank that is late for the longest time, within epochs and between them, over its lateness;
  // empty: none is late.
  std::optional<double> variation;
};

// Errors: clocks that do not compare, no recorded arrivals, costs or nodes, a rank out of range, a choice that is
// unknown or not valid here; each says how to mend it.
Result<WhatIf> whatIf(const Evidence& evidence, const WhatIfQuery& query);

// How long measured calls took over what is predicted, by algorithm.
struct MeasuredOverPredicted {
  double median = 1.0;  // over calls
  double least = 1.0;
  double most = 1.0;
};
// Empty where there is no algorithm of which both are known.
std::optional<MeasuredOverPredicted> measuredOverPredicted(const WhatIf& result);

// Returns the pattern on more ranks: those that are new come when half of the recorded ranks have come.
RecordedPattern extendedPattern(const RecordedPattern& pattern, std::int32_t ranks);

// Returns where more ranks would run: nodes are filled as the fullest of those recorded is. REQUIRES: `ranks` is not
// less than the topology has.
Topology extendedTopology(const Topology& topology, std::int32_t recorded, std::int32_t ranks);

}  // namespace starling::cli
