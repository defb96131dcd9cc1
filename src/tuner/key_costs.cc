#include "tuner/key_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/replacement.h"

namespace starling {
namespace {

// Deviations of logarithms. An algorithm differs from what is predicted for it by this, beside what is common to all;
constexpr double kRowError = 0.25;
// of two forms of one algorithm the second differs by this from the first;
constexpr double kFormError = 0.15;
// but by this where nobody knows how ranks arrive.
constexpr double kGuessError = 0.5;
// one through shared memory by this, and is predicted apart from the others;
constexpr double kMemoryError = 0.5;
// the MPI library's own differs by this from the best of the common ones,
constexpr double kNativeError = 0.5;
// and by no more than this: where it seems to, the model is wrong for all.
constexpr double kMostNativeError = 0.7;
// Ranks that wait for each other wait for whoever is held up: such calls scatter so many times as far.
constexpr double kScatterInStep = 2.0;
// What is known of an algorithm no longer holds.
constexpr double kUnknown = 1.0;
// What an earlier run has learned is right within this.
constexpr double kLearnedError = 0.15;
// Its first call may be slow because it is the first.
constexpr double kAssumedError = 0.2;
// What other keys have learned is right within this, for each size class that lies between.
constexpr double kInheritedError = 0.08;
// It is taken where it is known so much better than here.
constexpr double kWorthHearing = 0.8;
// Other arrivals make so much of a difference that is not predicted, beside this share of what is.
constexpr double kMovedError = 0.05;
constexpr double kMovedShare = 0.25;
// What costs are off by where ranks arrive otherwise, and rows are not ranked for it yet.
constexpr double kUnrankedError = 0.15;

// What a short call within a machine is off by where it does not follow its like.
constexpr double kColdError = 1.0;
constexpr Seconds kShortInMemory{2e-3};
constexpr Seconds kShortNative{20e-6};

// A disturbance that is no more than this share of what is expected is an error as others are.
constexpr double kSmallDisturbance = 0.1;
// A greater one makes calls longer by any time up to so many times what is usual.
constexpr double kMostDisturbance = 2.0;

// A coarse clock may say that a call took no time. It is taken to be this share of what is expected of the arm, or of
// native, where that is more than such a share of what is predicted: calls that seem to take no time one after the
// other would make less and less of what is expected.
constexpr double kShortest = 0.25;
constexpr double kLeastOfPredicted = 0.02;

// Returns whether the row is one of those that MPI libraries have, too.
bool isCommon(const Candidate& candidate) {
  const Algorithm& row = *findAlgorithm(candidate.choice.algorithm);
  return !row.uses_arrivals && row.suits_topology == nullptr;
}

// Returns what the best of those is predicted to take, from which native differs.
Seconds bestCommon(const std::vector<Candidate>& candidates) {
  Seconds least{std::numeric_limits<double>::infinity()};
  for (const Candidate& candidate : candidates) {
    if (isCommon(candidate)) least = std::min(least, candidate.predicted);
  }
  return std::isfinite(least.value) ? least : candidates.empty() ? Seconds{1e-6} : candidates.front().predicted;
}

double logOf(Seconds time) { return std::log(std::max(time.value, 1e-12)); }

// Where the only call of an algorithm took twice as long as what is in force, it is not known well how much of that was
// for its being the first: another call is to tell.
constexpr double kMuchLonger = 0.7;

}  // namespace

void KeyCosts::predict(const std::vector<Candidate>& candidates) {
  if (arms_.empty())
    addArms(candidates);
  else
    moveArms(candidates);
}

void KeyCosts::addArms(const std::vector<Candidate>& candidates) {
  arms_.push_back({.predicted = bestCommon(candidates)});
  beliefs_.add(logOf(arms_.back().predicted), kNativeError);
  for (const Candidate& candidate : candidates) addArm(candidate);
  addOtherForms();
}

// What messages cost says nothing of what memory does.
void KeyCosts::addArm(const Candidate& candidate) {
  const double cost = logOf(candidate.predicted);
  const std::optional<Choice> other = otherForm(candidate.choice);
  const std::size_t other_arm = other ? armOf(*other) : arms_.size();
  if (other_arm < arms_.size())
    beliefs_.addLike(other_arm, cost, candidate.is_guess ? kGuessError : kFormError);
  else if (runsInMemory(candidate.choice.algorithm))
    beliefs_.addApart(cost, kMemoryError);
  else
    beliefs_.add(cost, kRowError);
  arms_.push_back({.predicted = candidate.predicted, .is_hopeless = candidate.takes_longer});
  change(arms_.size() - 1, candidate.choice);
}

void KeyCosts::addOtherForms() {
  const std::size_t known = arms_.size();
  for (std::size_t i = 0; i < known; ++i) {
    const std::optional<Choice> other = otherForm(arms_[i].choice);
    if (!other || armOf(*other) < arms_.size()) continue;
    addArm({*other, arms_[i].predicted});
    arms_.back().is_available = false;
  }
}

void KeyCosts::change(std::size_t arm, const Choice& choice) {
  arms_[arm].choice = choice;
  arms_[arm].row = formOf(choice);
  arms_[arm].is_in_doubt = false;
  beliefs_.setScatter(arm, keepsInStep(choice) ? kScatterInStep : 1.0);
}

void KeyCosts::moveArms(const std::vector<Candidate>& candidates) {
  const bool has_moved = std::exchange(has_moved_, false);
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    Arm& arm = arms_[i];
    Seconds predicted = bestCommon(candidates);
    const bool is_known = has_moved && arm.since_move > 0;
    if (i != kNative) {
      const auto found =
          std::ranges::find(candidates, arm.row, [](const Candidate& one) { return formOf(one.choice); });
      arm.is_available = found != candidates.end();
      if (!arm.is_available) continue;
      predicted = found->predicted;
      arm = {.predicted = arm.predicted,
             .is_hopeless = found->takes_longer,
             .was_called = arm.was_called,
             .is_learned = arm.is_learned,
             .is_assumed = arm.is_assumed,
             .missed = arm.missed,
             .losses = arm.losses,
             .looks = arm.looks,
             .look_at = arm.look_at,
             .retry_at = arm.retry_at,
             .is_new_here = arm.is_new_here};
      change(i, found->choice);
    }
    const double difference = logOf(predicted) - logOf(arm.predicted);
    if (!is_known) beliefs_.shift(i, difference, kMovedError + kMovedShare * std::abs(difference));
    arm.predicted = predicted;
  }
}

