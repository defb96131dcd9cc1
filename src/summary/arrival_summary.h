// Sums up when each rank of a key arrives, over all its epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "store/records.h"

namespace starling {

struct RankArrival {
  std::int32_t rank = 0;
  std::int64_t samples = 0;
  std::int64_t timed = 0;  // calls of which all ranks' arrivals are known; in those beyond `samples` this rank was not
                           // recorded by itself, because it was not among the latest
  Seconds lateness;        // mean over samples
  Seconds deviation;       // over samples, within and between epochs
  Seconds predicted;       // for the call after the newest epoch
  std::string method;
  std::optional<Seconds> error;  // of the method's latest predictions, on average; empty: not recorded
  // This is the mean distance between what an epoch predicted and what the next one measured, over the epochs that are
  // not joined; empty with fewer than two of these.
  std::optional<Seconds> prediction_error;
  std::optional<std::int64_t> last;        // timed calls in which it came last; empty: not recorded of every epoch
  std::optional<std::int64_t> world_rank;  // in MPI_COMM_WORLD; empty: not recorded
};

// The latenesses of all ranks over all epochs, as far as they were recorded.
struct ArrivalHistogram {
  std::vector<std::int64_t> counts;  // of ranks, once for each epoch, by class: see store/lateness_classes.h
  std::int64_t samples = 0;          // calls that were timed
  std::int64_t epochs = 0;           // that were recorded
  std::int64_t records = 0;          // in which these are kept: fewer where old epochs were joined

  bool isJoined() const { return records < epochs; }
};

ArrivalHistogram summarizeHistograms(std::span<const HistogramRecord> histograms);

// Returns one summary for each rank that was recorded by itself, by rank. REQUIRES: all are of one key, oldest first.
std::vector<RankArrival> summarizeArrivals(std::span<const ArrivalRecord> arrivals,
                                           std::span<const HistogramRecord> histograms);

// Says which ranks were recorded by themselves, that they have other numbers in MPI_COMM_WORLD, and that old epochs
// were joined: one sentence for each that is so.
std::vector<std::string> describeRecorded(std::span<const RankArrival> ranks, const ArrivalHistogram& histogram,
                                          std::int32_t size);

// Returns the rank that was late for the longest time all together, where it counts as on time in calls in which it was
// not recorded by itself; nullptr when there are no ranks.
const RankArrival* latestRank(std::span<const RankArrival> ranks);

// Returns the latest rank when it is late beyond doubt: its distance to the next one is more than half its own lateness
// and than the deviation of either, and it was recorded by itself in at least half of the calls. Else returns
// nullptr.
const RankArrival* standingOut(std::span<const RankArrival> ranks);

// Says "Rank 5 stands out: ..." or that none does.
std::string describeLatest(std::span<const RankArrival> ranks);

}  // namespace starling
