// Keeps sessions whose communicators the program has freed.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "mpi/session.h"

namespace starling {

// MPI_Comm_free does not wait for other ranks, so neither may the end of a session: what is under way between its ranks
// completes later, a step at a time, whenever the program calls. Memory is bounded as long as ranks that make new
// communicators together have come past the old ones. THREADS: all functions may be called from any thread.
class ParkedSessions {
 public:
  // `hand_over` is called for each session at its end, when it has records of its last epoch. It throws nothing.
  explicit ParkedSessions(std::function<void(Session&)> hand_over) : hand_over_(std::move(hand_over)) {}

  // Notes that a session was made: park() will take no memory for it.
  void expect();
  // Takes the session. It is local and never waits. REQUIRES: it was expected.
  void park(std::unique_ptr<Session> session);
  // Ends those that can be ended without waiting. It is local and never waits.
  void poll();
  // Waits for all: every session's last agreement begins before any is waited for, because ranks may hold them in
  // different orders. It is collective over all ranks that share sessions. Sessions that reach beyond MPI_COMM_WORLD
  // are not waited for.
  void finish();

 private:
  // So many sessions keep what they have learned; the others lose only the records of their last epoch.
  static constexpr std::size_t kMaxLearning = 64;

  // Where a program frees thousands at once no call looks at more of them than these, by turns.
  static constexpr std::size_t kMostAtOnce = 16;

  using Sessions = std::list<std::unique_ptr<Session>>;
  void advance(EpochLoop::Wait wait);
  void advanceSome();
  // Returns the place behind it.
  Sessions::iterator advance(Sessions::iterator session, EpochLoop::Wait wait);

  std::function<void(Session&)> hand_over_;
  std::mutex mutex_;
  Sessions sessions_;                             // oldest first
  Sessions::iterator next_ = sessions_.end();     // that is looked at
  std::list<std::unique_ptr<Session>> expected_;  // empty places, one for each session that lives
};

}  // namespace starling
