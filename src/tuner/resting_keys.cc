#include "tuner/resting_keys.h"

namespace starling {
namespace {

// Trials are the first calls that follow a plan.
bool hasTrials(const KeyTable::Entry& entry) {
  return entry.calls_since_plan < static_cast<std::int64_t>(entry.plan.trials.size());
}

}  // namespace

// Calls of a cycle have to be counted one by one.
bool RestingKeys::mayRest(const KeyTable::Entry& entry) const {
  if (hasTrials(entry) || !entry.plan.cycle.isNone()) return false;
  if (entry.plan.incumbent.algorithm == kNativeAlgorithm) return true;
  const bool is_in_memory = memory_rests_ && runsInMemory(entry.plan.incumbent.algorithm);
  return is_in_memory && entry.isProved() && entry.slow_calls == 0 && !entry.plan.foreseesLateRank();
}

bool RestingKeys::isAtRest(const KeyTable::Entry& entry) const {
  const bool is_final = entry.plan.state == KeyState::kSettled || entry.plan.state == KeyState::kPassesThrough;
  return entry.plans > 0 && is_final && mayRest(entry);
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
    if (place == size_) groups_[size_++] = {.key = any};
    note(groups_[place], entry);
  }
}

// A key without a plan follows that of another one.
void RestingKeys::note(Group& group, const KeyTable::Entry& entry) const {
  if (entry.plans == 0) return;
  if (!group.has_choice) group.choice = entry.plan.incumbent;
  group.has_choice = true;
  group.is_mixed = group.is_mixed || !(entry.plan.incumbent == group.choice) || !mayRest(entry);
  group.is_settled = group.is_settled || isAtRest(entry);
}

const Choice* RestingKeys::choiceAtRest(Key key) const {
  const std::size_t place = find(anySiteOf(key));
  const bool rests = place < size_ && groups_[place].is_settled && !groups_[place].is_mixed;
  return rests ? &groups_[place].choice : nullptr;
}

std::size_t RestingKeys::find(const Key& any) const {
  std::size_t place = 0;
  while (place < size_ && !(groups_[place].key == any)) ++place;
  return place;
}

}  // namespace starling
