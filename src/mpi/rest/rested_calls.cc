#include "mpi/rest/rested_calls.h"

#include <algorithm>

#include "tuner/resting_keys.h"

namespace starling {

static_assert(RestingKeys::kMostGroups <= RestedCalls::kMostPlaces, "each kind of calls has room for one place more");

std::uint8_t RestedCalls::find(const RestingCall& call, SiteId handle, LocalSite local) {
  const auto place_of = [&] {
    const auto known = places();
    const auto is_there = [&](const Place& place) { return place.isAt(call.any, handle, local); };
    return static_cast<std::size_t>(std::ranges::find_if(known, is_there) - known.begin());
  };
  std::size_t place = place_of();
  if (place == size_ && size_ >= kMostPlaces) {
    handle = kAnySite;
    local = 0;
    place = place_of();
  }
  if (place == size_) places_[size_++] = {call.any, call.choice, handle, local, call.bytes, 0};
  return static_cast<std::uint8_t>(place);
}

}  // namespace starling
