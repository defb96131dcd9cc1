// How far a key is on the way from one plan to the next, since ranks take a plan up together and later than it is made.
#pragma once

#include <utility>

namespace starling {

// THREADS: not thread-safe.
class PlanTransition {
 public:
  // Notes that a plan was made, which is to take force. `has_trials` says that some of its calls are trials.
  void begin(bool has_trials) {
    awaits_force_ = true;
    has_trials_ = has_trials;
  }
  // Notes that the plan that is about to be made has another table or other latenesses than the one in force, or not.
  void setRearranges(bool rearranges) { rearranges_ = rearranges; }
  bool rearranges() const { return rearranges_; }
  // Notes that the plan took force, and returns whether it has arranged ranks anew.
  bool takeForce() {
    awaits_force_ = false;
    awaits_call_ = has_trials_;
    // One epoch is still to be observed in which the plan before was followed: it ended when this plan took force.
    former_epochs_ = 1;
    if (!std::exchange(rearranges_, false)) return false;
    outdated_epochs_ = 1;
    return true;
  }
  void noteCall() { awaits_call_ = false; }
  void noteEpoch() {
    if (outdated_epochs_ > 0) --outdated_epochs_;
    if (former_epochs_ > 0) --former_epochs_;
  }
  // Notes that what is still to be observed of the epochs so far tells nothing new.
  void disregardEpoch() { outdated_epochs_ = 1; }

  // Returns whether a plan was made that is not in force yet.
  bool awaitsForce() const { return awaits_force_; }
  // Returns whether trials are in force and the key was not called since: they would give way to others.
  bool awaitsCall() const { return awaits_call_; }
  // Returns whether calls that are observed now may have followed the plan before.
  bool mayFollowFormer() const { return former_epochs_ > 0; }
  // Returns whether these, where they do, say nothing of how ranks are arranged now.
  bool isOutdated() const { return outdated_epochs_ > 0; }

 private:
  bool awaits_force_ = false;
  bool awaits_call_ = false;
  bool has_trials_ = false;
  bool rearranges_ = false;
  int former_epochs_ = 0;    // that are still to be observed, at most
  int outdated_epochs_ = 0;  // likewise
};

}  // namespace starling
