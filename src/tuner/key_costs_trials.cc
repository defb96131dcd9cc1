// This part of the costs of a key plans trials, and keeps account of those that are under way.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "tuner/key_costs.h"
#include "tuner/replacement.h"

namespace starling {
namespace {

// A trial that costs nothing is not worth a new plan either where it promises less than this share of a call.
constexpr double kLeastGain = 0.003;

// A trial that took less than this share of what the incumbent takes is confirmed if that is not believed.
constexpr double kClearlyFaster = 0.9;

// Of a trial that is made though it promises nothing, in the order of trials.
constexpr double kLeastProfit = 1.01 * Replacement::kNoticeable;

// What one trial finds tells of the others, too, so that no more than so much is put at stake at once, as a multiple of
// what a call of the incumbent takes; one trial may cost more alone.
constexpr double kMostAtOnce = 1.0;

// A first call takes longer by about this, as a multiple of the incumbent's.
constexpr double kFirstCall = 0.3;
// Decisions until a trial that was planned has been seen.
constexpr std::int32_t kDecisionsToSeen = 4;
// Of a trial that another key is to make, so many calls pass at most, and so many of each key.
constexpr std::int64_t kCallsToSeen = 128;
constexpr std::int64_t kTurnsToSeen = 2;
constexpr std::array<std::int64_t, 4> kMeasurements{1, 2, 4, 8};

// No more than this share of the time of a key's calls goes into looking at what promises nothing.
constexpr double kCheckShare = 0.002;
// Likewise of looking at native, beside which a gain is told: others would come first, which cost less to look at.
constexpr double kNativeShare = 0.003;
// Where it is only known that it takes far longer, this is taken to be what a call of it takes beyond.
constexpr double kExcessOfHopeless = 15.0;
constexpr std::int32_t kMostChecks = 16;  // that make the next one less likely

}  // namespace

void KeyCosts::noteTrial(const Choice& choice) {
  const std::optional<std::size_t> arm = find(choice);
  if (!arm) return;
  arms_[*arm].missed = 0;
  if (arms_[*arm].under_way > 0) --arms_[*arm].under_way;
}

void KeyCosts::disable(const Choice& choice) {
  const std::optional<std::size_t> arm = find(choice);
  if (!arm || *arm == kNative) return;
  arms_[*arm].missed = kMostMissed;
}

void KeyCosts::forgetTrials(std::int64_t planner) {
  for (Arm& arm : arms_) {
    if (arm.planner == planner) arm.under_way = 0;
  }
}

void KeyCosts::forgetTrialsOfOthers(std::int64_t planner) {
  for (Arm& arm : arms_) {
    if (arm.planner != planner) arm.under_way = 0;
  }
}

void KeyCosts::noteDecision(std::int64_t planner, std::int64_t keys) {
  for (Arm& arm : arms_) {
    const bool is_own = arm.planner == planner;
    if (!is_own && calls_ > arm.planned_at + kCallsToSeen + kTurnsToSeen * keys) arm.under_way = 0;
    if (arm.under_way == 0 || !is_own || ++arm.decisions_ago <= kDecisionsToSeen) continue;
    arm.under_way = 0;
    if (&arm != &arms_[kNative]) ++arm.missed;
  }
}

// Calls are held up far more often than they are too fast by chance, so that one that was faster says more than one
// that was slower; but a measurement counts for no more than it may be off by chance.
void KeyCosts::noteTried(std::size_t arm, Seconds time, std::size_t incumbent) {
  if (arm == incumbent || isCold(arm)) return;
  const bool was_faster = time < kClearlyFaster * expected(incumbent) && expected(arm) > expected(incumbent);
  arms_[arm].doubts = was_faster ? arms_[arm].doubts + 1 : 0;
  arms_[arm].is_in_doubt = was_faster && arms_[arm].doubts <= kMostConfirmed;
}

bool KeyCosts::awaitsTrials() const {
  return std::ranges::any_of(arms_, [](const Arm& arm) { return arm.under_way > 0; });
}

std::vector<Choice> KeyCosts::planTrials(std::size_t incumbent, Allowance allowance) {
  struct Trial {
    std::size_t arm = 0;
    double profit = 0.0;  // as a multiple of what a call of the incumbent takes
    double excess = 0.0;  // likewise
  };
  std::vector<Trial> trials;
  arms_[incumbent].look_at = -1;
  arms_[incumbent].is_in_doubt = false;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const Arm& arm = arms_[i];
    // What was never called is called once, and then it is seen whether that is worth repeating.
    const std::int32_t most_under_way = arm.samples < 2 ? 1 : 2;
    if (i == incumbent || !mayBeTried(arm) || waitsForRetry(arm) || arm.under_way >= most_under_way) continue;
    if (!allowance.may_check && isSecondForm(i)) continue;
    const bool is_first_look = i == kNative && arm.samples == 0 && isToBeLookedAt(arm);
    if (arm.under_way == 0 && (arm.is_in_doubt || isToBeRetried(arm) || is_first_look)) {
      trials.push_back({i, std::numeric_limits<double>::infinity(), 0.0});
      continue;
    }
    const double excess = excessOf(i, incumbent);
    Trial trial{i, profitOf(i, incumbent, allowance.calls_to_come, excess), excess};
    // While the key explores, what promises something comes before what is looked at again.
    if (arm.under_way == 0 && isToBeLookedAt(arm)) {
      trial.profit =
          allowance.may_check ? std::numeric_limits<double>::infinity() : std::max(trial.profit, kLeastProfit);
    }
    if (trial.profit > Replacement::kNoticeable) trials.push_back(trial);
  }
  std::ranges::sort(trials, std::greater{}, &Trial::profit);
  std::vector<Choice> choices;
  awaits_others_ = false;
  promise_ = 0.0;
  double at_once = allowance.excess_under_way;
  for (const Trial& trial : trials) {
    if (choices.size() >= allowance.trials) break;
    if (isLeftToOthers(arms_[trial.arm], allowance)) {
      awaits_others_ = true;
      continue;
    }
    if (trial.excess > allowance.excess) continue;
    if (at_once > 0.0 && at_once + trial.excess > kMostAtOnce) {
      awaits_others_ = awaits_others_ || choices.empty();
      continue;
    }
    at_once += trial.excess;
    allowance.excess -= trial.excess;
    if (std::isfinite(trial.profit)) promise_ = std::max(promise_, trial.profit);
    plan(trial.arm, allowance, choices);
  }
  if (allowance.may_check && choices.empty() && !awaitsTrials()) {
    planNativeCheck(incumbent, allowance, choices);
    if (choices.empty()) planCheck(incumbent, allowance, choices);
  }
  return choices;
}

