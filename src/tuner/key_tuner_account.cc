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
  CostAccounts::Kind kind{others_.shape(), shape_.count, element_size_};
  kind.type = origin().type;
  kind.operation = origin().operation;
  kind.commutative = shape_.commutative;
  kind.stamps_compare = settings_.stamps_compare;
  kind.shares_memory = sharesOneMemory(&settings_.topology);
  kind.links = settings_.topology.links;
  return kind;
}

CommonArrivals KeyTuner::arrivalsBy(const KeyPlan& plan) const {
  const Seconds latest = plan.foreseesLateRank() ? Seconds{} : arrivals_.usual().latest;
  Seconds usual = choices_.usualNative().value_or(Seconds{});
  if (costs().isRanked()) usual = std::min(nativeTime(), costs().expected(usableArmOf(plan.incumbent)));
  return {plan.placed, latest, std::max(arrivals_.leastNoise(), kMakesNoDifference * usual)};
}

bool KeyTuner::joinOthers(const KeyPlan& plan) {
  const CommonArrivals arrivals = arrivalsBy(plan);
  if (costs().isRanked() && !account_->ranking_is_due && arrivals.areLike(account_->arrivals)) return false;
  std::shared_ptr<CostAccount> found = others_.findAccount(kindOfAccount(), settings_.communicator, arrivals);
  if (!found || found == account_.account()) return false;
  account_.moveTo(std::move(found));
  times_reopened_ = account_->times_reopened;
  inherits_costs_ = true;
  return true;
}

void KeyTuner::separateFromOthers(const KeyPlan& plan) {
  account_.separate(others_.newName(), arrivalsBy(plan));
  others_.keepAccount(kindOfAccount(), account_.account());
}

// What others have found in this run counts for more than what an earlier run has, and is not taken back by it.
std::optional<KeyTuner::Decision> KeyTuner::beginWithOthers(KeyPlan plan, bool have_moved) {
  arrivals_.notePlan(have_moved);
  if (follows_twin_) choices_.forgetArrangement();
  if (learned_) {
    const std::size_t arm = usableArmOf(plan.incumbent);
    const bool is_news = arm != KeyCosts::kNative && !costs().wasCalled(arm) && !costs().arms()[arm].is_learned;
    if (is_news) costs().assume(plan.incumbent, learnedGain(), false);
    learn(plan.incumbent);
  }
  const std::size_t arm = usableArmOf(plan.incumbent);
  const bool is_known = costs().wasCalled(arm) || costs().arms()[arm].is_learned;
  plan.incumbent = is_known ? costs().arms()[arm].choice : kNativeChoice;
  if (plan.incumbent == kNativeChoice) learned_.reset();
  hearOfTrials();
  learn(kNativeChoice);
  Occasion occasion = std::exchange(occasion_, {});
  occasion.must_tell = true;
  if (learned_) occasion.preface = fmt::format("The tuning database says of an earlier run: {} ", learned_->reason);
  return decideOn(std::move(plan), occasion);
}

void KeyTuner::learn(const Choice& choice) {
  const ChoiceTimes* const times = choices_.find(choice);
  if (times == nullptr) return;
  for (const ChoiceTimes::Net& one : times->net) costs().observe(choice, one.time, one.error, one.disturbance);
}

std::size_t KeyTuner::usableArmOf(const Choice& choice) const {
  const std::size_t arm = costs().armOf(choice);
  return arm < costs().arms().size() && costs().arms()[arm].isUsable() ? arm : KeyCosts::kNative;
}

}  // namespace starling
