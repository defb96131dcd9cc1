// Makes a key's plans follow the arrivals of its calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/options.h"
#include "base/units.h"
#include "tuner/candidates.h"
#include "tuner/plan.h"
#include "tuner/tracked_arrivals.h"
#include "tuner/virtual_ranks.h"

namespace starling {

// THREADS: not thread-safe; one per key.
class KeyArrivals {
 public:
  // Latenesses below `noise` tell nothing.
  explicit KeyArrivals(std::int32_t ranks, Seconds noise = kNoiseWithinNode)
      : tracked_(ranks), least_noise_(noise), times_last_(static_cast<std::size_t>(std::min(ranks, kCoordinators))) {}

  // Takes it that the next calls will be like those of another key, of which nothing is recorded.
  void inherit(const KeyArrivals& other);

  // Takes the latenesses of one call, which are right within `clock_error`.
  void observe(const ArrivalPattern& pattern, Seconds clock_error);
  // See TrackedArrivals.
  void noteWaitedFor(std::int32_t rank, Seconds waited) { tracked_.noteWaitedFor(rank, waited); }
  // Takes it that the next calls will be like this one, of which nothing is recorded.
  void expect(const ArrivalPattern& pattern, Seconds clock_error);
  const TrackedArrivals& tracked() const { return tracked_; }
  void restart() { tracked_.restart(); }

  // Says what plans can make of the arrivals.
  enum class Outlook : std::uint8_t {
    kUnknown,
    kOnTime,         // nobody is late by more than noise
    kPredictable,    // a plan can follow who is late
    kUnpredictable,  // somebody is late, and nobody knows who: the call has to find that out by flags
  };
  Outlook outlook() const;

  // Updates predicted latenesses and, unless ranks are to keep their order, the table of `plan`; returns true when they
  // changed by more than noise. A plan stays as it is where arrivals are not predictable: without knowledge no table is
  // better. Where nobody is late as a rule any more, all are in order. Where all come late at random, an order that was
  // seen in a few calls is forgotten.
  bool arrange(KeyPlan& plan, bool keeps_rank_order, TablePolicy policy) const;

  // Lets another rank be the coordinator of flags, who stands first, where the one that is so has come last far more
  // often: flags name nobody before the coordinator has come. Of a plan that runs a row without flags it takes that
  // back. Returns true when the plan has changed.
  bool placeCoordinator(KeyPlan& plan) const;

  // Says whether ranks came to the latest call as was foreseen.
  enum class Standing : std::uint8_t {
    kForeseen,
    kDoubtful,  // they did not, and the next calls will show whether that stays
    kMoved,     // they come otherwise now, and no plan follows that yet
  };
  Standing standing() const;
  // Notes that a plan was made, and whether it follows how ranks come now. Where they move on and on none ever may.
  void notePlan(bool follows) { plans_to_follow_ = follows ? 0 : std::max(plans_to_follow_ - 1, 0); }

  // Returns how late ranks are as a rule, whichever they are; 0 where that is noise.
  UnpredictedArrivals usual() const;
  Seconds leastNoise() const { return least_noise_; }
  // Returns how late the last rank of the latest call was; 0 where that is noise.
  Seconds latest() const { return isNoise(latest_) ? Seconds{} : latest_; }

 private:
  using Entries = std::vector<TrackedArrivals::Entry>;
  // What is to be made of the forecasts of all ranks.
  struct Forecast {
    Seconds noise;                // they are wrong by
    bool is_late = false;         // the latest rank is, beyond noise
    bool is_orderly = false;      // all ranks may be late, but not at random
    bool is_predictable = false;  // a table is worth having
  };
  Forecast forecast(const Entries& entries) const;
  // What was foreseen before a call, or before the first of several in a row that came otherwise.
  struct Foreseen {
    std::int32_t rank = -1;    // that is to be late
    Seconds lateness;          // by this; 0: nobody can be named
    Seconds usual;             // how late the latest rank is in the mean, whichever it is
    Seconds lateness_of_last;  // of the rank that came last
  };
  Foreseen foresee(const ArrivalPattern& pattern) const;
  // Says in what a call is not as was foreseen.
  enum class Surprise : std::uint8_t {
    kNone,
    kOtherRank,   // in place of the rank that was to be late another one is, at least about as late
    kFirstRank,   // nobody was to be late, and a rank is
    kNobodyLate,  // nobody is half as late as one was to be
  };
  Surprise surpriseIn(const ArrivalPattern& pattern) const;
  // Returns whether this call, with those before it, shows that ranks come otherwise now than was foreseen.
  bool haveMoved(const ArrivalPattern& pattern);
  // Counts the latest call's last rank, if it was late.
  void countLast(std::int32_t rank);
  double timesLast(std::int32_t rank) const { return times_last_[static_cast<std::size_t>(rank)]; }
  // Returns whether nobody is late any more, as several calls have shown, though the plan has it.
  bool areOnTimeAgain(const KeyPlan& plan) const;

  bool isNoise(Seconds latest) const { return latest <= std::max(noiseBeside(latest), clock_error_); }
  Seconds noiseBeside(Seconds latest) const { return orderingNoise(latest, least_noise_); }
  Seconds noiseOf(const Entries& entries, Seconds latest) const;

  TrackedArrivals tracked_;
  Seconds least_noise_;
  UnpredictedArrivals usual_;  // means over calls, the latest weighing most
  Seconds latest_;             // of the latest call
  Seconds clock_error_;        // likewise
  static constexpr std::int32_t kNobody = -1;
  Foreseen foreseen_;
  Surprise surprise_ = Surprise::kNone;              // in the latest call
  std::int32_t surprising_rank_ = kNobody;           // that came last in it, where one surprises
  int surprises_ = 0;                                // in a row, which were alike
  int plans_to_follow_ = 0;                          // that may be made until one follows how ranks come now
  int timely_calls_ = 0;                             // in a row, in which nobody was late
  static constexpr std::int32_t kCoordinators = 64;  // of these first ranks one is taken
  std::vector<std::int32_t> times_last_;             // and late, of each of these
};

// Returns the outlook as records have it: "on_time", "predicted", "unpredictable"; "" where it is not known.
const char* outlookName(KeyArrivals::Outlook outlook);

}  // namespace starling
