// This part of a key's tuner tries nothing: it takes the choice that the user gives, and serves reproducible mode.
#include <fmt/format.h>

#include <utility>

#include "simulator/simulated_choice.h"
#include "tuner/decision_text.h"
#include "tuner/forced_choice.h"
#include "tuner/key_tuner.h"

namespace starling {
KeyTuner::Decision KeyTuner::forced() {
  KeyPlan plan = plan_;
  plan.state = KeyState::kSettled;
  followArrivals(plan);
  if (settings_.options.algorithm.empty()) return reproducible(std::move(plan), "");
  Result<Choice> choice = forcedChoice(settings_.options);
  if (!choice.isOk()) {
    return decisionOf(std::move(plan), "STARLING_ALGORITHM is not understood: " + choice.status().message());
  }
  const bool valid = mayRun(*findAlgorithm(choice.value().algorithm));
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
  const std::vector<Candidate> candidates = rankCandidates(query(plan));
  plan.incumbent = candidates.front().choice;
  std::string reason = fmt::format(
      "{}Reproducible mode: {} is predicted to be the fastest of those that combine by rank and count alone.", occasion,
      formatChoice(plan.incumbent));
  Decision decision = decisionOf(std::move(plan), std::move(reason));
  decision.expected = candidates.front().predicted.value;
  decision.has_ranked = true;
  return decision;
}

std::optional<KeyTuner::Decision> KeyTuner::followArrivalsOnly(bool may_rank) {
  const bool is_reproducible = settings_.options.algorithm.empty();
  KeyPlan plan = plan_;
  if (is_reproducible && !may_rank) return std::nullopt;
  const bool have_moved = followArrivals(plan);
  if (!have_moved) plan.placed = plan_.placed;
  const bool has_coordinator = placeCoordinator(plan);
  if (!have_moved && !has_coordinator) return std::nullopt;
  transition_.setRearranges(have_moved);
  const std::string reason = have_moved ? describePredicted(plan, !keepsRankOrder()) : describeCoordinator(plan);
  if (is_reproducible) return reproducible(std::move(plan), reason);
  return decisionOf(std::move(plan), reason);
}

}  // namespace starling
