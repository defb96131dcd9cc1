// What native and all algorithms cost for keys that are alike: what the simulator predicts, corrected by what calls
// took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "algos/flagged.h"
#include "base/units.h"
#include "estimators/cost_beliefs.h"
#include "tuner/candidates.h"
#include "tuner/cost_priors.h"

namespace starling {

// Calls are those of all these keys. THREADS: not thread-safe.
class KeyCosts {
 public:
  static constexpr std::size_t kNative = 0;  // index of its arm
  // An algorithm for which some rank lacks memory is planned so often in vain.
  static constexpr std::int32_t kMostMissed = 4;

  // A form of an algorithm, with the parameters that are best as ranks arrive now.
  struct Arm {
    Choice choice{};
    RowForm row{};                   // of the choice
    Seconds predicted{};             // 0: not predicted
    bool is_available = true;        // it may run as ranks arrive now
    bool is_hopeless = false;        // it takes far longer than predicted, nobody knows by how much
    bool was_called = false;         // however it was arranged
    bool is_learned = false;         // by an earlier run, or by another key of the shape
    bool is_assumed = false;         // by an earlier run, until a call says more
    bool is_in_doubt = false;        // its latest call took less than it is believed to, and is to be confirmed
    std::int32_t doubts = 0;         // such calls in a row
    std::int64_t samples = 0;        // of its calls, as it is arranged now
    std::int64_t since_move = 0;     // of these, since noteMove()
    std::int32_t under_way = 0;      // trials that are planned and have not been seen
    std::int64_t planner = 0;        // the key that planned the latest of these
    std::int64_t planned_at = 0;     // call
    std::int32_t decisions_ago = 0;  // of that key, since then
    std::int32_t missed = 0;         // of those that were planned, in a row: never made
    std::int32_t losses = 0;         // since it was good
    std::int32_t checks = 0;         // trials that promised nothing
    std::int32_t looks = 0;          // since another one took its place
    std::int64_t look_at = -1;       // call from which on it is looked at again; negative: never
    std::int64_t retry_at = -1;      // call from which on it is tried again after a loss; negative: never
    std::int32_t untold = 0;         // calls since then that told nothing
    bool is_new_here = false;        // it was called, but not on the communicator that calls now
    std::optional<double> only{};    // what its first call took, as beliefs have it, where there is no other one

    // Returns whether calls may run it: they may as ranks arrive now, and no rank lacks memory for it.
    bool isUsable() const { return is_available && missed < kMostMissed; }
  };

  // Takes what is predicted of all algorithms. Where that was done before, for other arrivals, what is known of an
  // algorithm stays, but for what the simulator says about the difference.
  void predict(const std::vector<Candidate>& candidates);
  // Notes that calls come from another communicator now: there first calls are still to come, and memory may be there.
  void noteCommunicator();
  // Notes that ranks arrive otherwise, and that rows are not ranked for it yet: how much that makes of the costs is not
  // known. predict() then leaves what was called since as it was found.
  void noteMove();
  // Takes what keys of a shape that is so many size classes away have learned. REQUIRES: isRanked(), and nothing was
  // observed.
  void inherit(std::span<const CostResidual> residuals, std::int32_t distance);
  // Takes what a key that is so many size classes away has just found, of what was never called here. REQUIRES:
  // isRanked().
  void hear(const CostResidual& found, std::int32_t distance);
  // Returns by how much more each row costs than was predicted.
  std::vector<CostResidual> residuals() const;
  CostResidual residualOf(std::size_t arm) const;
  bool isRanked() const { return !arms_.empty(); }

