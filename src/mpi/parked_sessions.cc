#include "mpi/parked_sessions.h"

#include <algorithm>
#include <iterator>

#include "base/log.h"

namespace starling {

void ParkedSessions::expect() {
  const std::lock_guard lock(mutex_);
  expected_.emplace_back();
}

void ParkedSessions::park(std::unique_ptr<Session> session) {
  session->park();
  const std::lock_guard lock(mutex_);
  expected_.front() = std::move(session);
  sessions_.splice(sessions_.end(), expected_, expected_.begin());
  advanceSome();
  if (sessions_.size() <= kMaxLearning) return;
  RootLearner& oldest = (*std::prev(sessions_.end(), kMaxLearning + 1))->loop().learner();
  if (oldest.isLearning()) {
    logOnce(LogLevel::kWarning, "freed communicators",
            "the program frees communicators faster than its ranks agree on what their last calls took: some of these "
            "calls are missing in the summary and the database");
  }
  oldest.shed();
}

void ParkedSessions::poll() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) advanceSome();
}

void ParkedSessions::finish() {
  const std::lock_guard lock(mutex_);
  advance(EpochLoop::Wait::kNo);
  // Processes of another world need not be at their end. MPI still has the memory of what is under way with them.
  for (auto& session : sessions_) {
    if (!session->isWithinWorld()) static_cast<void>(session.release());
  }
  std::erase(sessions_, nullptr);
  advance(EpochLoop::Wait::kToLastStart);
  advance(EpochLoop::Wait::kToEnd);
}

void ParkedSessions::advance(EpochLoop::Wait wait) {
  for (auto session = sessions_.begin(); session != sessions_.end();) session = advance(session, wait);
  next_ = sessions_.begin();
}

void ParkedSessions::advanceSome() {
  for (std::size_t left = std::min(kMostAtOnce, sessions_.size()); left > 0; --left) {
    if (next_ == sessions_.end()) next_ = sessions_.begin();
    next_ = advance(next_, EpochLoop::Wait::kNo);
  }
}

ParkedSessions::Sessions::iterator ParkedSessions::advance(Sessions::iterator session, EpochLoop::Wait wait) {
  if (!(*session)->advanceEnd(wait)) return std::next(session);
  hand_over_(**session);
  return sessions_.erase(session);
}

}  // namespace starling
