// Runs several algorithms on virtual time under one arrival pattern.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algos/catalogue.h"
#include "algos/topology.h"
#include "late_rank.h"
#include "simulator/simulator.h"

namespace starling::cli {

// A scenario is one call: who takes part, how much, when each rank comes, on what network.
struct Scenario {
  std::int32_t ranks = 1;
  std::int64_t count = 0;  // elements
  Bytes element_size{4};
  std::vector<LateRank> late;  // ranks not named are on time
  CostModel model;
  std::int32_t ranks_per_node = 1;    // in order; the last node may have fewer
  std::vector<std::int32_t> nodes{};  // as in Topology, by rank; where there are some, ranks_per_node says nothing
  bool shares_memory = false;         // the ranks of each node do
  bool reads_memory = false;          // as in Topology
  std::vector<std::int32_t> links{};  // as in Topology, by rank
  bool commutative = true;            // the operation is
  bool sorted = true;                 // virtual-rank table by lateness; false: identity
  bool predicted = false;             // many ranks are not simulated, but predicted from fewer, as by the tuner
};

// A prediction is what one algorithm makes of the scenario.
struct Prediction {
  std::string choice;
  SimulatedCall call;
  std::optional<std::size_t> transfer_count;    // empty where it is not simulated
  Seconds elapsed;                              // mean over ranks of exit minus arrival
  Seconds post_arrival;                         // mean exit minus last arrival
  std::optional<double> ratio_to_ring;          // post-arrival time of ring / of this one
  std::optional<double> elapsed_ratio_to_ring;  // the same of the elapsed time
  // This is (ring - this) / (ring - n beta) in post-arrival times: 1 is the bound of one late rank. It is empty where
  // ring leaves nothing to save or cannot run.
  std::optional<double> share_of_saving;
};

struct Comparison {
  std::vector<std::int32_t> table;  // virtual rank -> rank
  std::vector<Seconds> arrivals;    // by virtual rank
  std::vector<Prediction> predictions;
  std::vector<std::string> skipped;  // as in UsualChoices
};

// The rows of the catalogue that a scenario allows, and a sentence for each of the others.
struct UsualChoices {
  std::vector<Choice> choices;  // with the parameters that follow from the cost model
  std::vector<std::string> skipped;
};

// REQUIRES: one rank or more; links of all ranks or none.
UsualChoices usualChoices(const Scenario& scenario);

// Simulates `choices`, or the whole catalogue when there are none. Predictions come by rising post-arrival time, and
// without transfers. Errors: ranks below 1, a late rank out of range or named twice, an unknown choice, a named choice
// that has no schedule or is not valid here.
Result<Comparison> compare(const Scenario& scenario, const std::vector<std::string>& choices);

// Does the same in the order of `choices`, and with the transfers that a drawing shows: millions where ranks are many.
Result<Comparison> trace(const Scenario& scenario, const std::vector<std::string>& choices);

}  // namespace starling::cli
