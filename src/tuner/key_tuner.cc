#include "tuner/key_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimators/statistics.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

constexpr std::size_t kTrials = 4;
constexpr std::size_t kNativeSamples = 3;  // of native before candidates are tried against it
constexpr std::size_t kSteadySamples = 8;  // of the chosen plan before it may be found slower than native
constexpr double kSmallestGain = 0.03;     // share of the incumbent's time
constexpr double kLargestLoss = 0.10;      // a chosen plan slower than native by this share is given up
constexpr double kPredictableError = 0.5;  // of the usual lateness: with a larger error the pattern counts as random
constexpr std::int64_t kUsualCalls = 16;   // that the usual lateness remembers
constexpr double kLatenessChange = 0.25;   // share of the largest lateness that one must move by for a new plan

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", seconds * 1e3); }

const char* metricName(bool clocks_agree) { return clocks_agree ? "post-arrival time" : "mean elapsed time"; }

// By how much the smaller of two values is below the mean, in standard deviations of a normal distribution.
constexpr double kSmallerOfTwo = 0.56;

// The median; of two values the smaller, because the first call of a new plan may have opened connections.
double typicalOfTrials(std::span<const double> times) {
  return times.size() == 2 ? std::min(times[0], times[1]) : summarize(times).median;
}

// Ranks that are about equally late would change places at every sorting, and each new table costs new schedules.
std::vector<std::int32_t> nextTable(const std::vector<std::int32_t>& table, std::span<const Seconds> lateness,
                                    Seconds noise, TablePolicy policy) {
  if (policy == TablePolicy::kSwap) return swappedTable(table, lateness, noise);
  return isSortedTable(table, lateness, noise) ? table : sortedTable(lateness, noise);
}

// By virtual rank, of the same table; `before` empty: all were on time.
bool latenessMoved(std::span<const std::int64_t> before, std::span<const std::int64_t> now) {
  std::int64_t latest = *std::max_element(now.begin(), now.end());
  if (!before.empty()) latest = std::max(latest, *std::max_element(before.begin(), before.end()));
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::int64_t moved = std::abs(now[i] - (before.empty() ? 0 : before[i]));
    if (static_cast<double>(moved) > kLatenessChange * static_cast<double>(latest)) return true;
  }
  return false;
}

}  // namespace

Seconds comparedTime(const SampledCall& call, bool clocks_agree) {
  double exit_sum = 0.0;
  double arrival_sum = 0.0;
  for (const Seconds exit : call.exits) exit_sum += exit.value;
  for (const Seconds arrival : call.arrivals) arrival_sum += arrival.value;
  const double ranks = static_cast<double>(call.exits.size());
  const double last = std::max_element(call.arrivals.begin(), call.arrivals.end())->value;
  return {exit_sum / ranks - (clocks_agree ? last : arrival_sum / ranks)};
}

Comparison compareTimes(std::span<const double> incumbent, std::span<const double> challenger) {
  Comparison comparison;
  if (incumbent.empty() || challenger.empty()) return comparison;
  comparison.incumbent = summarize(incumbent).median;
  comparison.challenger = typicalOfTrials(challenger);
  const double scatter = robustDeviation(incumbent);
  const double standard_error =
      scatter * std::sqrt(1.0 / static_cast<double>(incumbent.size()) + 1.0 / static_cast<double>(challenger.size()));
  const double luck = challenger.size() == 2 ? kSmallerOfTwo * scatter : 0.0;
  comparison.margin = std::max(kSmallestGain * std::abs(comparison.incumbent), 2.0 * standard_error + luck);
  comparison.faster = comparison.challenger < comparison.incumbent - comparison.margin;
  return comparison;
}

KeyTuner::KeyTuner(const TunerSettings& settings, const Shape& shape, Bytes element_size, bool tunable,
                   std::optional<PolicyRecord> learned)
    : settings_(settings),
      shape_(shape),
      element_size_(element_size),
      learned_(std::move(learned)),
      predictor_(shape.ranks),
      usual_lateness_(static_cast<std::size_t>(shape.ranks)) {
  statisticsOf(Choice{});
  if (!tunable) plan_.state = KeyState::kPassesThrough;
}

