// Counts the calls of a communicator until its ranks find it worth preparing for tuning.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "mpi/sampled_time.h"

namespace starling {

// The MPI library makes these calls; that they are counted, and some of them timed, is all that they cost. THREADS: not
// thread-safe; one per communicator.
class EarlyCalls {
 public:
  // The first call begins at `begin_ns`. The ranks ask each other after `first_question` calls whether it is worth it,
  // and then each time there are twice as many, but not more than kMostBetweenQuestions later: calls may become longer.
  // REQUIRES: first_question > 0.
  EarlyCalls(std::int64_t first_question, std::int64_t begin_ns)
      : begin_ns_(begin_ns), next_question_(first_question) {}

  // Returns for how many calls the time of the next one stands; 0: it is not to be timed.
  std::int64_t weightOfNext() const { return time_.weightOfNext(); }
  // Notes that call, of that weight, and how long it took on this rank if it was timed. Returns whether the ranks are
  // to ask each other now, which is equal on all ranks.
  bool add(std::int64_t weight, std::int64_t took_ns) {
    time_.add(weight, took_ns);
    if (time_.calls() < next_question_) return false;
    next_question_ += std::min(next_question_, kMostBetweenQuestions);
    return true;
  }

  // Returns how long the calls took for which that one stands.
  std::int64_t timeOf(std::int64_t weight, std::int64_t took_ns) const { return time_.timeOf(weight, took_ns); }
  // Returns how long the calls took on this rank.
  Seconds spent() const { return fromNanoseconds(time_.spentNs()); }

  // Returns whether the program has done little else so far: there were some calls, and half of the time since the
  // first began was spent in them.
  bool takeMostOfTheTime(std::int64_t now_ns) const {
    return time_.calls() >= kTimedFirst && 2 * time_.spentNs() >= now_ns - begin_ns_;
  }

 private:
  static constexpr std::int64_t kMostBetweenQuestions = 1024;
  static constexpr std::int64_t kTimedFirst = 32;
  static constexpr std::int64_t kTimedEach = 7;  // loops seldom have so many calls
  static constexpr std::int64_t kShortNs = 2000;

  std::int64_t begin_ns_;
  std::int64_t next_question_;
  SampledTime time_{kTimedFirst, kTimedEach, kShortNs};
};

}  // namespace starling
