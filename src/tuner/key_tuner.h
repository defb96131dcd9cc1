// Learning for one key, on rank 0 of its communicator.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algos/catalogue.h"
#include "algos/simulator.h"
#include "base/options.h"
#include "base/units.h"
#include "estimators/arrival_predictor.h"
#include "store/records.h"
#include "tuner/candidates.h"
#include "tuner/plan.h"

namespace starling {

// Stamps of one sampled call, by rank.
struct SampledCall {
  Choice choice;
  bool exploration = false;
  std::span<const Seconds> arrivals;
  std::span<const Seconds> exits;
};

// What the whole communicator has in common.
struct TunerSettings {
  Options options;
  CostModel model;
  // Stamps of different ranks may be subtracted. If not, candidates are compared by mean elapsed time, and there are
  // no latenesses.
  bool clocks_agree = true;
  Topology topology{};  // by rank
};

// Measured times of one choice.
struct ChoiceStatistics {
  Choice choice;
  std::vector<double> post_arrival;  // seconds, the latest kKeptSamples
  std::int64_t calls = 0;
  std::int64_t exploration_calls = 0;
  Seconds predicted;  // by the simulator when it was proposed
};

// THREADS: not thread-safe; one per key.
class KeyTuner {
 public:
  // `tunable` false: the calls pass through to the MPI library and are only watched. Keeps a reference to `settings`.
  KeyTuner(const TunerSettings& settings, const Shape& shape, Bytes element_size, bool tunable,
           std::optional<PolicyRecord> learned);

  // Every call is counted; those that were stamped are observed too.
  void count(const Choice& choice, bool exploration);
  void observe(const SampledCall& call);

  struct Decision {
    KeyPlan plan;
    std::string reason;                                // sentences
    std::optional<double> expected, measured, native;  // post-arrival seconds
    bool has_ranked = false;                           // candidates, which takes long
  };
  // To be asked at the end of an epoch: a new plan when there is reason for one. The caller puts it in force; until
  // then further decisions wait (planTookForce()).
  // `may_rank` false: candidates are not to be ranked now, because that takes long; the key goes on observing.
  std::optional<Decision> decide(bool may_rank = true);
  void planTookForce();

  KeyState state() const { return plan_.state; }
  const KeyPlan& plan() const { return plan_; }
  // Why the key was settled as it is: what a later run is told.
  const std::string& settledReason() const { return settled_reason_; }
  std::optional<double> gain() const;
  ArrivalPrediction arrivals() const { return predictor_.predict(); }

 private:
  static constexpr std::size_t kKeptSamples = 64;

  ChoiceStatistics& statisticsOf(const Choice& choice);
  const ChoiceStatistics* findStatistics(const Choice& choice) const;
  std::optional<Decision> leaveObserving(bool may_rank);
  std::optional<Decision> leaveExploring();
  std::optional<Decision> watchSettled(bool may_rank);
  std::optional<Decision> leaveFaultyChoice();
  Decision settleOn(const Choice& choice, std::string reason);
  Decision proposeTrials();
  Decision forced();
  Decision reproducible(KeyPlan plan, const std::string& occasion);
  Decision takeOver();
  // The table is to stay the identity.
  bool keepsRankOrder() const { return !shape_.commutative || settings_.options.reproducible; }
  // Updates table and predicted lateness of `plan`; true when they changed.
  bool followArrivals(KeyPlan& plan) const;
  CandidateQuery query(const KeyPlan& plan) const;
  Decision decisionOf(KeyPlan plan, std::string reason);

  const TunerSettings& settings_;
  Shape shape_;
  Bytes element_size_;
  std::optional<PolicyRecord> learned_;
  ArrivalPredictor predictor_;
  std::vector<Seconds> usual_lateness_;  // by rank: mean over the calls observed, the latest weighing most
  Seconds usual_latest_;                 // likewise, of the latest rank of each call, whichever that was
  std::vector<ChoiceStatistics> statistics_;
  KeyPlan plan_;
  std::string settled_reason_;
  bool awaits_force_ = false;
  bool arrangement_changes_ = false;  // by the plan that is to take force
  int outdated_epochs_ = 0;           // still to be observed: the incumbent ran there as arranged before
  std::int64_t trial_calls_seen_ = 0;
};

// The post-arrival time of a call; where clocks do not agree, its mean elapsed time.
Seconds comparedTime(const SampledCall& call, bool clocks_agree);

// A challenger's verdict against the incumbent: its median is lower by more than both 3% and the noise, which is
// twice the standard error that the incumbent's scatter gives to the difference (and what the smaller of two is low
// by).
struct Comparison {
  bool faster = false;
  double incumbent = 0.0;   // median, seconds
  double challenger = 0.0;  // median, seconds; the smaller of two
  double margin = 0.0;      // seconds that the challenger had to be faster by
};
Comparison compareTimes(std::span<const double> incumbent, std::span<const double> challenger);

}  // namespace starling