// The more measurements, the more they promise: for most arms that is too little, however many there are.
double KeyCosts::profitOf(std::size_t arm, std::size_t incumbent, double calls_to_come, double excess) const {
  const auto gain_of = [&](std::int64_t times) {
    return beliefs_.expectedGain(arm, incumbent, times, Replacement::kNoticeable);
  };
  double profit = 0.0;
  if (gain_of(kMeasurements.back()) < kLeastGain) return profit;
  for (const std::int64_t times : kMeasurements) {
    const double gain = gain_of(times);
    if (gain >= kLeastGain) profit = std::max(profit, calls_to_come * gain - static_cast<double>(times) * excess);
  }
  return profit;
}

// The other form of what looks as good differs from it by less than other rows do, and can wait.
bool KeyCosts::isSecondForm(std::size_t arm) const {
  if (arms_[arm].was_called) return false;
  const std::optional<Choice> other = otherForm(arms_[arm].choice);
  if (!other) return false;
  const std::size_t other_arm = armOf(*other);
  if (other_arm == arms_.size() || !mayBeTried(arms_[other_arm])) return false;
  const double better = beliefs_.cost(arm) - beliefs_.cost(other_arm);
  return arms_[other_arm].was_called ? better >= 0.0 : better > 0.0;
}

std::int32_t KeyCosts::callsOfTrial(std::size_t arm) const { return cools(arm) ? kCallsInARow : 1; }

