// This part of the costs of a key gives up what became slow, and has it tried again.
#include <algorithm>
#include <cmath>

#include "tuner/key_costs.h"
#include "tuner/plan.h"

namespace starling {
namespace {

// What is known of one algorithm, and of all, where one is found to be far slower than native.
constexpr double kLossOfOne = 0.7;
constexpr double kLossOfAll = 0.7;
// Such a loss is right within this.
constexpr double kLossError = 0.1;

// What was called so often, and was no slower than native, was good.
constexpr std::int64_t kCallsToBeGood = 8;
// No more than this share of the time of a key's calls goes into trying again what became slow.
constexpr double kRetryShare = 0.02;
constexpr std::int32_t kMostLosses = 16;  // that make the next retry later
constexpr double kGreatestLoss = 1e3;     // that counts

}  // namespace

void KeyCosts::noteLoss(const Choice& choice, double times_native) {
  const std::optional<std::size_t> arm = find(choice);
  if (!arm || *arm == kNative) return;
  times_native = std::clamp(times_native, 1.0, kGreatestLoss);
  if (arms_[*arm].samples >= kCallsToBeGood && beliefs_.cost(*arm) < beliefs_.cost(kNative)) {
    noteRetry(arms_[*arm], times_native);
  }
  // What makes one algorithm so slow may do so with the others.
  beliefs_.loosenAllBut(kNative, kLossOfAll);
  beliefs_.shift(*arm, 0.0, kLossOfOne);
  arms_[*arm].is_assumed = false;
  beliefs_.observeDifference(*arm, kNative, std::log(times_native), kLossError);
}

void KeyCosts::noteRetry(Arm& arm, double times_native) {
  arm.untold = 0;
  if (times_native < CallLimit::kSlowFactor) {
    arm.losses = 0;
    arm.retry_at = -1;
    return;
  }
  const double excess = std::min(times_native, kGreatestLoss) - 1.0;
  arm.retry_at = calls_ + static_cast<std::int64_t>(std::ldexp(excess / kRetryShare, arm.losses));
  arm.losses = std::min(arm.losses + 1, kMostLosses);
}

void KeyCosts::noteUntold(Arm& arm, double times_native) {
  if (isToBeRetried(arm) && ++arm.untold == kMostUntold) noteRetry(arm, std::max(times_native, CallLimit::kSlowFactor));
}

void KeyCosts::noteReplaced(std::size_t arm) {
  // Of several keys each leaves it.
  const bool is_looked_at = arms_[arm].look_at >= 0 || arms_[arm].retry_at >= 0;
  if (arm == kNative || arms_[arm].samples < kCallsToBeGood || is_looked_at) return;
  arms_[arm].looks = 0;
  arms_[arm].look_at = calls_ + kFirstLook;
}

}  // namespace starling
