// The life of one key's plan, on rank 0 of its communicator: observing, exploring, settled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algos/catalogue.h"
#include "base/options.h"
#include "base/units.h"
#include "simulator/simulator.h"
#include "store/records.h"
#include "tuner/candidates.h"
#include "tuner/key_arrivals.h"
#include "tuner/measured_choices.h"
#include "tuner/plan.h"
#include "tuner/probation.h"
#include "tuner/sampled_call.h"

namespace starling {

// All keys of the communicator have these settings in common.
struct TunerSettings {
  Options options;
  CostModel model;
  // Stamps of different ranks may be subtracted, within a known error. If not, candidates are compared by mean elapsed
  // time, and there are no latenesses.
  bool stamps_compare = true;
  Topology topology{};  // by rank
  // The ranks tell rank 0 of so many calls of an epoch at most.
  std::int32_t samples_per_epoch = 32;
};

// THREADS: not thread-safe; one per key.
class KeyTuner {
 public:
  // Where `tunable` is false, the calls pass through to the MPI library and are only watched. Keeps a reference to
  // `settings`.
  KeyTuner(const TunerSettings& settings, const Shape& shape, Bytes element_size, bool tunable,
           std::optional<PolicyRecord> learned);

  // Notes that all ranks have stopped the choice, because its latest calls took at least `shortest` apart from waiting.
  void noteStop(const Choice& choice, Seconds shortest);
  // Every call is counted; those that were stamped are observed too.
  void count(const PlannedChoice& planned);
  void observe(const Choice& choice, const CallTimes& times);

  struct Decision {
    KeyPlan plan;
    std::string reason;                                // sentences; empty: nothing that is worth a record
    std::optional<double> expected, measured, native;  // post-arrival seconds
    bool has_ranked = false;                           // candidates, which takes long
  };
  // Is asked at the end of an epoch, and returns a new plan when there is reason for one. The caller puts it in force;
  // until then further decisions wait (planTookForce()).
  // Where `may_rank` is false, candidates are not ranked now, because that takes long; the key goes on observing.
  std::optional<Decision> decide(bool may_rank = true);
  void planTookForce();
  // Returns whether the cost of the plan in force, or of the one that is to take force, is not known yet: agreements
  // are then to come soon.
  bool isBeingJudged() const { return plan_.probation_calls > 0 || doubt_; }

  // Returns whether decide() counts epochs, so that it is to be called at the end of each.
  bool waitsForEpochs() const { return transition_.outdated_epochs > 0; }

  KeyState state() const { return plan_.state; }
  const KeyPlan& plan() const { return plan_; }
  // Says why the key was settled as it is, which a later run is told.
  const std::string& settledReason() const { return settled_reason_; }
  // Returns what native takes as a multiple of what the choice takes.
  std::optional<double> gain() const;
  const TrackedArrivals& arrivals() const { return arrivals_.tracked(); }
  // Makes what was seen of arrivals begin anew; what is predicted stays.
  void restartArrivals() { arrivals_.restart(); }

 private:
  // Nobody has measured a choice that was taken over: it has the calls that it takes to judge it. Native runs until
  // they are judged, and is thereby measured beside it, in the same conditions, which costs what the choice would have
  // gained in about six calls.
  static constexpr std::int32_t kFirstProbation = Probation::kSamples;
  // A choice that was good may be bad with another table. It is not interrupted while it is judged, which takes three
  // epochs of three calls: those it is measured in, and two until the agreement is in force.
  static constexpr std::int32_t kLaterProbation = 3 * Probation::kSamples;

  // A choice that was given up because it took much longer than native had taken.
  struct Doubt {
    Choice choice;
    double net = 0.0;                 // seconds: the shortest time of those it was given up for
    std::int64_t native_samples = 0;  // known then
    std::size_t good_samples = 0;     // by which it had been faster than native; 0: it had not
  };

  // Tells how far the key is on the way from one plan to the next.
  struct Transition {
    bool awaits_force = false;
    bool rearranges = false;  // the plan that is to take force runs the incumbent with another table or latenesses
    int outdated_epochs = 0;  // still to be observed: calls in them followed the plan before
  };

  std::optional<Decision> leaveObserving(bool may_rank);
  std::optional<Decision> endFollowing();
  Decision proposeTrials();
  std::optional<Decision> leaveExploring();
  Decision settleOn(const Choice& choice, std::string reason, std::int32_t probation_calls = 0);
  Decision decisionOf(KeyPlan plan, std::string reason);
  // Updates table and predicted lateness of `plan`; returns true when they changed.
  bool followArrivals(KeyPlan& plan) const;
  CandidateQuery query(const KeyPlan& plan) const;
  // Returns whether the table is to stay the identity.
  bool keepsRankOrder() const { return !shape_.commutative || settings_.options.reproducible; }

  // These functions are in key_tuner_settled.cc.
  std::optional<Decision> watchSettled(bool may_rank);
  std::optional<Decision> followArrivalsOnceSettled(bool may_rank);
  std::optional<Decision> giveUpAtOnce();
  std::optional<Decision> giveUpInSteadyUse();
  std::optional<Decision> takeBack();
  std::optional<Decision> endProbation();
  Decision confirm();
  // Returns what a call of the plan's incumbent may take.
  CallLimit limitOf(const KeyPlan& plan) const;
  std::size_t goodSamples() const;
  void putOnProbation(KeyPlan& plan, std::int32_t calls);
  // Returns true when neither the user nor reproducible mode has made the choice, and it is not native.
  bool mayBeGivenUp(const Choice& choice) const;
  // Returns whether the plan runs its incumbent in another way than the plan in force would.
  bool isRearranged(const KeyPlan& plan) const;

  // These functions are in key_tuner_given.cc.
  Decision forced();
  Decision reproducible(KeyPlan plan, const std::string& occasion);
  Decision takeOver();

  const TunerSettings& settings_;
  Shape shape_;
  Bytes element_size_;
  std::optional<PolicyRecord> learned_;
  KeyArrivals arrivals_;
  MeasuredChoices choices_;
  KeyPlan plan_;
  bool has_plan_ = false;      // that was sent to all ranks
  bool follows_twin_ = false;  // it was seen to run what another key does
  Transition transition_;
  Probation probation_;         // of the incumbent, where it is on probation
  bool is_taken_over_ = false;  // the incumbent is that of an earlier run, and not confirmed yet
  std::optional<Doubt> doubt_;
  std::optional<double> stopped_;  // net seconds for which the ranks stopped the incumbent, until that is judged
  std::int32_t times_stopped_ = 0;
  std::int64_t trial_calls_ = 0;  // seen since trials were proposed
  std::string settled_reason_;
};

}  // namespace starling