void KeyCosts::noteCommunicator() {
  for (Arm& arm : arms_) {
    arm.is_new_here = arm.was_called;
    arm.under_way = arm.missed = 0;
  }
}

void KeyCosts::noteMove() {
  has_moved_ = true;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    beliefs_.shift(i, 0.0, kUnrankedError);
    arms_[i].since_move = 0;
  }
}

void KeyCosts::inherit(std::span<const CostResidual> residuals, std::int32_t distance) {
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const auto found = std::ranges::find(residuals, arms_[i].row, &CostResidual::row);
    if (found == residuals.end()) continue;
    const double deviation = std::hypot(found->deviation, kInheritedError * (1.0 + distance));
    beliefs_.observeCost(i, logOf(arms_[i].predicted) + found->off, deviation);
  }
}

// What is known as well already is not taken twice.
void KeyCosts::hear(const CostResidual& found, std::int32_t distance) {
  const std::size_t arm = armOf(found.row);
  if (arm == arms_.size() || arm == kNative || arms_[arm].samples > 0) return;
  const double deviation = std::hypot(found.deviation, kInheritedError * (1.0 + distance));
  const double cost = logOf(arms_[arm].predicted) + found.off;
  const bool is_surprise = std::abs(cost - beliefs_.cost(arm)) > deviation;
  if (deviation > kWorthHearing * beliefs_.deviation(arm) && !is_surprise) return;
  beliefs_.observeCost(arm, cost, deviation);
  arms_[arm].is_learned = arms_[arm].is_learned || distance == 0;
}

