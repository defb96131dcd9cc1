// How many times as fast as native a choice is, by what was measured of both and by what is believed.
#pragma once

#include <optional>

#include "algos/catalogue.h"
#include "tuner/key_costs.h"
#include "tuner/measured_choices.h"

namespace starling {

// THREADS: not thread-safe.
class ChoiceGain {
 public:
  // `believed` is empty where nothing is. `is_inherited` says that what is believed is mostly what other keys of the
  // very shape have found native to take: it is told where this key has not measured both several times.
  ChoiceGain(const MeasuredChoices& measured, const Choice& choice, std::optional<KeyCosts::Ratio> believed,
             bool is_inherited);

  // Returns what native takes as a multiple of what the choice takes; empty: that is not known. Where what is believed
  // and what was measured contradict each other, as where the machine was busy when native was called, or has become
  // slower since, the one that promises less is told.
  std::optional<double> ratio() const;
  // Returns the standard error of ratio(), where both were measured several times in this run, or native was by keys of
  // other communicators.
  std::optional<double> error() const;

 private:
  std::optional<double> native_;  // medians, in seconds
  std::optional<double> chosen_;
  std::optional<double> native_error_;
  std::optional<double> chosen_error_;
  std::optional<double> measured_;  // the ratio of the medians
  std::optional<KeyCosts::Ratio> believed_;
  std::optional<KeyCosts::Ratio> inherited_;
};

}  // namespace starling
