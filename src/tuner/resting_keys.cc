#include "tuner/resting_keys.h"

#include <algorithm>

namespace starling {
namespace {

bool isTuned(const KeyTable::Entry& entry) { return entry.plan.incumbent.algorithm != kNativeAlgorithm; }

}  // namespace

bool RestingKeys::isAtRest(const KeyTable::Entry& entry) {
  const bool is_final = entry.plan.state == KeyState::kSettled || entry.plan.state == KeyState::kPassesThrough;
  return entry.plans > 0 && is_final && !isTuned(entry);
}

void RestingKeys::refresh(const KeyTable& keys) {
  size_ = 0;
  for (std::int32_t index = 0; index < keys.size(); ++index) {
    const KeyTable::Entry& entry = keys.entry(index);
    const Key any = anySiteOf(entry.key);
    auto* group = const_cast<Group*>(find(any));
    if (group == nullptr) {
      if (size_ == kMostGroups) continue;
      group = &groups_[size_++];
      *group = {any, false, false};
    }
    group->is_settled = group->is_settled || isAtRest(entry);
    group->is_tuned = group->is_tuned || isTuned(entry);
  }
}

bool RestingKeys::mayRest(Key key) const {
  const Group* const group = find(anySiteOf(key));
  return group != nullptr && group->is_settled && !group->is_tuned;
}

const RestingKeys::Group* RestingKeys::find(const Key& any) const {
  const Group* const end = groups_.data() + size_;
  const Group* const found = std::find_if(groups_.data(), end, [&](const Group& group) { return group.key == any; });
  return found == end ? nullptr : found;
}

}  // namespace starling
