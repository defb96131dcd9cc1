// The figures of one algorithm under one setting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "forecast.h"
#include "pattern.h"

namespace starling::bench {

struct Distribution {
  Seconds mean;
  Seconds minimum;
  Seconds median;
  Seconds p99;  // by nearest rank: the largest of fewer than 100 values
};
// REQUIRES: at least one value.
Distribution distributionOf(std::vector<Seconds> values);

struct CallTimes {
  Seconds elapsed;       // mean over ranks of exit - arrival
  Seconds post_arrival;  // mean exit - last arrival
};
// Computes the times of one call from the arrivals and exits by rank, all on one clock.
CallTimes callTimes(std::span<const Seconds> arrivals, std::span<const Seconds> exits);

struct PerRank {
  double mean = 0.0;
  std::int64_t maximum = 0;
};

struct Setting {
  std::int64_t count = 0;  // elements
  double delay_ms = 0.0;
};

// What one phase of the calls has taken.
struct PhaseSum {
  std::string name;  // of its Phase
  Seconds post_arrival;
};
// Sums up the calls of each phase, which have equally many of them. REQUIRES: post_arrival.size() is a multiple of
// phases.size() > 0.
std::vector<PhaseSum> sumsOfPhases(std::span<const Phase> phases, std::span<const Seconds> post_arrival);

// One record of the report.
struct Summary {
  std::string algorithm;
  std::string choice;
  Setting setting;
  std::int64_t bytes = 0;
  Predict predict = Predict::kPerfect;
  Distribution elapsed;
  Distribution post_arrival;
  std::vector<PhaseSum> phases;           // of Pattern kPhases only
  std::vector<Seconds> elapsed_each;      // by call, where they are measured from the first one on
  std::optional<double> ratio_to_ring;    // post-arrival time of the ring / of this one
  std::optional<double> share_of_saving;  // (ring - this) / (ring - n beta), of post-arrival times
  std::optional<Seconds> loop;            // from the start of its computations to the last exit of its last call
  std::optional<Seconds> modelled;        // mean post-arrival time by the cost model
  std::optional<PerRank> messages;
  std::optional<PerRank> bytes_sent;
  std::int64_t wrong_elements = 0;
  std::int32_t warmup_calls = 0;
  std::optional<std::string> chosen;  // what `tuned` has chosen
  bool settled = true;
};

// Relates the summaries of one setting to the plain ring among them, where there is one.
void relateToRing(std::span<Summary> summaries, const std::optional<double>& beta_ns);

}  // namespace starling::bench
