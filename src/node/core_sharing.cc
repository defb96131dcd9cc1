#include "node/core_sharing.h"

#include <algorithm>

namespace starling {

CoreSharing::Way CoreSharing::wayAt(std::int64_t now, std::int64_t waited) const {
  if (isShared()) return Way::kYield;
  if (waited < kYieldAfter) return Way::kLook;
  if (now >= not_before_) return Way::kYield;
  return other_ == Other::kKeeps ? Way::kSleep : Way::kLook;
}

void CoreSharing::note(std::int64_t now, std::int64_t took, bool was_switched) {
  if (!was_switched) {
    other_ = Other::kNobody;
    not_before_ = now + kYieldEvery;
    if (++yields_alone_ >= kYieldsAlone) pause_ = kShortestPause;
    return;
  }
  yields_alone_ = 0;
  if (took < kKeepsCore) {
    other_ = Other::kGivesBack;
    return;
  }
  other_ = Other::kKeeps;
  not_before_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

}  // namespace starling
