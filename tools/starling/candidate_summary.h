// What each candidate of a key cost, over all its epochs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "store/records.h"

namespace starling::cli {

struct CandidateSummary {
  std::string choice;
  std::int64_t epochs = 0;
  std::int64_t calls = 0;
  std::int64_t exploration_calls = 0;
  std::int64_t samples = 0;  // calls that were stamped; where 0, the figures below mean nothing
  Seconds elapsed;           // mean over samples
  Seconds post_arrival;      // mean over samples
  Seconds post_arrival_minimum;
  Seconds post_arrival_deviation;  // over samples, within and between epochs
};

// One for each choice, quickest after the last arrival first, those without samples last.
std::vector<CandidateSummary> summarizeCandidates(std::span<const ObservationRecord> observations);

// nullptr when `choice` was not tried.
const CandidateSummary* findCandidate(std::span<const CandidateSummary> candidates, const std::string& choice);

}  // namespace starling::cli
