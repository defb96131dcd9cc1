// This part of a key's tuner watches a settled plan: does it still pay, and do its table and latenesses still fit?
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "estimators/statistics.h"
#include "tuner/key_tuner.h"
#include "tuner/milliseconds.h"

namespace starling {
namespace {

constexpr std::size_t kSteadySamples = 8;  // of the chosen plan before it may be found a little slower than native
constexpr double kLargestLoss = 0.10;      // a chosen plan slower than native by this share is given up
constexpr double kWatchShare = 0.05;       // of native's time may go into looking at calls one by one
constexpr double kRarestWatch = 32.0;

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
  const ExpandedPlacement now = expanded(plan_.placed, shape_.ranks);
  const ExpandedPlacement then = expanded(plan.placed, shape_.ranks);
  return !std::ranges::equal(relevantLateness(algorithm, then.lateness_ns),
                             relevantLateness(algorithm, now.lateness_ns)) ||
         (algorithm.build != nullptr && then.table != now.table);
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
  std::size_t samples = probation_.samplesToJudge(plan_.probation_calls);
  std::optional<Loss> loss = choices_.lossOf(plan_.incumbent, samples);
  if (const std::optional<double> stopped = std::exchange(stopped_, std::nullopt)) {
    samples = CallLimit::kSlowCalls;
    loss = {*stopped, summarize(choices_.native().net).median};
  }
  if (!loss) return std::nullopt;
  doubt_ = Doubt{plan_.incumbent, loss->shortest, choices_.native().samples, goodSamples()};
  return settleOn(
      kNativeChoice,
      fmt::format("{} took {} or more in its latest calls (n={}), native took {}: back to native.",
                  formatChoice(plan_.incumbent), milliseconds(loss->shortest), samples, milliseconds(loss->native)));
}

void KeyTuner::noteStop(const Choice& choice, Seconds shortest) {
  ++times_stopped_;
  if (choice == plan_.incumbent) stopped_ = shortest.value;
}

// To look at a call takes a message for each time that the ranks can be halved, which other messages hide in part.
CallLimit KeyTuner::limitOf(const KeyPlan& plan) const {
  CallLimit limit;
  limit.known = times_stopped_;
  const std::optional<double> intolerable = choices_.intolerableTime();
  if (!mayBeGivenUp(plan.incumbent) || !intolerable) return limit;
  limit.slow_ns = std::max<std::int64_t>(toNanoseconds(Seconds{*intolerable}), 1);
  const auto rounds = std::bit_width(static_cast<std::uint32_t>(shape_.ranks - 1));
  const double cost = rounds * settings_.model.alpha.value;
  // A coarse clock may find that native takes no time.
  const double allowed = kWatchShare * summarize(choices_.native().net).median;
  const double wanted = allowed > 0.0 ? cost / allowed : kRarestWatch;
  limit.every = static_cast<std::int32_t>(std::clamp(std::ceil(wanted), 1.0, kRarestWatch));
  return limit;
}

// A choice that was faster than native for long may have been slow by chance.
std::size_t KeyTuner::goodSamples() const {
  const ChoiceTimes* chosen = choices_.find(plan_.incumbent);
  if (chosen == nullptr || chosen->compared.size() < kSteadySamples) return 0;
  const bool is_good = summarize(chosen->compared).median < summarize(choices_.native().compared).median;
  return is_good ? chosen->compared.size() : 0;
}

// Takes a choice back: native was measured before the choice became slow, and where it takes as long now, the choice is
// not to blame. One that had been good for long gets another chance, since a few calls may be slow by chance; it has to
// be good for as long again before it gets the next.
std::optional<KeyTuner::Decision> KeyTuner::takeBack() {
  constexpr std::int64_t kFresh = MeasuredChoices::kNativeSamples;
  if (!doubt_ || choices_.native().samples < doubt_->native_samples + kFresh) return std::nullopt;
  const Doubt doubt = *std::exchange(doubt_, std::nullopt);
  const bool native_is_as_slow = choices_.nativeIsAsSlow(doubt.net);
  if (!native_is_as_slow && doubt.good_samples == 0) return std::nullopt;
  choices_.forgetFormerTimes(doubt.choice);
  if (!native_is_as_slow) {
    return settleOn(doubt.choice,
                    fmt::format("{} had been faster than native (n={}) before it was slow: it is tried once more.",
                                formatChoice(doubt.choice), doubt.good_samples),
                    kFirstProbation);
  }
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
