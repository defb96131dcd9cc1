// Says how many calls may pass until the ranks agree again, where all keys are settled.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "tuner/typical_time.h"

namespace starling {

// THREADS: not thread-safe; one per communicator, on its rank 0.
class EpochPace {
 public:
  // What agreeing costs is at most this share of the time of the calls in between, as far as their number is free.
  static constexpr double kShare = 0.005;

  // Notes how long this rank was at the end of an epoch.
  void noteEnd(Seconds took) { end_.note(took); }
  // In each epoch so many calls are disturbed by the messages of an agreement that has just gone on, which is a part of
  // what that costs: one by each of its two steps.
  static constexpr std::int32_t kDisturbed = 2;
  // Notes what some of these calls took, and some of the others.
  void noteCalls(std::span<const Seconds> disturbed, std::span<const Seconds> others);

  // Where something is to be learned from the next calls it may be this share.
  static constexpr double kLearningShare = 0.1;

  // Returns how many calls the next epoch has, so that agreeing takes this share: at least `least`, and no more than
  // `longest` unless that is less.
  std::int32_t calls(std::int32_t least, std::int32_t longest, double share = kShare) const;
  // Returns what an agreement costs, as far as it is known.
  Seconds cost() const { return end_.value() + disturbance_.value(); }

 private:
  Seconds meanOf(std::span<const Seconds> took) const;

  TypicalTime end_;
  TypicalTime disturbance_;
  TypicalTime call_;
  Seconds mean_;  // of the latest calls that were not disturbed
};

}  // namespace starling
