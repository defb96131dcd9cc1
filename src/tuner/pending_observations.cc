#include "tuner/pending_observations.h"

#include <algorithm>

namespace starling {

PendingObservations::Entry& PendingObservations::entryOf(const PlannedChoice& planned, std::int64_t epoch) {
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
    return one.planned.choice == planned.choice && one.planned.exploration == planned.exploration;
  });
  if (entry == entries_.end()) {
    if (entries_.size() == kMaxEntries) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.epoch < b.epoch; }));
      ++dropped_;
    }
    entry = entries_.insert(entries_.end(), Entry{.planned = planned});
  }
  entry->epoch = epoch;
  return *entry;
}

void PendingObservations::clear() {
  entries_.clear();
  dropped_ = 0;
}

}  // namespace starling
