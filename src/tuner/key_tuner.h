// The life of one key's plan, on rank 0 of its communicator: observing, exploring, settled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algos/catalogue.h"
#include "base/options.h"
#include "base/units.h"
#include "store/records.h"
#include "tuner/candidates.h"
#include "tuner/choice_gain.h"
#include "tuner/cost_account.h"
#include "tuner/key_arrivals.h"
#include "tuner/key_costs.h"
#include "tuner/key_sequence.h"
#include "tuner/learned_choice.h"
#include "tuner/measured_choices.h"
#include "tuner/plan.h"
#include "tuner/plan_transition.h"
#include "tuner/sampled_call.h"
#include "tuner/shared_knowledge.h"
#include "tuner/trial_budget.h"
#include "tuner/tuner_settings.h"
#include "tuner/typical_time.h"

namespace starling {

// THREADS: not thread-safe; one per key.
class KeyTuner {
 public:
  // Where `tunable` is false, the calls pass through to the MPI library and are only watched. Keeps a reference to
  // `settings`.
  KeyTuner(const TunerSettings& settings, const Shape& shape, Bytes element_size, KeyOrigin origin, bool tunable,
           const std::optional<PolicyRecord>& learned);

  // Notes that all ranks have stopped the choice, because its latest calls took at least `shortest` apart from waiting.
  void noteStop(const Choice& choice, Seconds shortest);
  // Every call is counted, together with `calls` - 1 like it; those that were stamped are observed too.
  void count(const PlannedChoice& planned, std::int32_t calls = 1);
  void observe(const PlannedChoice& planned, const CallTimes& times);
  // Notes for how long others waited for a rank that came last, as a mean over all ranks.
  void noteWaitedFor(std::int32_t rank, Seconds waited) { arrivals_.noteWaitedFor(rank, waited); }
  // Notes whether a call, which was counted, ran native because what was planned cannot run: some rank lacks memory for
  // it, as a rule, and then it is passed over on all. Where so many are, and none runs it, the choice is given up.
  void notePassedOver(const PlannedChoice& planned, bool is_passed_over);

  // Takes in the call `index` of this key and that of the special calls beside it; `is_own` says that this key has just
  // observed it.
  void observeSequence(std::int64_t index, const CallTimes& times, bool is_own);
  // Notes that calls were made that nobody has counted.
  void forgetSequence();
  // Notes that it makes no difference which calls are special, until something changes.
  void giveUpCycle() { cycle_is_useless_ = true; }
  bool hasSettledOnNative() const;
  // Begins this key as that of the special calls beside those of `usual`.
  void beginBeside(const KeyTuner& usual);

  struct Decision {
    KeyPlan plan;
    std::string reason;                                // sentences; empty: nothing that is worth a record
    std::optional<double> expected, measured, native;  // post-arrival seconds
    bool has_ranked = false;                           // candidates, which takes long
  };
  // Is asked at the end of an epoch, and returns a new plan when there is reason for one. The caller puts it in force;
  // until then further decisions wait (planTookForce()).
  // Where `may_rank` is false, candidates are not ranked now, because that takes long; the key goes on observing.
  // `calls_in_epoch` is how many calls the key is taken to have in an epoch.
  std::optional<Decision> decide(bool may_rank = true, std::size_t calls_in_epoch = 3);
  void planTookForce();
  // Returns whether something is still to be learned soon: agreements are then to come often.
  bool isUnsettled() const { return plan_.state == KeyState::kObserving || plan_.state == KeyState::kExploring; }

  // Returns whether decide() counts epochs, so that it is to be called at the end of each.
  bool waitsForEpochs() const { return transition_.isOutdated() || transition_.mayFollowFormer(); }

  KeyState state() const { return plan_.state; }
  const KeyPlan& plan() const { return plan_; }
  // Says why the key was settled as it is, which a later run is told.
  const std::string& settledReason() const { return settled_reason_; }
  // Returns what native takes as a multiple of what the choice takes, and the standard error of that (ChoiceGain).
  std::optional<double> gain() const;
  std::optional<double> gainError() const;
  // Returns what is believed of costs, as ranks are arranged now.
  const KeyCosts& costs() const { return account_->costs; }
  const TrackedArrivals& arrivals() const { return arrivals_.tracked(); }
  // Returns what calls of the choice take as a rule, apart from waiting; empty: it was not observed.
  std::optional<Seconds> usualNet(const Choice& choice) const { return choices_.usualNet(choice); }
  KeyArrivals::Outlook outlook() const { return arrivals_.outlook(); }
  const Shape& shape() const { return shape_; }
  Bytes elementSize() const { return element_size_; }
  const KeyOrigin& origin() const { return others_.origin(); }
  // Makes what was seen of arrivals begin anew; what is predicted stays.
  void restartArrivals() { arrivals_.restart(); }

