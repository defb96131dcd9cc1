#include "tuner/learned_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/earlier_runs.h"

namespace starling {
namespace {

// What an earlier run has chosen is taken to be so many times as fast as native where that is not known.
constexpr double kUnknownGain = 1.25;

}  // namespace

LearnedChoice::LearnedChoice(PolicyRecord policy, const Choice& choice) : policy_(std::move(policy)), choice_(choice) {}

Result<LearnedChoice> LearnedChoice::of(PolicyRecord policy) {
  const Result<Choice> choice = parseChoice(policy.choice);
  if (!choice.isOk()) return choice.status();
  return LearnedChoice(std::move(policy), choice.value());
}

double LearnedChoice::assumedGain() const {
  const double gain = policy_.gain.value_or(kUnknownGain);
  return std::clamp(std::isfinite(gain) ? gain : kUnknownGain, kUnknownGain, kMostLearnedGain);
}

std::vector<PlacedRank> LearnedChoice::placed() const { return placementOf(policy_.table, policy_.lateness_ns); }

// What was said there ends where the quotation does: what follows is of this run.
std::string LearnedChoice::describe() const {
  if (policy_.reason.empty()) return "The tuning database has a choice of an earlier run. ";
  return fmt::format("The tuning database says of an earlier run: \"{}\" ", policy_.reason);
}

}  // namespace starling
