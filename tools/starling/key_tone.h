// In which colours gains and states of keys are shown.
#pragma once

#include <optional>
#include <string_view>

#include "comparison.h"
#include "tone.h"

namespace starling::cli {

inline Tone toneOfGain(const std::optional<double>& gain, const std::optional<double>& error = {}) {
  if (!gain || *gain == 1.0 || mayBeChance(gain, error)) return Tone::kPlain;
  return *gain > 1.0 ? Tone::kGood : Tone::kBad;
}

inline Tone toneOfState(std::string_view state) {
  if (state == "settled") return Tone::kGood;
  return state == "passes_through" ? Tone::kPlain : Tone::kOpen;
}

}  // namespace starling::cli