std::vector<CostResidual> KeyCosts::residuals() const {
  std::vector<CostResidual> residuals;
  const auto became_slow = [](const Arm& arm) { return arm.retry_at >= 0; };
  const bool has_any = std::ranges::any_of(arms_, became_slow);
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (arms_[i].is_learned && !arms_[i].was_called) continue;
    // What was good and became slow here may do so in no other key, and so with what only follows from it.
    if (became_slow(arms_[i]) || (has_any && arms_[i].samples == 0)) continue;
    residuals.push_back(residualOf(i));
  }
  return residuals;
}

CostResidual KeyCosts::residualOf(std::size_t arm) const {
  const double off = beliefs_.cost(arm) - logOf(arms_[arm].predicted);
  return {arms_[arm].row, off, beliefs_.deviation(arm)};
}

std::optional<std::size_t> KeyCosts::find(const Choice& choice) const {
  const auto found = std::ranges::find(arms_, choice, &Arm::choice);
  if (found == arms_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - arms_.begin());
}

std::size_t KeyCosts::armOf(const RowForm& row) const {
  const auto found = std::ranges::find(arms_, row, &Arm::row);
  return static_cast<std::size_t>(found - arms_.begin());
}

// A short call within a machine that follows one of another kind takes up to several times as long as one that follows
// its like, because the caches hold what that one needed.
bool KeyCosts::cools(std::size_t arm) const {
  // What was stopped is believed to take far longer than it may when it is tried again.
  const Seconds usual = arms_[arm].retry_at >= 0 ? arms_[arm].predicted : expected(arm);
  if (arms_[arm].choice.algorithm == kNodeAlgorithm) return coldCallsOf(kNodeAlgorithm, usual) > 0;
  return arm == kNative && armOf(RowForm{kNodeAlgorithm}) < arms_.size() && expected(arm) < kShortNative;
}

std::int32_t KeyCosts::coldCallsOf(std::int32_t algorithm, Seconds time) {
  return algorithm == kNodeAlgorithm && time < kShortInMemory ? kColdCalls : 0;
}

std::int32_t KeyCosts::coldCalls(std::size_t arm) const {
  return static_cast<std::int32_t>(std::max<std::int64_t>(firstColdCalls(arm) - arms_[arm].samples, 0));
}

bool KeyCosts::isCold(std::size_t arm) const { return cools(arm) && (arm != latest_ || coldCalls(arm) > 0); }

std::optional<Seconds> KeyCosts::undisturbed(std::size_t arm, Seconds time, Seconds disturbance) const {
  if (disturbance <= kSmallDisturbance * expected(arm) || time <= expected(arm)) return time;
  // A remainder that is less than the disturbance may be a part of it, and tells nothing.
  const Seconds least = time - kMostDisturbance * disturbance;
  return least > std::max(expected(arm), disturbance) ? std::optional(least) : std::nullopt;
}

bool KeyCosts::observe(const Choice& choice, Seconds time, Seconds error, Seconds disturbance) {
  const std::optional<std::size_t> arm = find(choice);
  if (!arm || !std::isfinite(time.value)) return false;
  // What was stopped is not judged by calls that were under way then, of whichever key.
  if (waitsForRetry(arms_[*arm])) return false;
  // Calls in memory that was never touched before say nothing of what an earlier run has found.
  const bool tells_nothing = arms_[*arm].is_assumed && coldCalls(*arm) > 0;
  const std::optional<Seconds> own = tells_nothing ? std::nullopt : undisturbed(*arm, time, disturbance);
  if (!own) {
    latest_ = *arm;
    arms_[*arm].samples += tells_nothing ? 1 : 0;
    noteUntold(arms_[*arm], time / expected(kNative));
    return false;
  }
  time = *own;
  error = {std::hypot(error.value, disturbance.value)};
  const double predicted = logOf(arms_[*arm].predicted) + std::log(kLeastOfPredicted);
  const double expected_least = std::min(beliefs_.cost(*arm), beliefs_.cost(kNative));
  const double least = std::max(expected_least, predicted) + std::log(kShortest);
  const double cost = std::max(logOf(time), least);
  const double share = std::hypot(error.value / std::exp(cost), isCold(*arm) ? kColdError : 0.0);
  // What was assumed gives way to what is measured, unless that tells little; and so does what was slow.
  const bool tells = !isCold(*arm) && disturbance.value < std::exp(cost);
  const bool is_assumed = tells && std::exchange(arms_[*arm].is_assumed, false);
  latest_ = *arm;
  ++arms_[*arm].since_move;
  const bool is_retry = isToBeRetried(arms_[*arm]);
  if (is_retry && !tells) {
    ++arms_[*arm].samples;
    noteUntold(arms_[*arm], time / expected(kNative));
    return false;
  }
  const bool is_anew = is_assumed || is_retry;
  if (is_anew) beliefs_.observeAnew(*arm, cost, std::hypot(share, is_assumed ? kAssumedError : 0.0));
  if (is_retry) noteRetry(arms_[*arm], time / expected(kNative));
  arms_[*arm].was_called = true;
  const bool is_new_here = std::exchange(arms_[*arm].is_new_here, false);
  const bool is_first = (arms_[*arm].samples++ == 0 || is_new_here) && *arm != kNative;
  arms_[*arm].only = is_first ? std::optional(cost) : std::nullopt;
  if (is_anew) return false;
  if (!is_first) return beliefs_.observe(*arm, cost, share);
  beliefs_.observeFirst(*arm, cost, share);
  return false;
}

