// Lets calls rest: the few calls of an epoch that are looked at are followed by many that are only counted.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>

#include "base/units.h"
#include "mpi/rest/rest_stretch.h"
#include "tuner/key_table.h"
#include "tuner/resting_keys.h"

namespace starling {

// Which calls rest, and when, is equal on all ranks where they call the same functions alike. THREADS: not thread-safe;
// one per communicator.
class CallsAtRest {
 public:
  // Lets calls rest that run through shared memory, or not, from the next plan() on.
  void setMemoryRests(bool rests) { keys_.setMemoryRests(rests); }
  // Returns whether the entry's calls rest as soon as all others may.
  bool isAtRest(const KeyTable::Entry& entry) const { return keys_.isAtRest(entry); }

  // Plans what follows the calls of the epoch that begins, `epoch`: at most so many calls at rest, 0: none.
  void plan(std::int32_t most, std::int64_t epoch, const KeyTable& keys);
  void planNone() { stretch_.plan(0); }
  bool isPlanned() const { return stretch_.isPlanned(); }
  // Begins what was planned, at `now_ns` by this rank's clock.
  void begin(std::int64_t now_ns);
  bool isOn() const { return stretch_.isOn(); }
  void end() { stretch_.end(); }
  // Returns whether calls have rested since the last time that this was asked.
  bool takeHasRested() { return std::exchange(has_rested_, false); }

  // Returns what a call with these arguments runs; null: it does not rest. Good until the next call of this.
  const RestingCall* find(int count, MPI_Datatype datatype, MPI_Op op) {
    if (!stretch_.isOn()) return nullptr;
    const RestingCall* const known = stretch_.find(count, datatype, op);
    return known != nullptr ? known : learn(count, datatype, op);
  }
  // Counts a call. Returns whether the ranks need not be asked after it whether they go on.
  bool count() { return stretch_.count(); }
  // Where calls have become long, or come from places that nobody has looked at, the ranks must not rest for as many as
  // had been planned: so they tell each other now and then how long they have rested, after a call, and know it after
  // the next one.
  bool isToBeAsked() const { return stretch_.hasMoreParts(); }
  // Returns what this rank tells, at `now_ns`, the others; one call follows until they know. `asks_for_end` ends it.
  std::int64_t tell(std::int64_t now_ns, bool asks_for_end);
  // Takes the least that a rank has told.
  void hear(std::int64_t shortest_ns);

 private:
  const RestingCall* learn(int count, MPI_Datatype datatype, MPI_Op op);

  RestingKeys keys_;
  RestStretch stretch_;
  RestingCall unremembered_;  // what find() has returned last, where it may not be remembered
  std::int64_t since_ns_ = 0;
  bool has_rested_ = false;
};

}  // namespace starling