ChoiceStatistics& KeyTuner::statisticsOf(const Choice& choice) {
  for (ChoiceStatistics& statistics : statistics_) {
    if (statistics.choice == choice) return statistics;
  }
  statistics_.emplace_back().choice = choice;
  return statistics_.back();
}

const ChoiceStatistics* KeyTuner::findStatistics(const Choice& choice) const {
  for (const ChoiceStatistics& statistics : statistics_) {
    if (statistics.choice == choice) return &statistics;
  }
  return nullptr;
}

void KeyTuner::count(const Choice& choice, bool exploration) {
  ChoiceStatistics& statistics = statisticsOf(choice);
  ++statistics.calls;
  if (exploration) {
    ++statistics.exploration_calls;
    ++trial_calls_seen_;
  }
}

void KeyTuner::observe(const SampledCall& call) {
  if (outdated_epochs_ == 0 || call.choice != plan_.incumbent) {
    std::vector<double>& times = statisticsOf(call.choice).post_arrival;
    if (times.size() == kKeptSamples) times.erase(times.begin());
    times.push_back(comparedTime(call, settings_.clocks_agree).value);
  }
  if (!settings_.clocks_agree) return;
  const Seconds earliest = *std::min_element(call.arrivals.begin(), call.arrivals.end());
  std::vector<Seconds> lateness(call.arrivals.size());
  std::transform(call.arrivals.begin(), call.arrivals.end(), lateness.begin(),
                 [earliest](Seconds arrival) { return arrival - earliest; });
  predictor_.observe(lateness);
  const double share = 1.0 / static_cast<double>(std::min<std::int64_t>(predictor_.observations(), kUsualCalls));
  for (std::size_t rank = 0; rank < lateness.size(); ++rank) {
    usual_lateness_[rank] += share * (lateness[rank] - usual_lateness_[rank]);
  }
  usual_latest_ += share * (*std::max_element(lateness.begin(), lateness.end()) - usual_latest_);
}

std::optional<double> KeyTuner::gain() const {
  if (plan_.state != KeyState::kSettled) return std::nullopt;
  if (plan_.incumbent.algorithm == kNativeAlgorithm) return 1.0;
  const ChoiceStatistics* native = findStatistics(Choice{});
  const ChoiceStatistics* chosen = findStatistics(plan_.incumbent);
  if (native->post_arrival.empty() || chosen == nullptr || chosen->post_arrival.empty()) {
    return learned_ ? learned_->gain : std::nullopt;
  }
  const double chosen_median = summarize(chosen->post_arrival).median;
  if (chosen_median <= 0.0) return std::nullopt;
  return summarize(native->post_arrival).median / chosen_median;
}

void KeyTuner::planTookForce() {
  awaits_force_ = false;
  if (!std::exchange(arrangement_changes_, false)) return;
  // What the choice took as it was arranged before says nothing about it now; nor do the two epochs that are still to
  // be observed, the last of which ended when this plan took force.
  statisticsOf(plan_.incumbent).post_arrival.clear();
  outdated_epochs_ = 2;
}

std::optional<KeyTuner::Decision> KeyTuner::decide(bool may_rank) {
  if (outdated_epochs_ > 0) --outdated_epochs_;
  if (awaits_force_ || settings_.options.mode != Mode::kTune) return std::nullopt;
  switch (plan_.state) {
    case KeyState::kObserving:
      return leaveObserving(may_rank);
    case KeyState::kExploring:
      return leaveExploring();
    case KeyState::kSettled:
      return watchSettled(may_rank);
    case KeyState::kPassesThrough:
      return std::nullopt;
  }
  return std::nullopt;
}

KeyTuner::Decision KeyTuner::decisionOf(KeyPlan plan, std::string reason) {
  Decision decision;
  decision.reason = std::move(reason);
  const ChoiceStatistics* native = findStatistics(Choice{});
  const ChoiceStatistics* chosen = findStatistics(plan.incumbent);
  if (!native->post_arrival.empty()) decision.native = summarize(native->post_arrival).median;
  if (chosen != nullptr) {
    if (!chosen->post_arrival.empty()) decision.measured = summarize(chosen->post_arrival).median;
    if (chosen->predicted > Seconds{}) decision.expected = chosen->predicted.value;
  }
  plan_ = plan;
  awaits_force_ = true;
  decision.plan = std::move(plan);
  return decision;
}

