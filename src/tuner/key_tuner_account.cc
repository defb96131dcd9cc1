// This part of a key's tuner keeps an account of costs together with other keys that are alike.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/key_tuner.h"

namespace starling {
namespace {

// Of what a call takes.
constexpr double kMakesNoDifference = 0.1;

}  // namespace

CostAccounts::Kind KeyTuner::kindOfAccount() const {
  const bool shares_memory = sharesOneMemory(&settings_.topology);
  return {others_.shape(),
          shape_.count,
          element_size_,
          shape_.commutative,
          settings_.stamps_compare,
          shares_memory ? settings_.communicator : 0};
}

CommonArrivals KeyTuner::arrivalsBy(const KeyPlan& plan) const {
  const Seconds latest = plan.foreseesLateRank() ? Seconds{} : arrivals_.usual().latest;
  const Seconds usual = costs().isRanked() ? nativeTime() : choices_.usualNative().value_or(Seconds{});
  return {plan.placed, latest, std::max(arrivals_.leastNoise(), kMakesNoDifference * usual)};
}

bool KeyTuner::joinOthers(const KeyPlan& plan) {
  std::shared_ptr<CostAccount> found = others_.findAccount(kindOfAccount(), arrivalsBy(plan));
  if (!found || found == account_.account()) return false;
  account_.moveTo(std::move(found));
  times_reopened_ = account_->times_reopened;
  inherits_costs_ = true;
  return true;
}

void KeyTuner::separateFromOthers(const KeyPlan& plan) {
  account_.separate(arrivalsBy(plan));
  others_.keepAccount(kindOfAccount(), account_.account());
}

// What an earlier run has learned gives way to what others have found in this one.
std::optional<KeyTuner::Decision> KeyTuner::beginWithOthers(KeyPlan plan, bool have_moved) {
  arrivals_.notePlan(have_moved);
  if (follows_twin_) choices_.forgetArrangement();
  const std::size_t arm = costs().armOf(plan.incumbent);
  const bool is_known = arm < costs().arms().size() && costs().arms()[arm].is_available &&
                        (costs().wasCalled(arm) || costs().arms()[arm].is_learned);
  plan.incumbent = is_known ? costs().arms()[arm].choice : kNativeChoice;
  if (!is_known) learned_.reset();
  hearOfTrials();
  learnNative();
  Occasion occasion = std::exchange(occasion_, {});
  occasion.must_tell = true;
  if (learned_) occasion.preface = fmt::format("The tuning database says of an earlier run: {} ", learned_->reason);
  return decideOn(std::move(plan), occasion);
}

void KeyTuner::learnNative() {
  for (const ChoiceTimes::Net& one : choices_.native().net) {
    costs().observe(kNativeChoice, one.time, one.error, one.disturbance, settings_.communicator);
  }
}

}  // namespace starling
