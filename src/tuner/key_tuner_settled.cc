// This part of a key's tuner watches a settled plan: does it still pay, and do its table and latenesses still fit?
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "estimators/statistics.h"
#include "tuner/key_tuner.h"
#include "tuner/milliseconds.h"

namespace starling {
namespace {

constexpr std::size_t kSteadySamples = 8;  // of the chosen plan before it may be found a little slower than native
constexpr double kLargestLoss = 0.10;      // a chosen plan slower than native by this share is given up

}  // namespace

std::optional<KeyTuner::Decision> KeyTuner::watchSettled(bool may_rank) {
  if (std::optional<Decision> decision = giveUpAtOnce()) return decision;
  if (std::optional<Decision> decision = takeBack()) return decision;
  // The arrangement stays until it has been judged; else no choice would ever be judged where arrivals keep changing.
  if (plan_.probation_calls > 0) return endProbation();
  if (std::optional<Decision> decision = followArrivalsOnceSettled(may_rank)) return decision;
  return giveUpInSteadyUse();
}

bool KeyTuner::mayBeGivenUp(const Choice& choice) const {
  return choice.algorithm != kNativeAlgorithm && settings_.options.algorithm.empty() && !settings_.options.reproducible;
}

bool KeyTuner::isRearranged(const KeyPlan& plan) const {
  const Algorithm& algorithm = *findAlgorithm(plan.incumbent.algorithm);
  return !std::ranges::equal(relevantLateness(algorithm, plan.lateness_ns),
                             relevantLateness(algorithm, plan_.lateness_ns)) ||
         (algorithm.build != nullptr && plan.table != plan_.table);
}

void KeyTuner::putOnProbation(KeyPlan& plan, std::int32_t calls) {
  plan.probation_calls = calls;
  probation_ = {};
}

std::optional<KeyTuner::Decision> KeyTuner::followArrivalsOnceSettled(bool may_rank) {
  const bool is_reproducible = settings_.options.reproducible && settings_.options.algorithm.empty();
  if (is_reproducible && !may_rank) return std::nullopt;
  KeyPlan plan = plan_;
  if (!followArrivals(plan)) return std::nullopt;
  transition_.rearranges = is_reproducible || isRearranged(plan);
  if (is_reproducible) return reproducible(std::move(plan), "The predicted arrivals changed. ");
  if (transition_.rearranges && mayBeGivenUp(plan.incumbent)) putOnProbation(plan, kLaterProbation);
  return decisionOf(std::move(plan), keepsRankOrder()
                                         ? "The predicted arrivals changed."
                                         : "The predicted arrivals changed, and the virtual-rank table follows them.");
}

// Gives the choice up whatever else changes: a loss counts in the arrangement in which it was measured and in any
// other.
std::optional<KeyTuner::Decision> KeyTuner::giveUpAtOnce() {
  if (!mayBeGivenUp(plan_.incumbent)) return std::nullopt;
  const std::size_t samples = probation_.samplesToJudge(plan_.probation_calls);
  const std::optional<Loss> loss = choices_.lossOf(plan_.incumbent, samples);
  if (!loss) return std::nullopt;
  doubt_ = Doubt{plan_.incumbent, loss->shortest, choices_.native().samples};
  return settleOn(
      kNativeChoice,
      fmt::format("{} took {} or more in its latest stamped calls (n={}), native took {}: back to "
                  "native.",
                  formatChoice(plan_.incumbent), milliseconds(loss->shortest), samples, milliseconds(loss->native)));
}

// Takes a choice back: native was measured before the choice became slow, and where it takes as long now, the choice is
// not to blame.
std::optional<KeyTuner::Decision> KeyTuner::takeBack() {
  constexpr std::int64_t kFresh = MeasuredChoices::kNativeSamples;
  if (!doubt_ || choices_.native().samples < doubt_->native_samples + kFresh) return std::nullopt;
  const Doubt doubt = *std::exchange(doubt_, std::nullopt);
  if (!choices_.nativeIsAsSlow(doubt.net)) return std::nullopt;
  choices_.forgetFormerTimes(doubt.choice);
  return settleOn(
      doubt.choice,
      fmt::format("Native takes as long now, {} (n={}): back to {}.",
                  milliseconds(summarize(choices_.native().net).median), kFresh, formatChoice(doubt.choice)),
      kFirstProbation);
}

// Probation ends when enough of its calls were stamped, and native, too; it is renewed when too few were.
std::optional<KeyTuner::Decision> KeyTuner::endProbation() {
  if (probation_.neverRuns()) return confirm();
  if (probation_.isSampled()) return choices_.isNativeKnown() ? std::optional(confirm()) : std::nullopt;
  if (!probation_.isOver(plan_.probation_calls)) return std::nullopt;
  probation_.restartCalls();
  return decisionOf(plan_, "");
}

KeyTuner::Decision KeyTuner::confirm() {
  KeyPlan plan = plan_;
  plan.probation_calls = 0;
  const ChoiceTimes* chosen = choices_.find(plan.incumbent);
  if (!std::exchange(is_taken_over_, false) || chosen == nullptr || chosen->net.empty()) {
    return decisionOf(std::move(plan), "");
  }
  return decisionOf(std::move(plan), fmt::format("What was taken over takes {} here (n={}), native {}: it stays.",
                                                 milliseconds(summarize(chosen->net).median), chosen->net.size(),
                                                 milliseconds(summarize(choices_.native().net).median)));
}

std::optional<KeyTuner::Decision> KeyTuner::giveUpInSteadyUse() {
  const ChoiceTimes* chosen = choices_.find(plan_.incumbent);
  if (!mayBeGivenUp(plan_.incumbent) || !choices_.isNativeKnown()) return std::nullopt;
  if (chosen == nullptr || chosen->compared.size() < kSteadySamples) return std::nullopt;
  const Comparison comparison = MeasuredChoices::compare(*chosen, choices_.native());
  if (!comparison.faster || comparison.incumbent < (1.0 + kLargestLoss) * comparison.challenger) return std::nullopt;
  return settleOn(kNativeChoice, fmt::format("In steady use {} takes {} (n={}), native took {}: back to native.",
                                             formatChoice(plan_.incumbent), milliseconds(comparison.incumbent),
                                             chosen->compared.size(), milliseconds(comparison.challenger)));
}

}  // namespace starling
