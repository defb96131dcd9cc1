// Keeps what is known of calls at rest that no key of the communicator has: those of places, or of sizes at a place,
// that the ranks have not looked at yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi/machine/call_sites.h"
#include "mpi/rest/rested_calls.h"
#include "store/records.h"

namespace starling {

// It is rank 0's, for the database. THREADS: not thread-safe; one per communicator.
class UnplacedCalls {
 public:
  // Of so many places calls are kept.
  static constexpr std::size_t kMost = 64;

  // Adds the calls of a place. Returns false where there is no room for it, or it is no one place. Throws
  // std::bad_alloc.
  bool add(const RestedCalls::Place& place, const CallSites& sites, const std::string& communicator);
  // Returns the calls of a place that has got a key, and forgets it; all fields are 0 where it is not known.
  RestedCalls::Place take(const Key& any, SiteId handle, LocalSite local);
  // Appends what is new since the last time, with the place's site. Throws std::bad_alloc.
  void drain(Batch& batch);

 private:
  struct Entry {
    RestedCalls::Place place;
    SiteRecord site;
    KeyRecord record;
    bool has_changed = true;
  };

  std::vector<Entry> entries_;
};

}  // namespace starling
