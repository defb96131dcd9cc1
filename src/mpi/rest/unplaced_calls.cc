#include "mpi/rest/unplaced_calls.h"

#include <algorithm>
#include <utility>

#include "mpi/execution/call_kind.h"
#include "tuner/plan.h"

namespace starling {

bool UnplacedCalls::add(const RestedCalls::Place& place, const CallSites& sites, const std::string& communicator) {
  if (place.handle == kAnySite && place.local == 0) return false;
  const auto is_there = [&](const Entry& entry) { return entry.place.isAt(place.any, place.handle, place.local); };
  auto found = std::ranges::find_if(entries_, is_there);
  if (found == entries_.end()) {
    if (entries_.size() == kMost) return false;
    Entry entry{place, sites.describe(place.handle, place.local), {}};
    entry.place.calls = 0;
    entry.record.id = {communicator, entry.site.identity, place.any.size_class, typeName(place.any.type),
                       operationName(place.any.operation)};
    entry.record.state = keyStateName(KeyState::kObserving);
    entries_.push_back(std::move(entry));
    found = std::prev(entries_.end());
  }
  found->place.calls += place.calls;
  found->record.calls = found->place.calls;
  found->record.bytes = place.bytes;
  found->record.choice = formatChoice(place.choice);
  found->has_changed = true;
  return true;
}

RestedCalls::Place UnplacedCalls::take(const Key& any, SiteId handle, LocalSite local) {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.place.isAt(any, handle, local); });
  if (found == entries_.end()) return {};
  const RestedCalls::Place place = found->place;
  entries_.erase(found);
  return place;
}

void UnplacedCalls::drain(Batch& batch) {
  for (Entry& entry : entries_) {
    if (!std::exchange(entry.has_changed, false)) continue;
    batch.sites.push_back(entry.site);
    batch.keys.push_back(entry.record);
  }
}

}  // namespace starling
