#include "mpi/rested_calls.h"

#include <algorithm>

#include "tuner/resting_keys.h"

namespace starling {

static_assert(RestingKeys::kMostGroups <= RestedCalls::kMostPlaces, "each kind of calls has room for one place more");

void RestedCalls::find(const RestingCall& call, SiteId handle, LocalSite local) {
  const auto place_of = [&] {
    const auto known = places();
    return static_cast<std::size_t>(
        std::ranges::find_if(known, [&](const Place& place) { return place.isAt(call.any, handle, local); }) -
        known.begin());
  };
  latest_ = place_of();
  if (latest_ < size_) return;
  if (size_ >= kMostPlaces) {
    handle = kAnySite;
    local = 0;
    latest_ = place_of();
    if (latest_ < size_) return;
  }
  places_[size_++] = {call.any, call.choice, handle, local, call.bytes, 0};
}

}  // namespace starling
