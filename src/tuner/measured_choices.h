// Keeps what a key's calls took, choice by choice, and tells what that says of one choice beside native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "base/units.h"
#include "tuner/sampled_call.h"

namespace starling {

// The times of one choice, in seconds. The latest of each kind are kept, the newest last.
struct ChoiceTimes {
  struct Net {
    Seconds time;
    Seconds error;  // that the time may be off by
    Seconds disturbance;
  };
  Choice choice;
  std::vector<double> compared{};  // of calls that compare
  std::vector<Net> net{};          // of all calls
  std::int64_t samples = 0;        // in the whole run
  bool latest_compares = false;    // the latest call does
};

// Native is always among the choices; those of the others that were used least lately are forgotten.
// THREADS: not thread-safe.
class MeasuredChoices {
 public:
  static constexpr std::size_t kKeptSamples = 64;
  static constexpr std::size_t kMaxChoices = 32;
  static constexpr std::size_t kNativeSamples = 3;  // that must be known before anything is compared with native

  MeasuredChoices();

  // Where `compares` is false, the call says little of what the choice takes now: it ran with a table or latenesses
  // that are no longer the plan's, or found nothing in the caches. Nor does a short call that an agreement disturbed.
  void observe(const Choice& choice, const CallTimes& times, bool compares);
  // Forgets what all choices but native took as they were arranged so far, which says nothing any more.
  void forgetArrangement();
  // Forgets what the choice took before its latest call, since that has changed.
  void forgetFormerCost(const Choice& choice);

  const ChoiceTimes& native() const { return choices_.front(); }
  // Returns null where the choice was not observed, or was forgotten.
  const ChoiceTimes* find(const Choice& choice) const;

  bool isNativeKnown() const { return native().net.size() >= kNativeSamples; }
  // Returns the median of the choice's net times, without those that may be off by much more than others, as where
  // agreements have disturbed them; empty: it was not observed.
  std::optional<Seconds> usualNet(const Choice& choice) const;
  std::optional<Seconds> usualNative() const { return usualNet(kNativeChoice); }
  // Returns the median of compared times; empty: there are none.
  std::optional<double> medianOf(const Choice& choice) const;
  // Returns its standard error, as times scatter; empty with fewer than three of them.
  std::optional<double> errorOf(const Choice& choice) const;

 private:
  ChoiceTimes& of(const Choice& choice);

  std::vector<ChoiceTimes> choices_;  // native first, then by use, the latest last
};

}  // namespace starling
