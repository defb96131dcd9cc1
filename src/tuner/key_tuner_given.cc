// This part of a key's tuner tries nothing: it takes choices that the user or the database gives, and serves
// reproducible mode.
#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "simulator/simulated_choice.h"
#include "tuner/forced_choice.h"
#include "tuner/key_tuner.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

// Returns whether the policy's table and latenesses are for so many ranks; all ranks would reject a plan in which they
// are not.
bool fits(const PolicyRecord& policy, std::int32_t ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  if (!policy.table.empty() && (policy.table.size() != size || !isPermutation(policy.table))) return false;
  return policy.lateness_ns.empty() || policy.lateness_ns.size() == size;
}

}  // namespace

KeyTuner::Decision KeyTuner::forced() {
  KeyPlan plan = plan_;
  plan.state = KeyState::kSettled;
  followArrivals(plan);
  if (settings_.options.algorithm.empty()) return reproducible(std::move(plan), "");
  Result<Choice> choice = forcedChoice(settings_.options);
  if (!choice.isOk()) {
    return decisionOf(std::move(plan), "STARLING_ALGORITHM is not understood: " + choice.status().message());
  }
  const bool valid = isValid(*findAlgorithm(choice.value().algorithm), shape_);
  if (!namesStepTime(settings_.options.algorithm)) {
    setStepTime(choice.value(), shape_, element_size_, settings_.model);
  }
  if (valid) plan.incumbent = choice.value();
  const bool is_replaced = parseChoice(settings_.options.algorithm).value().algorithm != choice.value().algorithm;
  const char* outcome = !valid        ? "is not valid here: native stays."
                        : is_replaced ? "combines in another order than reproducible mode has: this takes its place."
                                      : "forces this choice.";
  return decisionOf(std::move(plan), fmt::format("STARLING_ALGORITHM={} {}", settings_.options.algorithm, outcome));
}

// All rows of the one association give the same bits, so that the choice among them is free.
KeyTuner::Decision KeyTuner::reproducible(KeyPlan plan, const std::string& occasion) {
  const std::vector<Candidate> candidates = rankCandidates(query(plan), 1);
  plan.incumbent = candidates.front().choice;
  choices_.setPredicted(plan.incumbent, candidates.front().predicted);
  std::string reason = fmt::format(
      "{}Reproducible mode: {} is predicted to be the fastest of those that combine by rank and count alone.", occasion,
      formatChoice(plan.incumbent));
  Decision decision = decisionOf(std::move(plan), std::move(reason));
  decision.has_ranked = true;
  return decision;
}

KeyTuner::Decision KeyTuner::takeOver() {
  KeyPlan plan = plan_;
  plan.state = KeyState::kSettled;
  const Result<Choice> choice = parseChoice(learned_->choice);
  if (!choice.isOk() || !fits(*learned_, shape_.ranks) || !isValid(*findAlgorithm(choice.value().algorithm), shape_)) {
    if (!choice.isOk()) {
      logOnce(LogLevel::kWarning, "policy",
              fmt::format("the stored choice \"{}\" of site {} is not used: {}; it is learned anew", learned_->choice,
                          learned_->site, choice.status().message()));
    }
    learned_.reset();
    plan.state = KeyState::kObserving;
    return decisionOf(std::move(plan), "The stored policy does not fit this communicator and is learned anew.");
  }
  plan.incumbent = choice.value();
  if (!keepsRankOrder() || learned_->table.empty()) {
    plan.placed = placementOf(learned_->table, learned_->lateness_ns);
  }
  if (mayBeGivenUp(plan.incumbent)) putOnProbation(plan, kFirstProbation);
  is_taken_over_ = true;
  settled_reason_ = learned_->reason;
  return decisionOf(std::move(plan), "Taken over from the tuning database. " + learned_->reason);
}

}  // namespace starling