void KeyCosts::calibrate(Seconds native) {
  if (native <= Seconds{}) return;
  const double off = logOf(native) - beliefs_.cost(kNative);
  beliefs_.shiftAll(off - std::clamp(off, -kMostNativeError, kMostNativeError));
}

void KeyCosts::assume(const Choice& choice, double gain, bool arrives_as_then) {
  const std::size_t chosen = armOf(choice);
  if (chosen == arms_.size()) return;
  if (chosen != kNative) {
    change(chosen, choice);
    arms_[chosen].is_learned = arms_[chosen].is_assumed = true;
    beliefs_.shift(chosen, 0.0, kUnknown);
    beliefs_.observeDifference(chosen, kNative, -std::log(gain), kLearnedError);
  }
  if (!arrives_as_then) return;
  for (std::size_t i = 1; i < arms_.size(); ++i) {
    if (i == chosen) continue;
    const double difference = beliefs_.cost(i) - beliefs_.cost(chosen);
    beliefs_.observeDifference(i, chosen, std::max(difference, Replacement::kNoticeable), kLearnedError);
  }
}

void KeyCosts::trust(const Choice& choice) {
  const std::size_t arm = armOf(choice);
  if (arm == arms_.size() || arm == kNative) return;
  change(arm, choice);
  arms_[arm].is_learned = true;
}

std::size_t KeyCosts::best(std::size_t now) const {
  if (!arms_.at(now).isUsable()) now = kNative;
  const double sure = now == kNative ? Replacement::kSureOfNative : Replacement::kSureOfRow;
  std::size_t best = now;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const bool is_other_form = arms_[i].choice.algorithm == arms_[now].choice.algorithm;
    const double noticeable = is_other_form ? Replacement::kNoticeableOfForms : Replacement::kNoticeable;
    if (!arms_[i].isUsable() || waitsForRetry(arms_[i]) || !(wasCalled(i) || arms_[i].is_learned) ||
        beliefs_.cost(i) >= beliefs_.cost(now) - noticeable)
      continue;
    if (beliefs_.probabilityOfLess(i, now) < sure) continue;
    if (arms_[i].only && *arms_[i].only >= beliefs_.cost(now) + kMuchLonger) continue;
    if (best == now || beliefs_.cost(i) < beliefs_.cost(best)) best = i;
  }
  return best;
}

KeyCosts::Ratio KeyCosts::nativeBeside(std::size_t arm) const {
  return {beliefs_.cost(kNative) - beliefs_.cost(arm), beliefs_.deviationBetween(kNative, arm)};
}

Seconds KeyCosts::expected(std::size_t arm) const { return {std::exp(beliefs_.cost(arm))}; }

Seconds KeyCosts::leastExpected() const {
  Seconds least = expected(kNative);
  for (std::size_t i = 1; i < arms_.size(); ++i) {
    if (wasCalled(i) && arms_[i].isUsable()) least = std::min(least, expected(i));
  }
  return least;
}

}  // namespace starling