 private:
  // Tells what a decision is made for.
  struct Occasion {
    std::string preface{};     // sentences that a later run is not told
    std::string text{};        // sentences; both empty: nothing has happened
    bool reopens = false;      // exploration
    bool was_stopped = false;  // the incumbent was, on all ranks
    bool must_tell = false;    // all ranks need a plan that knows of it
    bool only_hears = false;   // of other keys: this one was not called
  };

  // Tells which arm is to run now, in place of which one.
  struct Succession {
    bool is_known = true;    // what runs is one of the arms
    std::size_t before = 0;  // native, if it is not
    std::size_t chosen = 0;
  };

  // Tells how ranks come otherwise than before: predictably, or so that nobody can be named.
  struct Change {
    bool has_moved = false;
    bool comes_otherwise = false;
  };

  std::optional<Decision> leaveObserving(bool may_rank);
  std::optional<Decision> endFollowing();
  std::optional<Decision> steer(bool may_rank);
  std::optional<Decision> decideOn(KeyPlan plan, const Occasion& occasion);
  Succession successionOf(const Choice& incumbent, bool was_stopped) const;
  // Gives the plan trials beside the arm, if it may try anything, and the state that follows; returns whether a settled
  // key explores again for them.
  bool planTrials(KeyPlan& plan, std::size_t incumbent, bool was_settled, bool may_try);
  Decision decisionOf(KeyPlan plan, std::string reason);
  bool isShort(std::size_t arm) const;
  double callsToCome() const;
  KeyCosts::Allowance allowance(std::size_t incumbent, bool is_settled) const;
  // Returns the calls that a plan with this incumbent begins with.
  std::vector<Choice> trialsBeside(std::size_t incumbent, bool is_settled);
  void learn(const PlannedChoice& planned, const ChoiceTimes::Net& net);
  // Returns whether ranking all rows takes little beside the calls since that was done last, or has to be done anyway.
  bool mayRankAgain() const { return account_->until_ranking <= Seconds{}; }
  // Returns whether the table is to stay the identity.
  bool keepsRankOrder() const { return !shape_.commutative || settings_.options.reproducible; }
  // Returns whether the choice is the tuner's own: neither the user nor reproducible mode makes it.
  bool isFree() const { return settings_.options.leavesTheChoice(); }
  // Returns what the key runs as it would begin on another communicator.
  LatestKeys::Arranged runsElsewhere() const;

  // Returns what is known of what native takes beside the choice in force.
  ChoiceGain choiceGain() const;

  KeyCosts& costs() { return account_->costs; }
  TrialBudget& budget() { return account_->budget; }
  const TrialBudget& budget() const { return account_->budget; }

  // These functions are in key_tuner_account.cc.
  CostAccounts::Kind kindOfAccount() const;
  CommonArrivals arrivalsBy(const KeyPlan& plan) const;
  // Returns whether what the account knows holds where ranks come so.
  bool suits(const CommonArrivals& arrivals) const;
  // Joins keys that are alike, and to which ranks come as by the plan; returns false where there are no others.
  bool joinOthers(const KeyPlan& plan);
  // Goes on alone, with what is known so far, where ranks come so.
  void separateFromOthers(const KeyPlan& plan);
  // Takes what calls of the choice took before the key shared the account.
  void learn(const Choice& choice);
  // Returns the choice's arm, or native's where calls cannot run it now.
  std::size_t usableArmOf(const Choice& choice) const;

  // These functions are in key_tuner_arrivals.cc.
  // Updates table and predicted lateness of `plan`; returns true when they changed.
  bool followArrivals(KeyPlan& plan) const;
  // Lets another rank be the coordinator of flags in `plan`, or none, where that is better; returns true when it does.
  bool placeCoordinator(KeyPlan& plan) const { return !keepsRankOrder() && arrivals_.placeCoordinator(plan); }
  // Returns whether ranks have come otherwise, or calls have become so short, that other rows may be faster than when
  // all were ranked last, though no plan is to follow that.
  bool comeOtherwise(const KeyPlan& plan);
  // Learns what a call took, at once or when it is clear how ranks come.
  void hold(const PlannedChoice& planned, const ChoiceTimes::Net& net);
  // Ranks all rows for how ranks come now, where they come otherwise: at once, or as soon as it takes little.
  void heedArrivals(const KeyPlan& plan, Change change, bool may_rank, Occasion& occasion);
  // Returns whether the plan arranges ranks in another way than the plan in force.
  bool isRearranged(const KeyPlan& plan) const;

