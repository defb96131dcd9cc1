// Follows the latenesses of the ranks that come late, however many ranks there are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "estimators/arrival_predictor.h"
#include "estimators/running_moments.h"
#include "tuner/sampled_call.h"

namespace starling {

// Up to kTracked ranks are followed one by one. Of more, those are that were among the latest of a call, and the one
// whose latest such call is the oldest gives way to the next; all others count as one, with the mean of their
// latenesses. A rank that is followed and was not among the latest of a call counts as one of the others there, unless
// the mean of these says that some of them were late, too: then as many as that can be of those that were named lately
// count as late as the least of the latest.
// THREADS: not thread-safe; one per key.
class TrackedArrivals {
 public:
  static constexpr std::int32_t kTracked = 32;

  explicit TrackedArrivals(std::int32_t ranks);

  // REQUIRES: pattern.ranks is the number of ranks.
  void observe(const ArrivalPattern& pattern);
  // Notes for how long others waited for a rank that was the last to come, if it is followed.
  void noteWaitedFor(std::int32_t rank, Seconds waited);
  std::int64_t observations() const { return predictor_.observations(); }
  std::int32_t ranks() const { return ranks_; }
  // See ArrivalPredictor::latestError().
  Seconds latestError() const { return predictor_.latestError(); }

  // Holds what is known of one rank, or of each of the others.
  struct Entry {
    std::int32_t rank = kOthers;
    Seconds predicted;  // lateness in the next call
    Seconds error;      // of the prediction, on average
    PredictionMethod method = PredictionMethod::kMovingAverage;
    Seconds usual;          // mean lateness, the latest calls weighing most
    RunningMoments seen{};  // latenesses in seconds since the latest restart()
    std::int64_t last = 0;  // calls since then in which it was the last to come
    Seconds waited{};       // since then, by others for it
  };
  static constexpr std::int32_t kOthers = -1;
  // Returns the ranks that are followed, and at the end the others, if there are any.
  std::vector<Entry> entries() const;
  // Counts the ranks that are not followed.
  std::int32_t others() const;
  // Returns how late more ranks than can be followed have come by turns lately; 0: not so many have. Of ranks that are
  // followed, and come no later, nobody knows that they are later than others.
  Seconds crowd() const;
  void restart();
  // Forgets what forecasts are made of, because the arrivals are others now; what was seen since restart() stays.
  void forget();

 private:
  struct Row {
    std::int32_t rank = kOthers;  // of the last row: all others; elsewhere: not used yet
    std::int64_t last_named = -1;
    Seconds named;  // how late it came then
    Seconds usual;
    RunningMoments seen{};
    std::int64_t last = 0;
    Seconds waited{};
  };
  bool hasOthers() const { return ranks_ > kTracked; }
  bool isRecent(std::int64_t call) const;
  Row* findRow(std::int32_t rank);
  Row& rowOf(const RankLateness& late, Seconds& crowd);
  void spreadOver(const ArrivalPattern& pattern);

  std::int32_t ranks_;
  std::vector<Row> rows_;  // as those of the predictor
  ArrivalPredictor predictor_;
  std::vector<Seconds> lateness_;  // by row, of the call that is observed
  Seconds crowd_;                  // mean over calls, the latest weighing most
};

}  // namespace starling
