// Sums up when each rank of a key arrives, over all its epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "store/records.h"

namespace starling::cli {

struct RankArrival {
  std::int32_t rank = 0;
  std::int64_t samples = 0;
  Seconds lateness;   // mean over samples
  Seconds deviation;  // over samples, within and between epochs
  Seconds predicted;  // for the call after the newest epoch
  std::string method;
  // This is the mean distance between what an epoch predicted and what the next one measured; empty with fewer than two
  // epochs.
  std::optional<Seconds> prediction_error;
};

// Returns one summary for each rank, by rank. REQUIRES: `arrivals` are of one key, oldest first.
std::vector<RankArrival> summarizeArrivals(std::span<const ArrivalRecord> arrivals);

// Returns nullptr when there are no ranks.
const RankArrival* latestRank(std::span<const RankArrival> ranks);

// Returns the latest rank when it is late beyond doubt: its distance to the next one is at least half its own lateness
// and more than the deviation of either. Else returns nullptr.
const RankArrival* standingOut(std::span<const RankArrival> ranks);

// Says "Rank 5 stands out: ..." or that none does.
std::string describeLatest(std::span<const RankArrival> ranks);

}  // namespace starling::cli