  // Takes what a call took, which is right within `error`, but that something else may have made it longer by about
  // `disturbance`. Returns true where it shows that costs have changed. REQUIRES: isRanked().
  bool observe(const Choice& choice, Seconds time, Seconds error = {}, Seconds disturbance = {});
  // Takes what native took first, unless a coarse clock says that it took no time. What is more than native may differ
  // from the common rows is the model's error for all.
  void calibrate(Seconds native);
  // Takes what is known from an earlier run: native takes `gain` times what the choice does, and, where ranks arrive as
  // they did then, nothing is faster. The choice takes the place of its row's own.
  void assume(const Choice& choice, double gain, bool arrives_as_then);
  // Lets the choice take the place of its row's own, and be called as if it had been called here: it is what
  // another key runs.
  void trust(const Choice& choice);
  // Notes that the choice has been found to take so many times what native does. Where it had been good this may pass:
  // then it is tried again, after so many calls that this costs little, and twice as many each time that it is slow.
  void noteLoss(const Choice& choice, double times_native);
  void noteCalls(std::int64_t calls) {
    calls_ += calls;
    beliefs_.age(calls);
  }
  // Notes that another arm has taken the place of this one. Where it had been good it may be so again, and is looked at
  // now and then, each time after twice as many calls.
  void noteReplaced(std::size_t arm);
  // Notes that a call of the arm, which took so long at most, was a trial beside the incumbent. Where it was faster
  // than that, and the arm is not believed to be, it is tried again at once, kMostConfirmed times in a row.
  void noteTried(std::size_t arm, Seconds time, std::size_t incumbent);
  // Has native called once, soon, if it was not.
  void lookAtNative() { arms_[kNative].look_at = calls_; }
  // Notes that the choice was planned and could not be made.
  void disable(const Choice& choice);
  // Notes a trial that was seen to be made.
  void noteTrial(const Choice& choice);

  bool wasCalled(std::size_t arm) const { return arm == kNative || arms_[arm].was_called; }
  std::span<const Arm> arms() const { return arms_; }
  // Returns the arm's index; empty where the choice is not one of them.
  std::optional<std::size_t> find(const Choice& choice) const;
  // Returns the row's arm; the number of arms where it has none.
  std::size_t armOf(const RowForm& row) const;
  std::size_t armOf(const Choice& choice) const { return armOf(formOf(choice)); }
  // Returns the arm that is to run in place of `now`: of native, those that were called and what was assumed the one
  // that costs least, if that is sure enough.
  std::size_t best(std::size_t now) const;

  // How much may be spent on trials.
  struct Allowance {
    std::size_t trials = 0;
    double calls_to_come = 0.0;     // that may profit from them
    double excess = 0.0;            // beyond what the incumbent would take, as a multiple of that
    double excess_under_way = 0.0;  // of first trials, here and in other keys of the shape, likewise
    // Returns whether another key is about to try the row, so that it is not tried first here; empty: none is.
    std::function<bool(const RowForm&)> is_left_to_others{};
    std::int64_t planner = 0;  // the key that is to make them
    bool may_check = false;  // the key is settled: now and then something else may be tried though it promises nothing
  };
  // Returns the arms that are worth a call, the most promising first, and notes that these are under way.
  std::vector<Choice> planTrials(std::size_t incumbent, Allowance allowance);
  // Returns what the trials that were planned last promise at best, as a multiple of what a call of the incumbent
  // takes.
  double promise() const { return promise_; }
  // Returns whether any trial is under way, or was left to others when trials were planned last.
  bool awaitsTrials() const;
  bool awaitsOthers() const { return awaits_others_; }
  // Notes that the key decides, one of so many that share these costs. Forgets trials that it planned so long ago that
  // they were never made, because another plan came, and those of keys that are not called any more.
  void noteDecision(std::int64_t planner = 0, std::int64_t keys = 1);
  // Forgets those that the key was to make, which makes no calls any more.
  void forgetTrials(std::int64_t planner);
  // Forgets those that other keys were to make.
  void forgetTrialsOfOthers(std::int64_t planner);

  // Returns whether the arm's next call tells little, because it is short and finds others' data in the caches.
  bool isCold(std::size_t arm) const;
  // Returns how many calls of the arm are still to come in memory that was not touched before.
  std::int32_t coldCalls(std::size_t arm) const;
  // Returns how many there are on a communicator that begins.
  std::int32_t firstColdCalls(std::size_t arm) const { return cools(arm) ? kColdCalls : 0; }
  // Likewise, of an algorithm whose calls take so long.
  static std::int32_t coldCallsOf(std::int32_t algorithm, Seconds time);
  // A trial of an arm whose first calls tell little takes so many calls in a row.
  static constexpr std::int32_t kCallsInARow = 4;
  // Returns the expected time.
  Seconds expected(std::size_t arm) const;
  // Returns the least of what native and the rows that were called are expected to take. REQUIRES: isRanked().
  Seconds leastExpected() const;
  // What a trial is expected to take beyond a call of the incumbent, as a multiple of that.
  double excessOf(std::size_t arm, std::size_t incumbent) const;
  double probabilityOfLess(std::size_t a, std::size_t b) const { return beliefs_.probabilityOfLess(a, b); }
  // What native is believed to take beside an arm: the logarithm of the ratio of both, and its deviation.
  struct Ratio {
    double logarithm = 0.0;
    double deviation = 0.0;
  };
  Ratio nativeBeside(std::size_t arm) const;