std::optional<KeyTuner::Decision> KeyTuner::leaveObserving(bool may_rank) {
  if (!settings_.options.algorithm.empty()) return forced();
  if (settings_.options.reproducible) return may_rank ? std::optional(forced()) : std::nullopt;
  if (learned_) return takeOver();
  if (!may_rank || findStatistics(Choice{})->post_arrival.size() < kNativeSamples) return std::nullopt;
  return proposeTrials();
}

CandidateQuery KeyTuner::query(const KeyPlan& plan) const {
  const bool is_noise = usual_latest_ <= orderingNoise(usual_latest_);
  return {shape_,
          element_size_,
          settings_.model,
          plan.lateness_ns,
          settings_.options.reproducible,
          is_noise ? Seconds{} : usual_latest_,
          arranged(settings_.topology, plan.table)};
}

KeyTuner::Decision KeyTuner::proposeTrials() {
  KeyPlan plan = plan_;
  followArrivals(plan);
  const std::vector<Candidate> candidates = rankCandidates(query(plan), kTrials);
  std::string names;
  for (const Candidate& candidate : candidates) {
    plan.trials.push_back(candidate.choice);
    statisticsOf(candidate.choice).predicted = candidate.predicted;
    const bool is_predicted = candidate.predicted > Seconds{};
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", formatChoice(candidate.choice),
                         is_predicted ? "predicted " + milliseconds(candidate.predicted.value) : "not predicted");
  }
  plan.trial_calls = static_cast<std::int32_t>(settings_.options.trial_calls);
  plan.state = KeyState::kExploring;
  trial_calls_seen_ = 0;
  const std::vector<double>& native = findStatistics(Choice{})->post_arrival;
  std::string reason =
      fmt::format("native's {} is {} (n={}). To be tried, {} calls each: {}.", metricName(settings_.clocks_agree),
                  milliseconds(summarize(native).median), native.size(), plan.trial_calls, names);
  Decision decision = decisionOf(std::move(plan), std::move(reason));
  decision.has_ranked = true;
  return decision;
}

std::optional<KeyTuner::Decision> KeyTuner::leaveExploring() {
  const auto planned = static_cast<std::int64_t>(plan_.trials.size()) * plan_.trial_calls;
  if (trial_calls_seen_ < planned) return std::nullopt;
  const std::vector<double>& native = findStatistics(Choice{})->post_arrival;
  Choice best;
  Comparison best_comparison;
  std::string figures;
  for (const Choice& trial : plan_.trials) {
    const ChoiceStatistics& statistics = statisticsOf(trial);
    if (statistics.post_arrival.empty()) continue;
    const Comparison comparison = compareTimes(native, statistics.post_arrival);
    figures += fmt::format("{}{} {} (n={})", figures.empty() ? "" : ", ", formatChoice(trial),
                           milliseconds(comparison.challenger), statistics.post_arrival.size());
    if (!comparison.faster) continue;
    if (best.algorithm == kNativeAlgorithm || comparison.challenger < best_comparison.challenger) {
      best = trial;
      best_comparison = comparison;
    }
  }
  std::string reason = fmt::format("Median {}: native {} (n={}), {}. ", metricName(settings_.clocks_agree),
                                   milliseconds(summarize(native).median), native.size(), figures);
  if (best.algorithm == kNativeAlgorithm) {
    reason += "None is faster than native beyond noise, so native stays.";
  } else {
    reason += fmt::format("{} is faster than native by {}, more than the margin of {}.", formatChoice(best),
                          milliseconds(best_comparison.incumbent - best_comparison.challenger),
                          milliseconds(best_comparison.margin));
  }
  return settleOn(best, std::move(reason));
}

