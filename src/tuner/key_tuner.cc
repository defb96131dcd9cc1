#include "tuner/key_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "tuner/agreement_steps.h"
#include "tuner/decision_text.h"

namespace starling {
namespace {

// A key is taken to go on for as long as it has lasted, within these numbers of calls.
constexpr double kLeastToCome = 100.0;
constexpr double kMostToCome = 2000.0;
// A settled key explores again, so that agreements come soon, for trials that promise this share of the calls to come,
// and so many calls at least.
constexpr double kWorthwhile = 0.01;
constexpr double kLeastWorthwhile = 5.0;
// Of a key that has settled one thing is tried at a time.
constexpr std::size_t kTrialsOnceSettled = 1;

// So many calls of the choice have been passed over, and none has run it: some rank has no memory for it.
constexpr std::int64_t kMostPassedOver = 64;

// A short call that finds nothing in the caches may take a hundred times as long, which is little time even so; it
// counts for so much.
constexpr double kMostOfColdCall = 4.0;

// Others hear of so many first trials.
constexpr std::int64_t kTrialsToTell = 2;

}  // namespace

KeyTuner::KeyTuner(const TunerSettings& settings, const Shape& shape, Bytes element_size, KeyOrigin origin,
                   bool tunable, const std::optional<PolicyRecord>& learned)
    : settings_(settings),
      shape_(shape),
      element_size_(element_size),
      others_(settings.shared, shapeOn(settings.topology, shape.ranks, sizeClass(shape.count * element_size.value)),
              std::move(origin)),
      account_(others_.key(), settings.communicator),
      arrivals_(shape.ranks, sharesOneMemory(&settings.topology) ? kNoiseWithinNode : kNoiseBetweenNodes) {
  if (!tunable) plan_.state = KeyState::kPassesThrough;
  if (const std::shared_ptr<const KeyArrivals> known = others_.latestArrivals()) {
    arrivals_.inherit(*known);  // what this run has found at the site counts for more than a policy
  } else if (learned) {
    learned_ = usable(*learned);
    if (!learned_) occasion_.preface = "The stored policy does not fit this communicator and is learned anew. ";
  }
}

void KeyTuner::count(const PlannedChoice& planned, std::int32_t calls) {
  follows_twin_ = follows_twin_ || (!has_plan_ && planned.choice.algorithm != kNativeAlgorithm);
  calls_ += calls;
  budget().count(calls);
  // Of those that are stamped observe() knows better.
  account_->until_ranking = account_->until_ranking - static_cast<double>(calls) * elapsed_.value();
  transition_.noteCall();
  if (!costs().isRanked()) return;
  costs().noteCalls(calls);
  if (planned.exploration) costs().noteTrial(planned.choice);
}

void KeyTuner::notePassedOver(const PlannedChoice& planned, bool is_passed_over) {
  if (!costs().isRanked() || transition_.awaitsForce() || transition_.mayFollowFormer()) return;
  if (planned.exploration || plan_.incumbent.algorithm == kNativeAlgorithm || planned.choice == plan_.incumbent)
    passed_over_ = 0;
  else if (is_passed_over)
    ++passed_over_;
  if (passed_over_ < kMostPassedOver) return;
  passed_over_ = 0;
  costs().disable(plan_.incumbent);
  occasion_.reopens = occasion_.must_tell = true;
  occasion_.text +=
      fmt::format("{} cannot be used here, since some rank lacks memory for it. ", formatChoice(plan_.incumbent));
}

void KeyTuner::observe(const PlannedChoice& planned, const CallTimes& times) {
  const Choice& choice = planned.choice;
  const bool as_arranged_now = !transition_.isOutdated() || choice.algorithm == kNativeAlgorithm;
  const std::optional<std::size_t> arm = costs().find(choice);
  const bool is_cold = arm && costs().isCold(*arm);
  choices_.observe(choice, times, as_arranged_now && !is_cold);
  arrivals_.observe(times.pattern, times.clock_error);
  account_->until_ranking = account_->until_ranking - (times.elapsed - elapsed_.value());
  elapsed_.note(times.elapsed);
  if (!costs().isRanked()) {
    if (choice.algorithm == kNativeAlgorithm) others_.noteNative();
    return;
  }
  const std::size_t incumbent = costs().find(plan_.incumbent).value_or(KeyCosts::kNative);
  if (planned.exploration) {
    const double excess = times.net / costs().expected(incumbent) - 1.0;
    budget().charge(is_cold ? std::min(excess, kMostOfColdCall) : excess);
  }
  if (as_arranged_now && arm) hold(planned, {times.net, times.compared_error, times.disturbance});
}

void KeyTuner::learn(const PlannedChoice& planned, const ChoiceTimes::Net& net) {
  const Choice& choice = planned.choice;
  const std::optional<std::size_t> arm = costs().find(choice);
  if (!arm) return;
  const Seconds expected = costs().expected(*arm);
  const bool has_changed = costs().observe(choice, net.time, net.error, net.disturbance);
  if (has_changed) choices_.forgetFormerCost(choice);
  if (planned.exploration) costs().noteTried(*arm, net.time + net.error, costs().armOf(plan_.incumbent));
  const KeyCosts::Arm& called = costs().arms()[*arm];
  if (planned.exploration && called.samples <= kTrialsToTell && called.retry_at < 0)
    others_.tell(account_->name, costs().residualOf(*arm));
  // Where the choice in force is faster than it was, the less is to be won elsewhere.
  const bool is_good_news = choice == plan_.incumbent && net.time < expected;
  if (!has_changed || is_good_news || !budget().mayReopen()) return;
  occasion_.reopens = true;
  occasion_.text += fmt::format("What calls take has changed: {} takes {}, where {} was expected. ",
                                formatChoice(choice), formatDuration(net.time), formatDuration(expected));
}

void KeyTuner::planTookForce() {
  if (!transition_.takeForce()) return;
  choices_.forgetArrangement();
  held_.clear();
}

std::optional<KeyTuner::Decision> KeyTuner::decide(bool may_rank, std::size_t calls_in_epoch) {
  calls_in_epoch_ = std::min(calls_in_epoch, kMaxTrials);
  transition_.noteEpoch();
  if (transition_.awaitsForce() || settings_.options.mode != Mode::kTune) return std::nullopt;
  if (transition_.awaitsCall() && !stop_ && !occasion_.reopens) return std::nullopt;
  switch (plan_.state) {
    case KeyState::kObserving:
      return leaveObserving(may_rank);
    case KeyState::kExploring:
    case KeyState::kSettled:
      return isFree() ? steer(may_rank) : followArrivalsOnly(may_rank);
    case KeyState::kPassesThrough:
      return endFollowing();
  }
  return std::nullopt;
}

// A key without a plan of its own runs what its twin does, or what was foretold (KeyTable::next()), and native would
// never be known.
std::optional<KeyTuner::Decision> KeyTuner::endFollowing() {
  if (std::exchange(has_plan_, true)) return std::nullopt;
  return decisionOf(plan_, "");
}

KeyTuner::Decision KeyTuner::decisionOf(KeyPlan plan, std::string reason) {
  Decision decision;
  decision.reason = std::move(reason);
  while (decision.reason.ends_with(' ')) decision.reason.pop_back();
  decision.has_ranked = has_ranked_;
  decision.native = choices_.medianOf(kNativeChoice);
  decision.measured = choices_.medianOf(plan.incumbent);
  const std::optional<std::size_t> arm = costs().find(plan.incumbent);
  if (arm && *arm != KeyCosts::kNative) decision.expected = costs().arms()[*arm].predicted.value;
  plan.limit = limitOf(plan);
  plan_ = plan;
  has_plan_ = true;
  transition_.begin(!plan_.trials.empty());
  decision.plan = std::move(plan);
  return decision;
}

std::optional<KeyTuner::Decision> KeyTuner::leaveObserving(bool may_rank) {
  if (!settings_.options.algorithm.empty()) return forced();
  if (learned_ && wasStopped()) {
    learned_.reset();
    occasion_.preface = "What an earlier run chose was slow in this one, and is learned anew. ";
  }
  if (settings_.options.reproducible) return may_rank ? std::optional(forced()) : std::nullopt;
  if (!isNativeKnown() && !others_.hasHeritage() && !wasForetold())
    return follows_twin_ ? endFollowing() : std::nullopt;
  return beginExploring(may_rank);
}

std::optional<KeyTuner::Decision> KeyTuner::steer(bool may_rank) {
  KeyPlan plan = plan_;
  Occasion occasion = std::exchange(occasion_, {});
  // What another key has found may be the only news.
  const bool was_called = calls_decided_on_ != calls_;
  occasion.only_hears = !was_called;
  if (was_called) costs().noteDecision(others_.key(), account_->keys);
  has_ranked_ = false;
  followCycle(plan, occasion);
  const bool have_moved = followArrivals(plan);
  if (!have_moved) plan.placed = plan_.placed;
  const bool come_otherwise = was_called && comeOtherwise(plan);
  if (have_moved || account_->ranking_is_due || come_otherwise)
    heedArrivals(plan, {have_moved, come_otherwise}, may_rank, occasion);
  else
    digestStop(nativeTime(), occasion);
  if (was_called) arrivals_.notePlan(have_moved);
  // Where another key has found that costs have changed this one explores, too. What both have found counts once.
  const bool others_explore = times_reopened_ != account_->times_reopened;
  if (occasion.reopens && !(others_explore && budget().isExploring())) {
    budget().reopen();
    ++account_->times_reopened;
  }
  occasion.reopens = occasion.reopens || others_explore;
  times_reopened_ = account_->times_reopened;
  if (occasion.reopens) cycle_is_useless_ = false;
  hearOfTrials();
  return decideOn(std::move(plan), occasion);
}

// Returns whether calls are so short that an agreement, which begins just before the first call of an epoch, makes a
// difference.
bool KeyTuner::isShort(std::size_t arm) const { return costs().expected(arm) < kDisturbedCall; }

double KeyTuner::callsToCome() const {
  return std::clamp(static_cast<double>(budget().calls()), kLeastToCome, kMostToCome);
}

KeyCosts::Allowance KeyTuner::allowance(std::size_t incumbent, bool is_settled) const {
  KeyCosts::Allowance allowance{.calls_to_come = callsToCome()};
  allowance.planner = others_.key();
  allowance.excess = budget().left();
  allowance.may_check = is_settled;
  allowance.excess_under_way = others_.excessUnderWay();
  allowance.is_left_to_others = [this](const RowForm& row) { return others_.isUnderWay(row); };
  if (!is_settled)
    allowance.trials = calls_in_epoch_;
  else if (!costs().awaitsTrials())
    allowance.trials = kTrialsOnceSettled;
  // The first call of an epoch is none.
  if (isShort(incumbent) && allowance.trials > 1) --allowance.trials;
  return allowance;
}

std::vector<Choice> KeyTuner::trialsBeside(std::size_t incumbent, bool is_settled) {
  std::vector<Choice> trials = costs().planTrials(incumbent, allowance(incumbent, is_settled));
  announceTrials(trials, incumbent);
  // What an agreement disturbs is no trial. Where many keys take turns this is seldom the first call of an epoch.
  const bool may_be_disturbed = isShort(incumbent) && calls_in_epoch_ > 1;
  // Of a row whose first calls tell little these may be disturbed, too.
  const bool begins_cold = !trials.empty() && costs().coldCalls(costs().armOf(trials.front())) > 0;
  if (!trials.empty() && may_be_disturbed && !begins_cold)
    trials.insert(trials.begin(), costs().arms()[incumbent].choice);
  return trials;
}

// It may be a row that only the account knew which the key has left.
KeyTuner::Succession KeyTuner::successionOf(const Choice& incumbent, bool was_stopped) const {
  const std::size_t arm = costs().armOf(incumbent);
  Succession succession;
  succession.is_known = arm < costs().arms().size();
  succession.before = succession.is_known ? arm : KeyCosts::kNative;
  // What was stopped gives way to native, whatever else there is: nothing new is begun where something went wrong.
  succession.chosen = was_stopped ? KeyCosts::kNative : costs().best(succession.before);
  return succession;
}

bool KeyTuner::planTrials(KeyPlan& plan, std::size_t incumbent, bool was_settled, bool may_try) {
  plan.trials = may_try ? trialsBeside(incumbent, was_settled) : std::vector<Choice>{};
  const bool promises_much = costs().promise() > std::max(kWorthwhile * callsToCome(), kLeastWorthwhile);
  const bool is_worthwhile = was_settled && may_try && promises_much && budget().mayExploreBriefly();
  if (is_worthwhile) budget().exploreBriefly();
  const bool has_trials = !plan.trials.empty() || costs().awaitsTrials() || costs().awaitsOthers() || !may_try;
  const bool explores = (!was_settled || is_worthwhile) && has_trials && budget().isExploring();
  plan.state = explores ? KeyState::kExploring : KeyState::kSettled;
  return is_worthwhile;
}

// Returns nothing where the plan in force is as good.
std::optional<KeyTuner::Decision> KeyTuner::decideOn(KeyPlan plan, const Occasion& occasion) {
  calls_decided_on_ = calls_;
  const auto [is_known, before, chosen] = successionOf(plan.incumbent, occasion.was_stopped);
  plan.incumbent = costs().arms()[chosen].choice;
  const bool has_coordinator = placeCoordinator(plan);
  // Only what an earlier run has learned may be: it is called first, and its first calls are looked at one by one.
  const bool is_untried = !costs().wasCalled(chosen);
  const bool was_settled = plan.state == KeyState::kSettled && !occasion.reopens;
  const bool explores_again = planTrials(plan, chosen, was_settled, !is_untried && !occasion.only_hears);
  std::string verdict;
  if (!is_known) verdict += fmt::format("{} is no candidate for calls like these. ", formatChoice(plan_.incumbent));
  if (chosen != before) {
    verdict += describeReplacement(costs(), chosen, before);
    costs().noteReplaced(before);
    budget().noteNewChoice();
  }
  const bool settles = plan.state == KeyState::kSettled && plan_.state != KeyState::kSettled;
  if (is_untried && (settles || plan_.state == KeyState::kObserving))
    verdict += describeUncalled(plan.incumbent, isOfEarlierRun(chosen));
  else if (settles)
    verdict += describeSettled(costs(), budget(), chosen);
  std::string reason = occasion.text + (has_coordinator ? describeCoordinator(plan) : "") + verdict;
  if (!verdict.empty()) {
    // What was taken over and not called yet is told on as it was told.
    settled_reason_ = isOfEarlierRun(chosen) ? learned_->reason() : reason.substr(0, reason.find_last_not_of(' ') + 1);
  }
  reason.insert(0, occasion.preface);
  const bool is_same = plan.incumbent == plan_.incumbent && plan.trials.empty() && plan.state == plan_.state;
  if (is_same && !occasion.must_tell && !has_coordinator && reason.empty()) return std::nullopt;
  if (explores_again || plan_.state == KeyState::kObserving) reason += describeTrials(costs(), plan);
  Decision decision = decisionOf(std::move(plan), std::move(reason));
  const bool is_news = settles || chosen != before || !is_known;
  if (is_news && !is_untried)
    others_.bequeath(costs().residuals(), runsElsewhere(), arrivals_);
  else if (transition_.rearranges())
    others_.rearrange(runsElsewhere(), arrivals_);
  return decision;
}

ChoiceGain KeyTuner::choiceGain() const {
  const std::optional<std::size_t> arm = costs().find(plan_.incumbent);
  const bool is_believed = costs().isRanked() && arm && isFree();
  const bool learns_from_others = inherits_costs_ || account_->was_shared;
  const bool is_inherited = learns_from_others && arm && costs().arms()[*arm].samples > 0;
  return {choices_, plan_.incumbent, is_believed ? std::optional(costs().nativeBeside(*arm)) : std::nullopt,
          is_inherited};
}

std::optional<double> KeyTuner::gain() const {
  const bool is_native = plan_.incumbent.algorithm == kNativeAlgorithm;
  if (is_native) return plan_.state == KeyState::kSettled ? std::optional(1.0) : std::nullopt;
  const std::optional<double> found = choiceGain().ratio();
  return !found && learned_ && isFree() ? learned_->gain() : found;
}

std::optional<double> KeyTuner::gainError() const {
  return plan_.incumbent.algorithm == kNativeAlgorithm ? std::nullopt : choiceGain().error();
}

LatestKeys::Arranged KeyTuner::runsElsewhere() const {
  CallLimit limit = plan_.limit;
  limit.known = 0;
  limit.cold = costs().firstColdCalls(costs().armOf(plan_.incumbent));
  return {plan_.incumbent, plan_.placed, limit};
}

}  // namespace starling
