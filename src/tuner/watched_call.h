// Judges the calls that all ranks have looked at.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "tuner/key_table.h"

namespace starling {

// A call of a plan's incumbent.
struct WatchedCall {
  std::int32_t key = 0;       // as KeyTable::Next::entry
  std::int32_t changes = 0;   // of the key's incumbent before it
  bool is_disturbed = false;  // an agreement had just gone on
};

// What was found of it, equal on all ranks.
struct Judgement {
  bool comes_otherwise = false;  // a rank comes last that the plan does not expect: that is to be known soon
  bool is_stopped = false;       // its choice: native runs until a plan comes that knows of it
};

// Judges a call by the least time that a rank was in it and by the rank that came last, both equal on all ranks, so
// that all stop an incumbent at the same call. `learner`, a CommunicatorTuner or what stands for it on each rank, is
// told what is stopped.
template <typename Learner>
Judgement judge(const WatchedCall& call, std::int64_t shortest_ns, std::int32_t last_rank, KeyTable& keys,
                Learner& learner) {
  KeyTable::Entry& entry = keys.entry(call.key);
  if (entry.changes != call.changes) return {};
  Judgement found;
  found.comes_otherwise = entry.noteLast(last_rank);
  found.is_stopped = entry.noteWatched(shortest_ns, call.is_disturbed);
  if (!found.is_stopped) return found;
  const Seconds shortest = fromNanoseconds(shortest_ns);
  if (KeyTable::isForetold(call.key)) {
    keys.noteForetoldStop(entry);
    learner.noteForetoldStop(entry.key, entry.plan.incumbent, shortest);
  } else {
    learner.noteStop(call.key, entry.plan.incumbent, shortest);
  }
  return found;
}

}  // namespace starling