 private:
  void addArm(const Candidate& candidate);
  // Adds the forms of rows that are not among the candidates now, and may be later.
  void addOtherForms();
  // Lets the arm be this choice of its row from now on.
  void change(std::size_t arm, const Choice& choice);
  void addArms(const std::vector<Candidate>& candidates);
  void moveArms(const std::vector<Candidate>& candidates);
  // Returns what the time of a disturbed call says of the arm; empty: nothing that is not expected.
  std::optional<Seconds> undisturbed(std::size_t arm, Seconds time, Seconds disturbance) const;
  // Returns whether a call of the arm tells little where it follows one of another arm.
  bool cools(std::size_t arm) const;
  // Returns how many calls in a row a trial of the arm takes to tell something.
  std::int32_t callsOfTrial(std::size_t arm) const;
  bool isSecondForm(std::size_t arm) const;
  // Returns what trials of the arm promise over so many calls, beyond what they take themselves, where one takes so
  // much longer than a call of the incumbent: all as multiples of that.
  double profitOf(std::size_t arm, std::size_t incumbent, double calls_to_come, double excess) const;
  static bool mayBeTried(const Arm& arm) { return arm.isUsable() && (!arm.is_hopeless || arm.was_called); }
  static bool isLeftToOthers(const Arm& arm, const Allowance& allowance);
  // Plan a look at what promises nothing: at native, and at one of the others.
  void planNativeCheck(std::size_t incumbent, const Allowance& allowance, std::vector<Choice>& choices);
  void planCheck(std::size_t incumbent, const Allowance& allowance, std::vector<Choice>& choices);
  double excessOfCheck(std::size_t arm, std::size_t incumbent) const;
  // Notes a trial of the arm, and adds its calls to the choices.
  void plan(std::size_t arm, const Allowance& allowance, std::vector<Choice>& choices);
  void noteRetry(Arm& arm, double times_native);
  // Notes that a call of the arm told nothing, and took so many times what native does. Where the arm is to be tried
  // again kMostUntold such calls put that off.
  void noteUntold(Arm& arm, double times_native);
  bool isToBeRetried(const Arm& arm) const { return arm.retry_at >= 0 && calls_ >= arm.retry_at; }
  bool waitsForRetry(const Arm& arm) const { return calls_ < arm.retry_at; }
  bool isToBeLookedAt(const Arm& arm) const { return arm.retry_at < 0 && arm.look_at >= 0 && calls_ >= arm.look_at; }

  // The first calls of an arm that cools take turns in memory that was never touched before: NodeLayout::kSets buffers.
  static constexpr std::int32_t kColdCalls = kCallsInARow - 1;
  // So many calls after another one took its place an arm is looked at again.
  static constexpr std::int64_t kFirstLook = 16;
  static constexpr std::int32_t kMostConfirmed = 4;
  static constexpr std::int32_t kMostUntold = 2 * kCallsInARow;
  // So many calls lie before the first check, and between two, at least.
  static constexpr std::int64_t kLeastBetweenChecks = 100;

  CostBeliefs beliefs_{0.4};
  bool awaits_others_ = false;
  double promise_ = 0.0;
  bool has_moved_ = false;  // since rows were ranked
  std::vector<Arm> arms_;
  std::size_t latest_ = kNative;                   // that was observed
  std::int64_t calls_ = 0;                         // of the key
  std::int64_t check_from_ = kLeastBetweenChecks;  // call from which on the next check may be planned
  std::int64_t native_check_from_ = kLeastBetweenChecks;
};

}  // namespace starling
