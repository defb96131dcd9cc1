// This part of a key's tuner keeps an account of costs together with other keys that are alike.
#include <utility>

#include "tuner/key_tuner.h"

namespace starling {

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
  return {plan.placed, plan.foreseesLateRank() ? Seconds{} : arrivals_.usual().latest};
}

bool KeyTuner::suits(const CommonArrivals& arrivals) const { return account_->suits(arrivals, arrivals_.leastNoise()); }

bool KeyTuner::joinOthers(const KeyPlan& plan) {
  const CommonArrivals arrivals = arrivalsBy(plan);
  if (goes_alone_ || (costs().isRanked() && !account_->ranking_is_due && suits(arrivals))) return false;
  std::shared_ptr<CostAccount> found =
      others_.findAccount(kindOfAccount(), settings_.communicator, arrivals, arrivals_.leastNoise());
  if (!found || found == account_.account()) return false;
  account_.moveTo(std::move(found));
  // Where they explore this key does so, too.
  times_reopened_ = account_->times_reopened - (budget().isExploring() ? 1 : 0);
  inherits_costs_ = true;
  return true;
}

void KeyTuner::separateFromOthers(const KeyPlan& plan) {
  account_.separate(others_.newName(), arrivalsBy(plan));
  others_.keepAccount(kindOfAccount(), account_.account());
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
