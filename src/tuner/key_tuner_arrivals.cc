// This part of a key's tuner follows how ranks come.
#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/decision_text.h"
#include "tuner/key_tuner.h"

namespace starling {
namespace {

constexpr int kTimesOtherwise = 2;  // decisions in a row, of which an epoch has one

// So many calls wait at most until it is clear whether ranks come otherwise now.
constexpr std::size_t kMostHeld = 8;

constexpr const char* kRankedNow = "Rows are ranked for how ranks come now. ";

}  // namespace

bool KeyTuner::followArrivals(KeyPlan& plan) const {
  return arrivals_.arrange(plan, keepsRankOrder(), settings_.options.virtual_ranks);
}

// What a call took whose ranks came otherwise than its plan has it says little of calls in which they come as foreseen,
// and would count twice once rows are ranked for how they come now.
void KeyTuner::hold(const PlannedChoice& planned, const ChoiceTimes::Net& net) {
  using enum KeyArrivals::Standing;
  const bool is_told = settings_.stamps_compare && (mayRankAgain() || account_.isShared());
  const KeyArrivals::Standing standing = is_told ? arrivals_.standing() : kForeseen;
  held_.emplace_back(planned, net);
  if (standing == kDoubtful && held_.size() < kMostHeld) return;
  const std::vector<std::pair<PlannedChoice, ChoiceTimes::Net>> held = std::exchange(held_, {});
  if (standing == kMoved) return;
  for (const auto& [call, took] : held) learn(call, took);
}

void KeyTuner::heedArrivals(const KeyPlan& plan, Change change, bool may_rank, Occasion& occasion) {
  const bool was_due = account_->ranking_is_due;
  const bool was_shared = account_.isShared();
  const Seconds native = nativeTime();
  const bool joins = joinOthers(plan);
  const bool fits = joins || suits(arrivalsBy(plan));
  // Others that share the account may go on as before, and what is ranked for this key makes no difference to them.
  const bool separates = account_.isShared() && !fits;
  const std::shared_ptr<CostAccount> left = account_.account();
  if (separates) separateFromOthers(plan);
  // Ranks that come otherwise may be why calls were slow: those tell nothing to keys to which ranks come as before, nor
  // to others that run the choice arranged for such arrivals.
  if (!joins)
    digestStop(native, occasion);
  else if (stop_)
    leaveStopped(native, occasion);
  if (change.has_moved) {
    transition_.setRearranges(isRearranged(plan));
    occasion.must_tell = true;
    occasion.text += describePredicted(plan, !keepsRankOrder());
  } else if (change.comes_otherwise && (joins || separates) && !plan.foreseesLateRank()) {
    occasion.text +=
        was_shared ? describeApart(arrivals_.usual().latest) : describeUnpredicted(arrivals_.usual().latest);
  } else if (joins && !account_->ranking_is_due) {
    occasion.text += kRankedNow;
  }
  // What has changed was found where ranks come otherwise.
  if (joins) occasion.reopens = false;
  // Rows are ranked for such arrivals, or will be when that is due.
  if (joins || (account_.isShared() && !was_due)) return;
  const bool may_rank_again = may_rank && mayRankAgain();
  if (!change.has_moved && !was_due && !separates && !may_rank_again) return;
  if (!predict(plan, may_rank_again)) {
    account_->ranking_is_due = true;
    account_->arrivals = arrivalsBy(plan);
    if ((change.has_moved || separates) && !was_due) costs().noteMove();
    return;
  }
  // The time of calls pays for one ranking, though both have a part in it.
  if (has_ranked_) left->until_ranking = account_->until_ranking;
  if (!change.has_moved && (was_due || plan.foreseesLateRank()))
    occasion.text += kRankedNow;
  else if (!change.has_moved && !separates)
    occasion.text += describeUnpredicted(arrivals_.usual().latest);
  occasion.reopens = occasion.reopens || ((transition_.rearranges() || was_due) && budget().mayReopen());
}

bool KeyTuner::comeOtherwise(const KeyPlan& plan) {
  const CommonArrivals now = arrivalsBy(plan);
  // What makes no difference to keys that go together may make one to a key alone, which loses nothing by it.
  const Seconds noise = arrivals_.leastNoise();
  const bool is_like = account_.isShared() ? suits(now) : now.areLike(account_->arrivals, noise);
  // One call among many that are as before is no sign. Where a rank is late as foreseen, but rows were not ranked for
  // that, it made no difference to long calls of keys that went together.
  const bool shows = plan.foreseesLateRank() || differNoticeably(arrivals_.latest(), account_->arrivals.latest, noise);
  const bool is_otherwise = !is_like && shows;
  came_otherwise_ = is_otherwise ? came_otherwise_ + 1 : 0;
  return came_otherwise_ >= kTimesOtherwise;
}

bool KeyTuner::isRearranged(const KeyPlan& plan) const {
  const ExpandedPlacement now = expanded(plan_.placed, shape_.ranks);
  const ExpandedPlacement then = expanded(plan.placed, shape_.ranks);
  return then.lateness_ns != now.lateness_ns || then.table != now.table;
}

}  // namespace starling
