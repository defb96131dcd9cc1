#include "tuner/decision_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"

namespace starling {
namespace {

std::string separator(const std::string& list) { return list.empty() ? "" : ", "; }

std::string describeArm(const KeyCosts& costs, std::size_t arm) {
  const KeyCosts::Arm& known = costs.arms()[arm];
  const std::string name = arm == KeyCosts::kNative ? "native" : formatChoice(known.choice);
  if (known.samples == 0) return fmt::format("{} ({} expected)", name, formatDuration(costs.expected(arm)));
  return fmt::format("{} ({} expected, n={})", name, formatDuration(costs.expected(arm)), known.samples);
}

}  // namespace

std::string describeReplacement(const KeyCosts& costs, std::size_t chosen, std::size_t before) {
  const std::string name = describeArm(costs, chosen);
  if (chosen == KeyCosts::kNative) return fmt::format("{} is back in place of {}. ", name, describeArm(costs, before));
  return fmt::format("{} takes the place of {}, being faster with a probability of {:.0f}%. ", name,
                     describeArm(costs, before), 100.0 * costs.probabilityOfLess(chosen, before));
}

std::string describeSettled(const KeyCosts& costs, const TrialBudget& budget, std::size_t chosen) {
  std::string others;
  for (std::size_t i = 0; i < costs.arms().size(); ++i) {
    if (i != chosen && costs.arms()[i].samples > 0) others += separator(others) + describeArm(costs, i);
  }
  const char* cause = budget.left() <= 0.0    ? "trials have taken as much time as they may for now"
                      : !budget.isExploring() ? "what is still undecided makes little difference"
                                              : "nothing else promises enough to be tried";
  return fmt::format("{} stays{}{}; {}. ", describeArm(costs, chosen), others.empty() ? "" : " beside ", others, cause);
}

std::string describeUncalled(const Choice& choice, bool is_of_earlier_run) {
  return fmt::format("{} is called first, since {}. ", formatChoice(choice),
                     is_of_earlier_run ? "an earlier run chose it" : "calls with such vectors elsewhere found it");
}

std::string describeTrials(const KeyCosts& costs, const KeyPlan& plan) {
  std::string names;
  for (std::size_t i = 0; i < plan.trials.size(); ++i) {
    if (plan.trials[i] == plan.incumbent || (i > 0 && plan.trials[i] == plan.trials[i - 1])) continue;
    names += separator(names) + describeArm(costs, costs.armOf(plan.trials[i]));
  }
  return names.empty() ? "" : fmt::format("To be tried first: {}. ", names);
}

std::string describePredicted(const KeyPlan& plan, bool table_follows) {
  const auto latest = std::ranges::max_element(plan.placed, {}, &PlacedRank::lateness_ns);
  const bool is_late = latest != plan.placed.end() && latest->lateness_ns > 0;
  const std::string who = is_late ? fmt::format("rank {} is the latest, by {}", latest->rank,
                                                formatDuration(fromNanoseconds(latest->lateness_ns)))
                                  : "no rank is late as a rule";
  return fmt::format("The predicted arrivals changed: {}{}. ", who,
                     table_follows ? "; the virtual-rank table follows them" : "");
}

std::string describeUnpredicted(Seconds latest) {
  if (latest <= Seconds{}) return "Arrivals changed: nobody is late any more. ";
  return fmt::format("Arrivals changed: one rank or another is late, by {} as a rule. ", formatDuration(latest));
}

std::string describeApart(Seconds latest) {
  const std::string how = latest <= Seconds{}
                              ? "nobody is late"
                              : fmt::format("one rank or another is late, by {} as a rule", formatDuration(latest));
  return fmt::format("Ranks come otherwise than to such calls of other sites: {}. ", how);
}

std::string describeCoordinator(const KeyPlan& plan) {
  if (plan.placed.empty()) return "Ranks are in order again, since no flags are sent. ";
  return fmt::format("Rank {} names late ranks from now on, since it is seldom one of them. ",
                     plan.placed.front().rank);
}

std::string describeCycle(const Cycle& cycle, const KeySequence& sequence) {
  return fmt::format(
      "Calls repeat: {} is unlike the others and has a plan of its own (by its index, arrivals are forecast wrong by "
      "{} on average, by the other methods by {}). ",
      describe(cycle), formatDuration(sequence.error()), formatDuration(sequence.otherError()));
}

std::string describeNoCycle(bool was_useless) {
  return was_useless ? "Special calls are best left to native as the others are: all have one plan again. "
                     : "Calls no longer repeat as they did: all have one plan again. ";
}

}  // namespace starling