  // These functions are in key_tuner_begin.cc.
  // Returns what the policy says, where calls of this key can run it.
  std::optional<LearnedChoice> usable(const PolicyRecord& policy) const;
  bool mayRun(const Algorithm& algorithm) const;
  std::optional<Decision> beginExploring(bool may_rank);
  // Begins with what those have found whose account the key has joined.
  std::optional<Decision> beginWithOthers(KeyPlan plan, bool have_moved);

  void takeOver(KeyPlan& plan) const;
  CandidateQuery query(const KeyPlan& plan) const;
  // Predicts all costs as ranks arrive by the plan. Returns false where that would take too long now.
  bool predict(const KeyPlan& plan, bool may_rank);
  // Lets rows be ranked again only when that takes no more than this share of the time of the calls until then.
  void limitRanking(double share);
  static void addLearned(const CandidateQuery& question, const Choice& choice, std::vector<Candidate>& candidates);
  void runAsOthersDo(KeyPlan& plan) const;
  // Returns whether calls ran what an earlier run has learned from the first one on, and were not stopped.
  bool wasForetold() const;
  // Returns whether all ranks have stopped such a choice of an earlier run, or of another key.
  bool wasStopped() const;
  // Returns whether an earlier run chose the arm, which was not called yet.
  bool isOfEarlierRun(std::size_t arm) const;
  double grant(bool arrives_as_then) const;
  // Takes what keys of the same shape have just found, and tells them what this one is about to try.
  void hearOfTrials();
  void announceTrials(const std::vector<Choice>& trials, std::size_t incumbent) const;
  // Returns whether this key has seen native often enough, or has seen it, and others of its shape with it have.
  bool isNativeKnown() const;

  // This function is in key_tuner_cycle.cc, with those that are about sequences.
  void followCycle(KeyPlan& plan, Occasion& occasion) const;

  // These functions are in key_tuner_limit.cc, with noteStop().
  // Gives up the choice in force where it was stopped, and notes what that tells of it. `native` is what native took.
  void digestStop(Seconds native, Occasion& occasion);
  // Gives it up. REQUIRES: it was stopped.
  void leaveStopped(Seconds native, Occasion& occasion);
  // Returns whether the choice is believed to be.
  bool isFasterThanNative(const Choice& choice) const;
  Seconds nativeTime() const;
  // Returns what a call of the plan's incumbent may take.
  CallLimit limitOf(const KeyPlan& plan) const;

  // These functions are in key_tuner_given.cc.
  Decision forced();
  Decision reproducible(KeyPlan plan, const std::string& occasion);
  std::optional<Decision> followArrivalsOnly(bool may_rank);

  const TunerSettings& settings_;
  Shape shape_;
  Bytes element_size_;
  ShapeKnowledge others_;  // keys of the same shape
  AccountShare account_;
  std::int32_t times_reopened_ = 0;  // exploration was, in the account, when this key decided last
  bool goes_alone_ = false;          // joins no others any more
  std::optional<LearnedChoice> learned_;
  KeyArrivals arrivals_;
  KeySequence sequence_;
  bool cycle_is_useless_ = false;
  MeasuredChoices choices_;
  KeyPlan plan_;
  bool has_plan_ = false;        // that was sent to all ranks
  bool follows_twin_ = false;    // it was seen to run what another key does
  bool inherits_costs_ = false;  // of keys of the very shape
  PlanTransition transition_;
  std::vector<std::pair<PlannedChoice, ChoiceTimes::Net>> held_;  // calls whose ranks did not come as was foreseen
  Occasion occasion_;                                             // since the latest decision
  std::int32_t times_stopped_ = 0;
  std::optional<Seconds> stop_;  // of the incumbent, since the latest decision: its latest calls took at least so long
  std::size_t calls_in_epoch_ = 0;
  bool has_ranked_ = false;  // for the decision that is being made
  std::int64_t calls_ = 0;
  std::int64_t calls_decided_on_ = 0;  // that the latest decision knew of
  std::int64_t passed_over_ = 0;       // calls in a row that were to run the incumbent and ran native
  int came_otherwise_ = 0;             // decisions in a row, as comeOtherwise() says
  TypicalTime elapsed_;                // in a call that was stamped, waiting included
  std::string settled_reason_;
};

}  // namespace starling
