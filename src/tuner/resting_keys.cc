#include "tuner/resting_keys.h"

namespace starling {
namespace {

// Trials are the first calls that follow a plan. Calls of a cycle have to be counted one by one.
bool isTuned(const KeyTable::Entry& entry) {
  const bool has_trials = entry.calls_since_plan < static_cast<std::int64_t>(entry.plan.trials.size());
  return has_trials || entry.plan.incumbent.algorithm != kNativeAlgorithm || !entry.plan.cycle.isNone();
}

}  // namespace

bool RestingKeys::isAtRest(const KeyTable::Entry& entry) {
  const bool is_final = entry.plan.state == KeyState::kSettled || entry.plan.state == KeyState::kPassesThrough;
  return entry.plans > 0 && is_final && !isTuned(entry);
}

void RestingKeys::refresh(const KeyTable& keys) {
  size_ = 0;
  for (std::int32_t index = 0; index < keys.size(); ++index) {
    const KeyTable::Entry& entry = keys.entry(index);
    // While special calls have a plan of their own the cycle in that of the usual ones says so.
    if (entry.key.part == Part::kSpecial) continue;
    const Key any = anySiteOf(entry.key);
    const std::size_t place = find(any);
    if (place == kMostGroups) continue;
    if (place == size_) groups_[size_++] = {any, false, false};
    groups_[place].is_settled = groups_[place].is_settled || isAtRest(entry);
    groups_[place].is_tuned = groups_[place].is_tuned || isTuned(entry);
  }
}

bool RestingKeys::mayRest(Key key) const {
  const std::size_t place = find(anySiteOf(key));
  return place < size_ && groups_[place].is_settled && !groups_[place].is_tuned;
}

std::size_t RestingKeys::find(const Key& any) const {
  std::size_t place = 0;
  while (place < size_ && !(groups_[place].key == any)) ++place;
  return place;
}

}  // namespace starling
