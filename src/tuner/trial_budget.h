// How much a key, or those that share an account, may spend on trials, and how often exploration may begin anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace starling {

// Costs are counted in calls of the incumbent. In the first calls after exploration has begun, and after it was
// reopened, trials may take as much time again as these calls do, or less where an earlier run has learned; else they
// take a small share of all time. A trial that took far more than was expected is paid for by the calls that
// follow. Where exploration is reopened again and again, and the choice stays, that was noise: then it may be reopened
// after twice as many calls each time. Keys that are alike share a budget. THREADS: not thread-safe.
class TrialBudget {
 public:
  static constexpr std::int64_t kGrantedCalls = 20;
  static constexpr double kShare = 0.02;
  // Exploration ends after so many calls: what is undecided then makes little difference.
  static constexpr std::int64_t kExploredCalls = 60;
  // Likewise after something that was passed over looks worth a trial again.
  static constexpr std::int64_t kBrieflyExplored = 12;
  static constexpr std::int64_t kMostTimes = 4;

  void count(std::int64_t calls) {
    const bool was_granted = calls_ < granted_until_;
    calls_ += calls;
    if (was_granted && calls_ >= granted_until_) {
      unused_ = std::max(credit_, 0.0);
      credit_ = std::min(credit_, 0.0);
    }
    credit_ = std::min(credit_ + kShare * static_cast<double>(calls), static_cast<double>(kGrantedCalls));
  }
  // Where an earlier run has paid for the trials, these are to confirm what it found.
  static constexpr double kGrantedOnceLearned = 4.0;
  // Where other keys of the shape learn, too, what they find is heard of.
  static constexpr double kGrantedBesideOthers = 2.0;
  void begin(double granted) {
    explored_until_ = calls_ + kExploredCalls * times_;
    most_times_ = times_;
    granted_until_ = calls_ + kGrantedCalls * times_;
    credit_ = granted;
    unused_ = 0.0;
    // What an earlier run has learned, or others are finding, needs no more.
    communicators_ = granted < static_cast<double>(kGrantedCalls) ? kMostTimes : 0;
  }
  // Returns whether exploration may be reopened because something seems to have changed.
  bool mayReopen() const { return calls_ >= reopened_from_; }
  void reopen() {
    wait_ = std::min(2 * wait_, kLongestWait);
    reopened_from_ = calls_ + wait_;
    explored_until_ = calls_ + kExploredCalls * times_;
    most_times_ = times_;
    brief_wait_ = kFirstWait;
    if (calls_ < granted_until_ + kCallsBetweenGrants) return;
    granted_until_ = calls_ + kGrantedCalls * times_;
    communicators_ = 0;
    unused_ = 0.0;
    credit_ = std::min(credit_ + kGrantedCalls, static_cast<double>(kGrantedCalls));
  }
  // Returns whether exploration may be reopened for a few calls, for what looks worth a trial though nothing seems to
  // have changed. Nothing is granted for it.
  bool mayExploreBriefly() const { return calls_ >= brief_from_; }
  void exploreBriefly() {
    brief_wait_ = std::min(2 * brief_wait_, kLongestWait);
    brief_from_ = calls_ + brief_wait_;
    explored_until_ = std::max(explored_until_, calls_ + kBrieflyExplored * times_);
  }
  // Notes that the choice has changed, so that it was right to reopen.
  void noteNewChoice() {
    wait_ = kFirstWait;
    reopened_from_ = std::min(reopened_from_, calls_ + wait_);
  }
  // Notes that a trial took so much beyond a call of the incumbent.
  void charge(double excess) { credit_ = std::max(credit_ - std::max(excess, 0.0), -kMostDebt); }

  // Notes that so many keys share the budget. Where they take turns what is planned for one of them comes later, and
  // exploration goes on for up to kMostTimes as many calls.
  void noteKeys(std::int64_t keys) {
    times_ = std::clamp<std::int64_t>(keys, 1, kMostTimes);
    const std::int64_t more = std::max<std::int64_t>(times_ - most_times_, 0);
    if (isExploring()) explored_until_ += kExploredCalls * more;
    if (calls_ < granted_until_) granted_until_ += kGrantedCalls * more;
    most_times_ = std::max(most_times_, times_);
  }

  // Notes that the calls to come are those of another communicator. Where the one before has ended while exploration
  // goes on, what was granted and could not be used holds for its first calls, too.
  void noteCommunicator() {
    const bool is_left = calls_ < granted_until_ || unused_ > 0.0;
    if (!isExploring() || !is_left || ++communicators_ > kMostTimes) return;
    most_times_ = times_;
    granted_until_ = calls_ + kGrantedCalls * times_;
    explored_until_ = std::max(explored_until_, calls_ + kExploredCalls * times_);
    credit_ = std::min(credit_ + std::exchange(unused_, 0.0), static_cast<double>(kGrantedCalls));
  }

  std::int64_t calls() const { return calls_; }
  double left() const { return std::max(credit_, 0.0); }
  bool isExploring() const { return calls_ < explored_until_; }

 private:
  // What is granted is granted anew after so many calls at the earliest.
  static constexpr std::int64_t kCallsBetweenGrants = 100;
  static constexpr std::int64_t kFirstWait = 32;
  static constexpr std::int64_t kLongestWait = 4096;
  // A call that was interrupted for seconds is paid for within ten thousand calls.
  static constexpr double kMostDebt = 200.0;

  std::int64_t calls_ = 0;       // of all keys
  std::int64_t times_ = 1;       // as many calls as one key has
  std::int64_t most_times_ = 1;  // since exploration began
  std::int64_t granted_until_ = 0;
  std::int64_t explored_until_ = 0;
  std::int64_t reopened_from_ = 0;
  std::int64_t wait_ = kFirstWait;
  std::int64_t brief_from_ = 0;
  std::int64_t brief_wait_ = kFirstWait;
  double credit_ = 0.0;
  double unused_ = 0.0;             // of what was granted last
  std::int64_t communicators_ = 0;  // that have begun since
};

}  // namespace starling