// In the short epochs of a key that explores no more calls than these have are planned, but for those of one trial.
void KeyCosts::plan(std::size_t arm, const Allowance& allowance, std::vector<Choice>& choices) {
  if (arm == kNative && arms_[arm].samples == 0) {
    arms_[arm].look_at = -1;
  } else if (arms_[arm].look_at >= 0) {
    arms_[arm].looks = std::min(arms_[arm].looks + 1, kMostChecks);
    arms_[arm].look_at = calls_ + (kFirstLook << arms_[arm].looks);
  }
  arms_[arm].is_in_doubt = false;
  const std::size_t most = std::max<std::size_t>(allowance.trials, kCallsInARow);
  for (std::int32_t i = 0; i < callsOfTrial(arm); ++i) {
    if (!allowance.may_check && choices.size() == most) break;
    choices.push_back(arms_[arm].choice);
    ++arms_[arm].under_way;
  }
  arms_[arm].decisions_ago = 0;
  arms_[arm].planner = allowance.planner;
  arms_[arm].planned_at = calls_;
}

bool KeyCosts::isLeftToOthers(const Arm& arm, const Allowance& allowance) {
  const bool is_first = arm.samples == 0 && !arm.was_called && arm.choice.algorithm != kNativeAlgorithm;
  return is_first && allowance.is_left_to_others && allowance.is_left_to_others(arm.row);
}

double KeyCosts::excessOf(std::size_t arm, std::size_t incumbent) const {
  const double spread = beliefs_.deviationBetween(arm, incumbent);
  const double slower = beliefs_.cost(arm) - beliefs_.cost(incumbent);
  const bool is_first = (arms_[arm].samples == 0 || arms_[arm].is_new_here) && arm != kNative;
  const double first = is_first ? kFirstCall : 0.0;
  return std::max(std::exp(std::min(slower + 0.5 * spread * spread, 10.0)) - 1.0, 0.0) + first;
}

// What native takes may have become less, however much longer it took than the incumbent when it was seen last.
void KeyCosts::planNativeCheck(std::size_t incumbent, const Allowance& allowance, std::vector<Choice>& choices) {
  if (incumbent == kNative) native_check_from_ = calls_ + kLeastBetweenChecks;
  if (calls_ < native_check_from_) return;
  const double excess = excessOfCheck(kNative, incumbent);
  if (excess > kNativeShare * static_cast<double>(calls_)) return;
  native_check_from_ = calls_ + std::max(kLeastBetweenChecks, static_cast<std::int64_t>(excess / kNativeShare));
  plan(kNative, allowance, choices);
}

// What is believed may be wrong, or no longer hold, and nothing that is called would tell: what costs least to look at
// comes first, and each time that it was looked at it counts twice.
void KeyCosts::planCheck(std::size_t incumbent, const Allowance& allowance, std::vector<Choice>& choices) {
  if (calls_ < check_from_) return;
  // What is believed to cost more than may be saved is looked at, too, in time: one call may have been held up.
  const double affordable = std::max(allowance.excess, kCheckShare * static_cast<double>(calls_));
  std::size_t next = incumbent;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    if (i == incumbent || i == kNative || !arms_[i].isUsable() || arms_[i].retry_at >= 0) continue;
    const double excess = excessOfCheck(i, incumbent);
    const double weight = std::ldexp(excess, std::min(arms_[i].checks, kMostChecks));
    if (excess > affordable || weight >= least) continue;
    least = weight;
    next = i;
  }
  if (next == incumbent) return;
  const double excess = excessOfCheck(next, incumbent);
  check_from_ = calls_ + std::max(kLeastBetweenChecks, static_cast<std::int64_t>(excess / kCheckShare));
  ++arms_[next].checks;
  plan(next, allowance, choices);
}

double KeyCosts::excessOfCheck(std::size_t arm, std::size_t incumbent) const {
  if (arms_[arm].is_hopeless && !arms_[arm].was_called) return kExcessOfHopeless;
  return callsOfTrial(arm) * std::max(excessOf(arm, incumbent), Replacement::kNoticeable);
}

}  // namespace starling
