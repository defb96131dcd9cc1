// This part of a key's tuner says what a call of the choice in force may take, and gives the choice up where all ranks
// have stopped it because calls took longer.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text_format.h"
#include "tuner/key_tuner.h"

namespace starling {
namespace {

// A coarse clock may say that native takes no time.
constexpr double kShortestTime = 1e-9;

}  // namespace

void KeyTuner::noteStop(const Choice& choice, Seconds shortest) {
  ++times_stopped_;
  if (choice == plan_.incumbent && costs().isRanked()) stop_ = shortest;
}

// Is told of the stop after what the calls before it took.
void KeyTuner::digestStop(Seconds native, Occasion& occasion) {
  if (!stop_) return;
  // What has stopped another key before this one could leave the choice has stopped both, and counts once.
  const bool counts = times_reopened_ == account_->times_reopened || isFasterThanNative(plan_.incumbent);
  if (counts) {
    // Where it is this key again it is alone with it.
    const CostAccount::Stop stop{others_.key(), plan_.incumbent};
    if (account_.isShared() && account_->latest_stop == stop) {
      account_.separate(others_.newName(), account_->arrivals);
      goes_alone_ = true;
    }
    account_->latest_stop = stop;
    costs().noteLoss(plan_.incumbent, stop_->value / std::max(native.value, kShortestTime));
  }
  occasion.reopens = true;
  leaveStopped(native, occasion);
}

void KeyTuner::leaveStopped(Seconds native, Occasion& occasion) {
  occasion.was_stopped = occasion.must_tell = true;
  occasion.text +=
      fmt::format("{} took {} or more in its latest calls (n={}), native took {}. ", formatChoice(plan_.incumbent),
                  formatDuration(*stop_), CallLimit::kSlowCalls, formatDuration(native));
  stop_.reset();
  // These calls and those before them are still to be observed, and would tell of what is known already.
  transition_.disregardEpoch();
}

bool KeyTuner::isFasterThanNative(const Choice& choice) const {
  const std::optional<std::size_t> arm = costs().find(choice);
  return arm && costs().nativeBeside(*arm).logarithm > 0.0;
}

// What was measured does not depend on what others are believed to take, but says nothing of a machine that has become
// slower since.
Seconds KeyTuner::nativeTime() const {
  const Seconds expected = costs().expected(KeyCosts::kNative);
  return std::max(choices_.usualNative().value_or(expected), expected);
}

CallLimit KeyTuner::limitOf(const KeyPlan& plan) const {
  CallLimit limit;
  if (isFree() && plan.incumbent.algorithm != kNativeAlgorithm && costs().isRanked()) {
    limit = CallLimit::beside(nativeTime(), shape_.ranks, settings_.model.alpha);
    if (const std::optional<std::size_t> arm = costs().find(plan.incumbent)) limit.cold = costs().coldCalls(*arm);
  }
  limit.known = times_stopped_;
  return limit;
}

}  // namespace starling
