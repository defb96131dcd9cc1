#include "tuner/key_tuner.h"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "estimators/statistics.h"
#include "tuner/milliseconds.h"

namespace starling {
namespace {

constexpr std::size_t kTrials = 4;

const char* metricName(bool stamps_compare) { return stamps_compare ? "post-arrival time" : "mean elapsed time"; }

std::string separator(const std::string& list) { return list.empty() ? "" : ", "; }

std::string describe(const Candidate& candidate) {
  const bool is_predicted = candidate.predicted > Seconds{};
  return fmt::format("{} ({})", formatChoice(candidate.choice),
                     is_predicted ? "predicted " + milliseconds(candidate.predicted.value) : "not predicted");
}

// The trial that beats native by most.
struct Winner {
  Choice choice;  // native where none does
  Comparison comparison;
};

std::string verdictOn(const Winner& winner) {
  if (winner.choice.algorithm == kNativeAlgorithm) return "None is faster than native beyond noise, so native stays.";
  return fmt::format("{} is faster than native by {}, more than the margin of {}.", formatChoice(winner.choice),
                     milliseconds(winner.comparison.incumbent - winner.comparison.challenger),
                     milliseconds(winner.comparison.margin));
}

}  // namespace

KeyTuner::KeyTuner(const TunerSettings& settings, const Shape& shape, Bytes element_size, bool tunable,
                   std::optional<PolicyRecord> learned)
    : settings_(settings),
      shape_(shape),
      element_size_(element_size),
      learned_(std::move(learned)),
      arrivals_(shape.ranks) {
  if (!tunable) plan_.state = KeyState::kPassesThrough;
}

void KeyTuner::count(const PlannedChoice& planned) {
  trial_calls_ += planned.exploration ? 1 : 0;
  follows_twin_ = follows_twin_ || (!has_plan_ && planned.choice.algorithm != kNativeAlgorithm);
  if (transition_.outdated_epochs == 0) probation_.count(planned.choice == plan_.incumbent);
}

void KeyTuner::observe(const Choice& choice, const CallTimes& times) {
  const bool is_incumbent = choice == plan_.incumbent;
  const bool as_arranged_now = transition_.outdated_epochs == 0 || !is_incumbent;
  choices_.observe(choice, times, as_arranged_now);
  if (is_incumbent && as_arranged_now) probation_.observe();
  arrivals_.observe(times.pattern, times.clock_error);
}

std::optional<double> KeyTuner::gain() const {
  if (plan_.state != KeyState::kSettled) return std::nullopt;
  if (plan_.incumbent.algorithm == kNativeAlgorithm) return 1.0;
  const std::optional<double> native = choices_.medianOf(kNativeChoice);
  const std::optional<double> chosen = choices_.medianOf(plan_.incumbent);
  if (!native || !chosen) return learned_ ? learned_->gain : std::nullopt;
  if (*chosen <= 0.0) return std::nullopt;
  return *native / *chosen;
}

void KeyTuner::planTookForce() {
  transition_.awaits_force = false;
  const bool rearranges = std::exchange(transition_.rearranges, false);
  if (!rearranges && plan_.probation_calls == 0) return;
  // Two epochs are still to be observed in which the plan before was followed: the second of them ended when this plan
  // took force.
  transition_.outdated_epochs = 2;
  probation_.restartCalls();
  if (!rearranges) return;
  choices_.forgetArrangement(plan_.incumbent);
  probation_ = {};
}

std::optional<KeyTuner::Decision> KeyTuner::decide(bool may_rank) {
  if (transition_.outdated_epochs > 0) --transition_.outdated_epochs;
  if (transition_.awaits_force || settings_.options.mode != Mode::kTune) return std::nullopt;
  switch (plan_.state) {
    case KeyState::kObserving:
      return leaveObserving(may_rank);
    case KeyState::kExploring:
      return leaveExploring();
    case KeyState::kSettled:
      return watchSettled(may_rank);
    case KeyState::kPassesThrough:
      return endFollowing();
  }
  return std::nullopt;
}

// A key without a plan of its own runs what its twin does (KeyTable::next()), and native would never be known.
std::optional<KeyTuner::Decision> KeyTuner::endFollowing() {
  if (std::exchange(has_plan_, true)) return std::nullopt;
  return decisionOf(plan_, "");
}

KeyTuner::Decision KeyTuner::decisionOf(KeyPlan plan, std::string reason) {
  Decision decision;
  decision.reason = std::move(reason);
  decision.native = choices_.medianOf(kNativeChoice);
  decision.measured = choices_.medianOf(plan.incumbent);
  const ChoiceTimes* chosen = choices_.find(plan.incumbent);
  if (chosen != nullptr && chosen->predicted > Seconds{}) decision.expected = chosen->predicted.value;
  plan.limit = limitOf(plan);
  plan_ = plan;
  has_plan_ = true;
  transition_.awaits_force = true;
  decision.plan = std::move(plan);
  return decision;
}

std::optional<KeyTuner::Decision> KeyTuner::leaveObserving(bool may_rank) {
  if (!settings_.options.algorithm.empty()) return forced();
  if (settings_.options.reproducible) return may_rank ? std::optional(forced()) : std::nullopt;
  if (learned_) return takeOver();
  if (!choices_.isNativeKnown()) return follows_twin_ ? endFollowing() : std::nullopt;
  return may_rank ? std::optional(proposeTrials()) : std::nullopt;
}

bool KeyTuner::followArrivals(KeyPlan& plan) const {
  return arrivals_.arrange(plan, keepsRankOrder(), settings_.options.virtual_ranks);
}

CandidateQuery KeyTuner::query(const KeyPlan& plan) const {
  ExpandedPlacement placement = expanded(plan.placed, shape_.ranks);
  return {shape_,
          element_size_,
          settings_.model,
          std::move(placement.lateness_ns),
          settings_.options.reproducible,
          arrivals_.usualLatest(),
          arranged(settings_.topology, placement.table)};
}

KeyTuner::Decision KeyTuner::proposeTrials() {
  KeyPlan plan = plan_;
  followArrivals(plan);
  const std::vector<Candidate> candidates = rankCandidates(query(plan), kTrials);
  std::string names;
  for (const Candidate& candidate : candidates) {
    plan.trials.push_back(candidate.choice);
    // What the key ran while it followed its twin was arranged for another site.
    choices_.forgetArrangement(candidate.choice);
    choices_.setPredicted(candidate.choice, candidate.predicted);
    names += separator(names) + describe(candidate);
  }
  plan.trial_calls = static_cast<std::int32_t>(settings_.options.trial_calls);
  plan.state = KeyState::kExploring;
  trial_calls_ = 0;
  const std::vector<double>& native = choices_.native().compared;
  std::string reason =
      fmt::format("native's {} is {} (n={}). To be tried, {} calls each: {}.", metricName(settings_.stamps_compare),
                  milliseconds(summarize(native).median), native.size(), plan.trial_calls, names);
  Decision decision = decisionOf(std::move(plan), std::move(reason));
  decision.has_ranked = true;
  return decision;
}

std::optional<KeyTuner::Decision> KeyTuner::leaveExploring() {
  if (trial_calls_ < static_cast<std::int64_t>(plan_.trials.size()) * plan_.trial_calls) return std::nullopt;
  const std::vector<double>& native = choices_.native().compared;
  Winner winner;
  std::string figures;
  for (const Choice& trial : plan_.trials) {
    const ChoiceTimes* times = choices_.find(trial);
    if (times == nullptr || times->compared.empty()) continue;
    const Comparison comparison = MeasuredChoices::compare(choices_.native(), *times);
    figures += fmt::format("{}{} {} (n={})", separator(figures), formatChoice(trial),
                           milliseconds(comparison.challenger), times->compared.size());
    const bool is_first = winner.choice.algorithm == kNativeAlgorithm;
    if (comparison.faster && (is_first || comparison.challenger < winner.comparison.challenger)) {
      winner = {trial, comparison};
    }
  }
  return settleOn(winner.choice,
                  fmt::format("Median {}: native {} (n={}), {}. {}", metricName(settings_.stamps_compare),
                              milliseconds(summarize(native).median), native.size(), figures, verdictOn(winner)));
}

KeyTuner::Decision KeyTuner::settleOn(const Choice& choice, std::string reason, std::int32_t probation_calls) {
  KeyPlan plan = plan_;
  stopped_.reset();
  plan.trials.clear();
  plan.trial_calls = 0;
  plan.incumbent = choice;
  plan.state = KeyState::kSettled;
  followArrivals(plan);
  const bool is_new = mayBeGivenUp(choice) && isRearranged(plan);
  putOnProbation(plan, probation_calls == 0 && is_new ? kLaterProbation : probation_calls);
  settled_reason_ = reason;
  return decisionOf(std::move(plan), std::move(reason));
}

}  // namespace starling
