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

// A challenger is faster than the incumbent when its median is lower by more than both 3% and the noise, which is twice
// the standard error that the incumbent's scatter gives to the difference (plus, of two values, what the smaller one is
// low by), and by more than the error of the clocks, seconds, that is in the times.
struct Comparison {
  bool faster = false;
  double incumbent = 0.0;   // median, seconds
  double challenger = 0.0;  // median, seconds; the smaller of two
  double margin = 0.0;      // seconds that the challenger had to be faster by
};
Comparison compareTimes(std::span<const double> incumbent, std::span<const double> challenger,
                        double clock_error = 0.0);

// A choice takes much longer than native. Net times are in seconds.
struct Loss {
  double shortest = 0.0;  // of those that the choice is judged by
  double native = 0.0;    // median
};

// The times of one choice, in seconds. The latest of each kind are kept, the newest last.
struct ChoiceTimes {
  Choice choice;
  std::vector<double> compared{};  // as the choice is arranged now
  std::vector<double> errors{};    // of the clocks, in each of these
  std::vector<double> net{};       // however it was arranged
  std::int64_t samples = 0;        // in the whole run
  Seconds predicted{};             // by the simulator when it was proposed; 0 = not predicted
};

// Native is always among the choices; those of the others that were used least lately are forgotten.
// THREADS: not thread-safe.
class MeasuredChoices {
 public:
  static constexpr std::size_t kKeptSamples = 64;
  static constexpr std::size_t kMaxChoices = 32;
  static constexpr std::size_t kNativeSamples = 3;  // that must be known before anything is compared with native

  MeasuredChoices();

  // Where `as_arranged_now` is false, the call ran the choice with a table or latenesses that are no longer the plan's.
  void observe(const Choice& choice, const CallTimes& times, bool as_arranged_now);
  void setPredicted(const Choice& choice, Seconds predicted) { of(choice).predicted = predicted; }
  // Forgets what the choice took as it was arranged so far, which says nothing any more. Net times stay, so that a loss
  // is seen however often the arrangement changes.
  void forgetArrangement(const Choice& choice) { forgetCompared(of(choice)); }
  // Forgets what the choice and native took, which says nothing any more, but for native's latest kNativeSamples times.
  void forgetFormerTimes(const Choice& choice);

  const ChoiceTimes& native() const { return choices_.front(); }
  // Returns null where the choice was neither observed nor predicted, or was forgotten.
  const ChoiceTimes* find(const Choice& choice) const;

  bool isNativeKnown() const { return native().net.size() >= kNativeSamples; }
  static Comparison compare(const ChoiceTimes& incumbent, const ChoiceTimes& challenger);
  // Returns the median of compared times.
  std::optional<double> medianOf(const Choice& choice) const;
  // Returns a loss where native is known and each of the choice's latest `samples` net times is more than twice
  // native's median. One call may be slow by chance; whether several were is seen when native is measured again
  // (nativeIsAsSlow()).
  std::optional<Loss> lossOf(const Choice& choice, std::size_t samples) const;
  // Returns the net time beyond which a call has a loss; empty where native is not known.
  std::optional<double> intolerableTime() const;
  // Returns whether native's latest times show no loss beside `net` seconds. REQUIRES: isNativeKnown().
  bool nativeIsAsSlow(double net) const;

 private:
  ChoiceTimes& of(const Choice& choice);
  static void forgetCompared(ChoiceTimes& times);

  std::vector<ChoiceTimes> choices_;  // native first, then by use, the latest last
};

}  // namespace starling
