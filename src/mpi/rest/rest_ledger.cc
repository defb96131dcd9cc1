#include "mpi/rest/rest_ledger.h"

#include <algorithm>

namespace starling {

std::optional<std::int32_t> RestLedger::keyOf(const RestedCalls::Place& place) const {
  Key key = place.any;
  key.site = place.handle != kAnySite ? place.handle : tracker_.siteOf(place.local);
  return keys_.find(key);
}

// Each time twice as many calls have to come from places that have no key: where the ranks do not call from the same
// places they never get one.
bool RestLedger::asksForEnd() {
  std::int64_t unplaced = 0;
  for (const RestedCalls::Place& place : counted_.places()) unplaced += keyOf(place) ? 0 : place.calls;
  if (unplaced < most_unplaced_) return false;
  most_unplaced_ *= 2;
  return true;
}

// Those that no key has take as long as the others.
Seconds RestLedger::usualTime(const CommunicatorTuner& tuner) const {
  Seconds usual;
  std::int64_t calls = 0;
  std::int64_t of_keys = 0;
  for (const RestedCalls::Place& place : counted_.places()) {
    calls += place.calls;
    const std::optional<std::int32_t> known = keyOf(place);
    if (!known) continue;
    of_keys += place.calls;
    usual += tuner.usualTimeOf(*known, place.calls);
  }
  return of_keys == 0 ? Seconds{} : (static_cast<double>(calls) / static_cast<double>(of_keys)) * usual;
}

void RestLedger::book(CommunicatorTuner& tuner, std::span<const EpochCall> seen, double share,
                      const std::string& communicator) {
  for (const RestedCalls::Place& place : counted_.places()) {
    if (const std::optional<std::int32_t> known = keyOf(place)) {
      tuner.countUnseen(*known, place.choice, place.calls, share);
    } else if (!unplaced_.add(place, sites_, communicator)) {
      shareOut(tuner, seen, place, share);
    }
  }
}

// Calls of too many places count as calls like them do that were looked at, else as those of the key that had the most.
void RestLedger::shareOut(CommunicatorTuner& tuner, std::span<const EpochCall> seen, const RestedCalls::Place& place,
                          double share) const {
  const auto is_alike = [&](std::int32_t key) { return anySiteOf(keys_.entry(key).key) == place.any; };
  const std::int64_t alike = std::ranges::count_if(seen, is_alike, &EpochCall::key);
  std::int64_t index = 0;
  for (const EpochCall& call : seen) {
    if (!is_alike(call.key)) continue;
    tuner.countUnseen(call.key, place.choice, place.calls / alike + (index < place.calls % alike ? 1 : 0), share);
    ++index;
  }
  if (alike > 0) return;
  std::optional<std::int32_t> most;
  for (std::int32_t key = 0; key < keys_.size(); ++key) {
    if (is_alike(key) && (!most || keys_.entry(key).known_calls > keys_.entry(*most).known_calls)) most = key;
  }
  if (most) tuner.countUnseen(*most, place.choice, place.calls, share);
}

void RestLedger::bookEarlier(CommunicatorTuner& tuner, std::int32_t index, const Key& key) {
  const SiteId handle = key.site >= kFirstHandleSite ? key.site : kAnySite;
  const RestedCalls::Place place = unplaced_.take(anySiteOf(key), handle, tracker_.localSite(key.site));
  if (place.calls == 0) return;
  tuner.countUnseen(index, place.choice, place.calls);
  most_unplaced_ = kUnplacedCalls;
}

}  // namespace starling
