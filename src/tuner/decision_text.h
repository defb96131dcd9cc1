// The sentences that say why a key's tuner decides as it does. Each has a space at its end, so that others may follow.
#pragma once

#include <cstddef>
#include <string>

#include "base/units.h"
#include "tuner/key_costs.h"
#include "tuner/key_sequence.h"
#include "tuner/plan.h"
#include "tuner/trial_budget.h"

namespace starling {

// Says that an arm has taken the place of another one. THREADS: any, here and below.
std::string describeReplacement(const KeyCosts& costs, std::size_t chosen, std::size_t before);
// Says that an arm, which was called, stays beside all that were, and why nothing more is tried. REQUIRES: it was.
std::string describeSettled(const KeyCosts& costs, const TrialBudget& budget, std::size_t chosen);
// Says that a choice is called that was not before.
std::string describeUncalled(const Choice& choice, bool is_of_earlier_run);
// Says what the plan's trials are; empty: there are none.
std::string describeTrials(const KeyCosts& costs, const KeyPlan& plan);

// Says how ranks are predicted to come by the plan now, and whether the virtual-rank table follows that.
std::string describePredicted(const KeyPlan& plan, bool table_follows);
// Says by how much one rank or another is late where none can be named.
std::string describeUnpredicted(Seconds latest);
// Likewise, where they come otherwise than to the calls of keys that shared the account.
std::string describeApart(Seconds latest);
// Says which rank names late ones by flags in the plan.
std::string describeCoordinator(const KeyPlan& plan);

// Says that special calls have a plan of their own now. REQUIRES: !cycle.isNone().
std::string describeCycle(const Cycle& cycle, const KeySequence& sequence);
// Says that they have none any more, because they do not repeat, or because it was of no use.
std::string describeNoCycle(bool was_useless);

}  // namespace starling