KeyTuner::Decision KeyTuner::settleOn(const Choice& choice, std::string reason) {
  KeyPlan plan = plan_;
  plan.trials.clear();
  plan.trial_calls = 0;
  plan.incumbent = choice;
  plan.state = KeyState::kSettled;
  followArrivals(plan);
  settled_reason_ = reason;
  return decisionOf(std::move(plan), std::move(reason));
}

std::optional<KeyTuner::Decision> KeyTuner::watchSettled(bool may_rank) {
  KeyPlan plan = plan_;
  if (settings_.options.reproducible && settings_.options.algorithm.empty()) {
    if (!may_rank || !followArrivals(plan)) return std::nullopt;
    arrangement_changes_ = true;
    return reproducible(std::move(plan), "The predicted arrivals changed. ");
  }
  if (!followArrivals(plan)) return leaveFaultyChoice();
  const Algorithm& algorithm = *findAlgorithm(plan.incumbent.algorithm);
  arrangement_changes_ =
      !std::ranges::equal(heeded(algorithm, plan.lateness_ns), heeded(algorithm, plan_.lateness_ns)) ||
      (algorithm.build != nullptr && plan.table != plan_.table);
  return decisionOf(std::move(plan), keepsRankOrder()
                                         ? "The predicted arrivals changed."
                                         : "The predicted arrivals changed, and the virtual-rank table follows them.");
}

std::optional<KeyTuner::Decision> KeyTuner::leaveFaultyChoice() {
  if (plan_.incumbent.algorithm == kNativeAlgorithm || !settings_.options.algorithm.empty()) return std::nullopt;
  const std::vector<double>& native = findStatistics(Choice{})->post_arrival;
  const ChoiceStatistics* chosen = findStatistics(plan_.incumbent);
  if (native.size() < kNativeSamples || chosen == nullptr || chosen->post_arrival.size() < kSteadySamples) {
    return std::nullopt;
  }
  const Comparison comparison = compareTimes(chosen->post_arrival, native);
  if (!comparison.faster || comparison.incumbent < (1.0 + kLargestLoss) * comparison.challenger) return std::nullopt;
  return settleOn(Choice{}, fmt::format("In steady use {} takes {} (n={}), native took {}: back to native.",
                                        formatChoice(plan_.incumbent), milliseconds(comparison.incumbent),
                                        chosen->post_arrival.size(), milliseconds(comparison.challenger)));
}

bool KeyTuner::followArrivals(KeyPlan& plan) const {
  if (predictor_.observations() == 0) return false;
  const ArrivalPrediction prediction = predictor_.predict();
  const auto latest = std::max_element(prediction.lateness.begin(), prediction.lateness.end());
  const auto latest_rank = static_cast<std::size_t>(latest - prediction.lateness.begin());
  const Seconds error = prediction.error[latest_rank];
  // A rank that is late at random is forecast late just after it was. Its error is small beside that forecast, but not
  // beside what it is late by as a rule.
  const Seconds usual = std::min(usual_lateness_[latest_rank], *latest);
  // What ranks that are on time scatter by says nothing about their order.
  std::vector<Seconds> errors = prediction.error;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  const Seconds noise = std::max(orderingNoise(*latest), *middle);
  const bool predictable = *latest > noise && error < kPredictableError * usual;
  if (!predictable) return false;  // the table in force stays: without knowledge no table is better
  const std::vector<std::int32_t> before = plan.table.empty() ? identityTable(shape_.ranks) : plan.table;
  std::vector<std::int32_t> table = before;
  if (!keepsRankOrder()) table = nextTable(before, prediction.lateness, noise, settings_.options.virtual_ranks);
  std::vector<std::int64_t> lateness_ns;
  for (const std::int32_t rank : table) {
    const Seconds lateness = prediction.lateness[static_cast<std::size_t>(rank)];
    lateness_ns.push_back(lateness > noise ? toNanoseconds(lateness) : 0);
  }
  if (table == before && !latenessMoved(plan.lateness_ns, lateness_ns)) return false;
  if (!keepsRankOrder()) plan.table = std::move(table);
  plan.lateness_ns = std::move(lateness_ns);
  return true;
}

}  // namespace starling
