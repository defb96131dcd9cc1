// Counts the calls of a communicator until its ranks find it worth preparing for tuning.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace starling {

// The MPI library makes these calls; that they are counted and timed is all that they cost. THREADS: not thread-safe;
// one per communicator.
class EarlyCalls {
 public:
  // The ranks ask each other after `first_question` calls whether it is worth it, and then each time there are twice as
  // many. REQUIRES: first_question > 0.
  explicit EarlyCalls(std::int64_t first_question) : next_question_(first_question) {}

  // Notes a call that took so long on this rank. Returns whether the ranks are to ask each other now, which is equal on
  // all ranks.
  bool add(std::int64_t took_ns) {
    spent_ns_ += took_ns;
    if (++calls_ < next_question_) return false;
    next_question_ *= 2;
    return true;
  }

  // Returns how long the calls took on this rank.
  Seconds spent() const { return fromNanoseconds(spent_ns_); }

 private:
  std::int64_t calls_ = 0;
  std::int64_t next_question_;
  std::int64_t spent_ns_ = 0;
};

}  // namespace starling
