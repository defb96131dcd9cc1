// Rank 0's account of calls at rest: how many there were, of which keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mpi/machine/call_sites.h"
#include "mpi/rest/rested_calls.h"
#include "mpi/rest/unplaced_calls.h"
#include "tuner/communicator_tuner.h"
#include "tuner/key_table.h"
#include "tuner/site_tracker.h"

namespace starling {

// THREADS: not thread-safe; one per communicator.
class RestLedger {
 public:
  // All outlive it.
  RestLedger(const KeyTable& keys, const SiteTracker& tracker, CallSites& sites)
      : keys_(keys), tracker_(tracker), sites_(sites) {}

  // Takes the memory that count() needs. Throws std::bad_alloc.
  void reserve() { counted_.reserve(); }
  // Counts a call. REQUIRES: reserve() was called.
  void count(const RestingCall& call, const CallOrigin& origin) {
    counted_.count(call, origin.handle, sites_.localSite(origin));
  }
  // Returns whether the rest is to end, because many calls come from places that no key has.
  bool asksForEnd();

  // Returns how long those that were counted since clear() take as a rule, by what the tuner knows of keys.
  Seconds usualTime(const CommunicatorTuner& tuner) const;
  // Tells the tuner of all these, and that they took `share` of that; `seen` are the calls of the epoch that were
  // looked at, `communicator` has the records of those that no key has. Throws std::bad_alloc.
  void book(CommunicatorTuner& tuner, std::span<const EpochCall> seen, double share, const std::string& communicator);
  void clear() { counted_.clear(); }
  // Tells the tuner of the calls that came from a key's place before it had the key, `index`.
  void bookEarlier(CommunicatorTuner& tuner, std::int32_t index, const Key& key);
  // Appends the records of calls that no key has, which are new since the last time. Throws std::bad_alloc.
  void drain(Batch& batch) { unplaced_.drain(batch); }

 private:
  static constexpr std::int64_t kUnplacedCalls = 64;  // from so many on a rest is ended

  std::optional<std::int32_t> keyOf(const RestedCalls::Place& place) const;
  void shareOut(CommunicatorTuner& tuner, std::span<const EpochCall> seen, const RestedCalls::Place& place,
                double share) const;

  const KeyTable& keys_;
  const SiteTracker& tracker_;
  CallSites& sites_;
  RestedCalls counted_;
  UnplacedCalls unplaced_;
  std::int64_t most_unplaced_ = kUnplacedCalls;  // calls of a rest, beyond which it is ended
};

}  // namespace starling
