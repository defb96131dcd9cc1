// Adds up what the calls of a key take, of which only some are timed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"

namespace starling {

// A timed call stands for calls of its own epoch: how many of an epoch's calls are timed depends on how much is left to
// learn, so that a mean over all that were timed would be one of the first. One that an agreement has disturbed stands
// for itself where there are others. Where it is known how long all took for which timed ones stand, that is what they
// add up to. THREADS: not thread-safe; one per key.
class CallTotals {
 public:
  // Times are means over the ranks of one call.
  struct Timed {
    Seconds elapsed;
    std::optional<Seconds> waited;  // until the last rank came; empty: clocks do not compare
    Seconds imbalance;              // lateness of the latest rank
    std::int32_t last_rank = -1;    // that came last, beyond the clocks' error; negative: nobody did
    bool is_disturbed = false;      // by an agreement
  };

  // Notes a call of the epoch, and what it took if it was timed.
  void countCall() { ++calls_of_epoch_; }
  void noteTimed(const Timed& timed);

  // Returns how long the epoch's calls took that were not timed, as the timed ones say.
  Seconds expectedOfOthers() const;

  // Adds up the epoch's calls, those that were not timed at `share_of_others` of what is expected of them, and calls
  // `note_waited(rank, seconds)` for what was waited for single ranks: once for each timed call, and for all calls for
  // which it stands. Does nothing where there are none.
  template <typename NoteWaited>
  void closeEpoch(double share_of_others, NoteWaited note_waited) {
    const Weights weights = weightsOfEpoch();
    for (const Timed& one : timed_) {
      const double weight = weights.of(one);
      const double times = 1.0 + share_of_others * (weight - 1.0);
      add(one, weight, times);
      if (one.waited && one.last_rank >= 0) note_waited(one.last_rank, times * *one.waited);
    }
    addUnseen(weights.unseen, share_of_others);
    calls_of_epoch_ = 0;
    timed_.clear();
  }

  // Notes so many more calls, which nobody looked at, and that they took `share` of what they usually do.
  void addUnseen(std::int64_t calls, double share);

  // What a call takes as the latest say that were timed, without those that an agreement disturbed, if there are
  // others; 0: there is none.
  Seconds usual() const;
  // These are of all calls so far; empty: no call was timed.
  std::optional<double> seconds() const;
  std::optional<double> waiting() const;    // until the last rank came; empty, too, where clocks do not compare
  std::optional<double> imbalance() const;  // lateness of the latest rank, a mean over calls

  // Returns how many times what was waited in timed calls, and those for which they stand, was waited in all calls
  // since this was asked last: nobody saw for whom the others did.
  double takeAllOverSeen();

 private:
  struct Weights {
    double disturbed = 0.0;
    double others = 0.0;
    std::int64_t unseen = 0;  // calls for which no timed one stands

    double of(const Timed& one) const { return one.is_disturbed ? disturbed : others; }
  };
  // A mean in which what came long ago counts for little.
  class RecentMean {
   public:
    void add(double value) {
      weight_ = std::min(weight_ + 1.0, kMostWeight);
      mean_ += (value - mean_) / weight_;
    }
    bool isKnown() const { return weight_ > 0.0; }
    double value() const { return mean_; }

   private:
    static constexpr double kMostWeight = 32.0;
    double weight_ = 0.0;
    double mean_ = 0.0;
  };

  Weights weightsOfEpoch() const;
  double usualWait() const;  // seconds, as usual()
  // Adds a timed call that stands for `weight` calls, which took so many times as long all together.
  void add(const Timed& one, double weight, double times);

  std::int64_t calls_of_epoch_ = 0;
  std::vector<Timed> timed_;  // of the epoch
  double calls_ = 0.0;        // for which timed ones stand
  double elapsed_ = 0.0;      // seconds, of all these, as the next two
  double waited_ = 0.0;       // of those whose clocks compare
  double imbalance_ = 0.0;
  double unseen_seconds_ = 0.0;  // of calls that nobody looked at, as the next
  double unseen_waited_ = 0.0;
  double untimed_calls_ = 0.0;  // of these, when no call had been timed
  double latest_waited_ = 0.0;  // seconds, as waited_, since takeAllOverSeen()
  double latest_unseen_ = 0.0;  // as unseen_waited_, since then
  bool clocks_compare_ = false;
  RecentMean undisturbed_;        // seconds
  RecentMean undisturbed_waits_;  // likewise
};

}  // namespace starling
