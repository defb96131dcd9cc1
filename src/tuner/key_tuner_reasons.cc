// This part of a key's tuner says why it decides as it does.
#include <fmt/format.h>

#include <algorithm>

#include "base/text_format.h"
#include "tuner/key_tuner.h"

namespace starling {
namespace {

std::string separator(const std::string& list) { return list.empty() ? "" : ", "; }

}  // namespace

std::string KeyTuner::describeArm(std::size_t arm) const {
  const KeyCosts::Arm& known = costs().arms()[arm];
  const std::string name = arm == KeyCosts::kNative ? "native" : formatChoice(known.choice);
  if (known.samples == 0) return fmt::format("{} ({} expected)", name, formatDuration(costs().expected(arm)));
  return fmt::format("{} ({} expected, n={})", name, formatDuration(costs().expected(arm)), known.samples);
}

std::string KeyTuner::compareArms(std::size_t chosen, std::size_t before) const {
  if (chosen == KeyCosts::kNative) {
    return fmt::format("{} is back in place of {}. ", describeArm(chosen), describeArm(before));
  }
  return fmt::format("{} takes the place of {}, being faster with a probability of {:.0f}%. ", describeArm(chosen),
                     describeArm(before), 100.0 * costs().probabilityOfLess(chosen, before));
}

std::string KeyTuner::describeArms(std::size_t chosen) const {
  if (!costs().wasCalled(chosen)) {
    const char* cause =
        isOfEarlierRun(chosen) ? "an earlier run chose it" : "calls with such vectors elsewhere found it";
    return fmt::format("{} is called first, since {}. ", formatChoice(costs().arms()[chosen].choice), cause);
  }
  std::string others;
  for (std::size_t i = 0; i < costs().arms().size(); ++i) {
    if (i != chosen && costs().arms()[i].samples > 0) others += separator(others) + describeArm(i);
  }
  const char* cause = budget().left() <= 0.0    ? "trials have taken as much time as they may for now"
                      : !budget().isExploring() ? "what is still undecided makes little difference"
                                                : "nothing else promises enough to be tried";
  return fmt::format("{} stays{}{}; {}. ", describeArm(chosen), others.empty() ? "" : " beside ", others, cause);
}

std::string KeyTuner::describeArrivals(const KeyPlan& plan) const {
  const auto latest = std::ranges::max_element(plan.placed, {}, &PlacedRank::lateness_ns);
  const bool is_late = latest != plan.placed.end() && latest->lateness_ns > 0;
  const std::string who = is_late ? fmt::format("rank {} is the latest, by {}", latest->rank,
                                                formatDuration(fromNanoseconds(latest->lateness_ns)))
                                  : "no rank is late as a rule";
  return fmt::format("The predicted arrivals changed: {}{}. ", who,
                     keepsRankOrder() ? "" : "; the virtual-rank table follows them");
}

std::string KeyTuner::describeUnpredicted() const {
  const Seconds latest = arrivals_.usual().latest;
  if (latest <= Seconds{}) return "Arrivals changed: nobody is late any more. ";
  return fmt::format("Arrivals changed: one rank or another is late, by {} as a rule. ", formatDuration(latest));
}

std::string KeyTuner::describeApart() const {
  const Seconds latest = arrivals_.usual().latest;
  const std::string how = latest <= Seconds{}
                              ? "nobody is late"
                              : fmt::format("one rank or another is late, by {} as a rule", formatDuration(latest));
  return fmt::format("Ranks come otherwise than to such calls of other sites: {}. ", how);
}

std::string KeyTuner::describeCoordinator(const KeyPlan& plan) {
  if (plan.placed.empty()) return "Ranks are in order again, since no flags are sent. ";
  return fmt::format("Rank {} names late ranks from now on, since it is seldom one of them. ",
                     plan.placed.front().rank);
}

std::string KeyTuner::describeCycle(const Cycle& cycle) const {
  if (cycle.isNone()) {
    return cycle_is_useless_ ? "Special calls are best left to native as the others are: all have one plan again. "
                             : "Calls no longer repeat as they did: all have one plan again. ";
  }
  return fmt::format(
      "Calls repeat: {} is unlike the others and has a plan of its own (by its index, arrivals are forecast wrong by "
      "{} "
      "on average, by the other methods by {}). ",
      describe(cycle), formatDuration(sequence_.error()), formatDuration(sequence_.otherError()));
}

std::string KeyTuner::listTrials(const KeyPlan& plan) const {
  std::string names;
  for (std::size_t i = 0; i < plan.trials.size(); ++i) {
    if (plan.trials[i] == plan.incumbent || (i > 0 && plan.trials[i] == plan.trials[i - 1])) continue;
    names += separator(names) + describeArm(costs().armOf(plan.trials[i]));
  }
  return names.empty() ? "" : fmt::format("To be tried first: {}.", names);
}

}  // namespace starling
