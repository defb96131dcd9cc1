// Sums up what each candidate of a key cost, over all its epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/records.h"

namespace starling {

// These are over samples, in seconds, and empty where they are not recorded of every epoch with samples.
struct TimeSummary {
  std::optional<double> mean;
  std::optional<double> minimum;
  std::optional<double> deviation;  // within and between epochs
};

struct CandidateSummary {
  std::string choice;
  std::int64_t epochs = 0;   // that were recorded
  std::int64_t records = 0;  // in which these are kept: fewer where old epochs were joined
  std::int64_t calls = 0;
  std::int64_t exploration_calls = 0;
  std::int64_t samples = 0;  // calls that were stamped
  TimeSummary elapsed;
  TimeSummary post_arrival;  // empty also where the ranks' clocks cannot be compared

  // Returns what candidates are compared by: post-arrival times where they are known.
  const TimeSummary& compared() const { return post_arrival.mean ? post_arrival : elapsed; }
};

// Returns the mean that calls are compared by.
inline const std::optional<double>& comparedMean(const ObservationRecord& one) {
  return one.post_arrival_mean ? one.post_arrival_mean : one.elapsed_mean;
}

// Returns what a call of the choice usually took, in seconds: the median of the epochs' means by the number of their
// samples; empty: none was stamped. A rank that was interrupted makes one call as long as a thousand others, whatever
// the choice.
std::optional<double> usualTime(std::span<const ObservationRecord> observations, const std::string& choice);

// Returns one summary for each choice, by rising compared().mean, those without one last.
std::vector<CandidateSummary> summarizeCandidates(std::span<const ObservationRecord> observations);

// Returns nullptr when `choice` was not tried.
const CandidateSummary* findCandidate(std::span<const CandidateSummary> candidates, const std::string& choice);

}  // namespace starling
