// Simulates the calls of a recorded key, under one pattern of arrivals after the other.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "algos/topology.h"
#include "base/status.h"
#include "simulation.h"
#include "simulator/simulator.h"
#include "store/records.h"
#include "summary/recorded_patterns.h"

namespace starling::cli {

using PlayedPatterns = std::span<const RecordedPattern>;
using PlayedTimes = std::map<std::string, Seconds>;  // post-arrival times by choice, as it was written

// No machine has memory for longer vectors: 1 TiB. Calls of such are not simulated.
inline constexpr std::int64_t kMostSimulatedBytes = std::int64_t{1} << 40;

// Returns the mean of a time over all timed calls. REQUIRES: there are some.
template <typename Value>
Seconds meanOver(PlayedPatterns patterns, Value valueOf) {
  Seconds sum;
  double samples = 0.0;
  for (const RecordedPattern& pattern : patterns) {
    sum += static_cast<double>(pattern.samples) * valueOf(pattern);
    samples += static_cast<double>(pattern.samples);
  }
  return (1.0 / samples) * sum;
}

// Tells whether the choice can be simulated where the catalogue allows these.
bool canBeSimulated(const std::string& choice, const UsualChoices& usual);

// Plans know the arrivals beforehand. Up to 64 ranks calls are simulated whole, of more ranks they are predicted from
// fewer. THREADS: const after construction.
class CallPlayer {
 public:
  // `topology` is by rank, of `ranks` ranks.
  CallPlayer(const KeyRecord& key, const CostModel& model, const Topology& topology, std::int32_t ranks);

  UsualChoices usual() const { return usualChoices(scenario_); }
  // Returns the mean times of these choices over all timed calls. REQUIRES: all can be simulated; patterns are of as
  // many ranks, and there are some.
  Result<PlayedTimes> times(PlayedPatterns patterns, std::span<const std::string> choices) const;

 private:
  Scenario under(const RecordedPattern& pattern) const;

  Scenario scenario_;
};

}  // namespace starling::cli
