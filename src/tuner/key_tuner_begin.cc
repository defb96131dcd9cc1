// This part of a key's tuner begins to explore: with what the simulator predicts, what an earlier run has chosen, and
// what other keys have learned.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text_format.h"
#include "estimators/statistics.h"
#include "tuner/earlier_runs.h"
#include "tuner/key_tuner.h"

namespace starling {
namespace {

// What native takes is known to all keys of a shape when they have seen so many calls of it.
constexpr auto kNativeCalls = static_cast<std::int32_t>(MeasuredChoices::kNativeSamples);

// About this share of the time of a key's calls goes into ranking all rows anew at most: the first time that ranks come
// otherwise, and later.
constexpr double kFirstRankingShare = 0.1;
constexpr double kRankingShare = 0.02;

const char* metricName(bool stamps_compare) { return stamps_compare ? "post-arrival time" : "shortest time of a rank"; }

}  // namespace

std::optional<LearnedChoice> KeyTuner::usable(const PolicyRecord& policy) const {
  Result<LearnedChoice> choice = LearnedChoice::of(policy);
  if (!choice.isOk()) {
    logOnce(LogLevel::kWarning, "policy",
            fmt::format("the stored choice \"{}\" of site {} is not used, and learned anew: {}", policy.choice,
                        policy.site, choice.status().message()));
    return std::nullopt;
  }
  const bool fits = fitsRanks(policy, shape_.ranks) && mayRun(*findAlgorithm(choice.value().choice().algorithm));
  return fits ? std::optional(std::move(choice).value()) : std::nullopt;
}

bool KeyTuner::mayRun(const Algorithm& algorithm) const {
  return isValid(algorithm, shape_) && isAllowed(algorithm, settings_.topology);
}

CandidateQuery KeyTuner::query(const KeyPlan& plan) const {
  ExpandedPlacement placement = expanded(plan.placed, shape_.ranks);
  return {shape_,
          element_size_,
          settings_.model,
          std::move(placement.lateness_ns),
          settings_.options.reproducible,
          arrivals_.usual(),
          settings_.stamps_compare,
          arranged(settings_.topology, placement.table)};
}

bool KeyTuner::predict(const KeyPlan& plan, bool may_rank) {
  const CandidateQuery question = query(plan);
  std::optional<std::vector<Candidate>> candidates = others_.findRanking(question);
  has_ranked_ = !candidates && may_rank;
  if (!candidates) {
    if (!may_rank) return false;
    candidates = Rankings::rank(question);
    others_.keepRanking(question, *candidates);
  }
  if (has_ranked_) limitRanking(kRankingShare);
  account_->ranking_is_due = false;
  account_->arrivals = arrivalsBy(plan);
  if (learned_) account_->learned = learned_->choice();
  if (account_->learned) addLearned(question, *account_->learned, *candidates);
  costs().predict(*candidates);
  return true;
}

void KeyTuner::limitRanking(double share) {
  account_->until_ranking = (1.0 / share) * Rankings::usualTime(shape_.ranks);
}

// What an earlier run has learned is among the candidates even where the simulator sees no use in it.
void KeyTuner::addLearned(const CandidateQuery& question, const Choice& choice, std::vector<Candidate>& candidates) {
  const auto has_its_row = [&](const Candidate& one) { return formOf(one.choice) == formOf(choice); };
  if (choice.algorithm == kNativeAlgorithm || std::ranges::any_of(candidates, has_its_row)) return;
  const Seconds predicted = predictPostArrival(question, choice);
  const bool is_known = predicted > Seconds{} || candidates.empty();
  candidates.push_back({choice, is_known ? predicted : candidates.front().predicted});
}

std::optional<KeyTuner::Decision> KeyTuner::beginExploring(bool may_rank) {
  KeyPlan plan = plan_;
  if (learned_)
    takeOver(plan);
  else
    runAsOthersDo(plan);
  const bool arrives_as_then = !followArrivals(plan);
  if (joinOthers(plan)) return beginWithOthers(std::move(plan), !arrives_as_then);
  if (!predict(plan, may_rank)) return std::nullopt;
  others_.keepAccount(kindOfAccount(), account_.account());
  arrivals_.notePlan(!arrives_as_then);
  limitRanking(kFirstRankingShare);
  // Rows that were ranked for the arrivals of an earlier run are to be ranked for those of this one, too.
  if (learned_ && arrives_as_then) account_->until_ranking = {};
  // What others of the shape run is no candidate where ranks are placed on nodes in another way.
  if (usableArmOf(plan.incumbent) == KeyCosts::kNative) plan.incumbent = kNativeChoice;
  // What it ran before it had a plan was arranged for another key.
  if (follows_twin_) choices_.forgetArrangement();
  const std::optional<Seconds> native = choices_.usualNative();
  if (native) costs().calibrate(*native);
  const ShapeKnowledge::Heritage heritage = others_.heritage();
  costs().inherit(heritage.residuals, heritage.distance);
  inherits_costs_ = !heritage.residuals.empty() && heritage.distance == 0;
  if (!learned_) costs().trust(plan.incumbent);
  hearOfTrials();
  learn(kNativeChoice);
  Occasion occasion = std::exchange(occasion_, {});
  occasion.reopens = occasion.must_tell = true;
  if (learned_) {
    costs().assume(plan.incumbent, learned_->assumedGain(), arrives_as_then);
    if (!native && others_.nativeSeen() <= kNativeCalls) costs().lookAtNative();
    occasion.preface = learned_->describe();
  }
  if (native) {
    occasion.text += fmt::format("native's {} is {} (n={}). ", metricName(settings_.stamps_compare),
                                 formatDuration(*native), choices_.native().net.size());
  }
  budget().begin(grant(arrives_as_then));
  return decideOn(std::move(plan), occasion);
}

// What others have found in this run counts for more than what an earlier run has, and is not taken back by it.
std::optional<KeyTuner::Decision> KeyTuner::beginWithOthers(KeyPlan plan, bool have_moved) {
  arrivals_.notePlan(have_moved);
  times_reopened_ = account_->times_reopened;
  if (follows_twin_) choices_.forgetArrangement();
  if (learned_) {
    const std::size_t arm = usableArmOf(plan.incumbent);
    const bool is_news = arm != KeyCosts::kNative && !costs().wasCalled(arm) && !costs().arms()[arm].is_learned;
    if (is_news) costs().assume(plan.incumbent, learned_->assumedGain(), false);
    learn(plan.incumbent);
  }
  const std::size_t arm = usableArmOf(plan.incumbent);
  const bool is_known = costs().wasCalled(arm) || costs().arms()[arm].is_learned;
  plan.incumbent = is_known ? costs().arms()[arm].choice : kNativeChoice;
  if (plan.incumbent == kNativeChoice) learned_.reset();
  hearOfTrials();
  learn(kNativeChoice);
  Occasion occasion = std::exchange(occasion_, {});
  occasion.must_tell = true;
  if (learned_) occasion.preface = learned_->describe();
  occasion.text += "What such calls of other sites or communicators took is known and holds here, too. ";
  return decideOn(std::move(plan), occasion);
}

// Where nothing is known of this key what another one of its shape runs comes first, arranged as there.
void KeyTuner::runAsOthersDo(KeyPlan& plan) const {
  const std::optional<LatestKeys::Arranged> other = others_.latestChoice();
  if (!other || other->is_of_earlier_run || !isValid(*findAlgorithm(other->choice.algorithm), shape_)) return;
  plan.incumbent = other->choice;
  if (!keepsRankOrder() && arrivals_.outlook() != KeyArrivals::Outlook::kOnTime) plan.placed = other->placed;
}

// What an earlier run has learned may be run before native was called: a call that shows how fast native is, is among
// the first trials.
bool KeyTuner::wasForetold() const {
  if (!learned_ || !learned_->gain()) return false;
  const std::optional<LatestKeys::Arranged> known = others_.latestChoice();
  return known && known->is_of_earlier_run && known->choice == learned_->choice();
}

bool KeyTuner::wasStopped() const {
  const std::optional<LatestKeys::Arranged> known = others_.latestChoice();
  return known && known->was_stopped;
}

bool KeyTuner::isOfEarlierRun(std::size_t arm) const {
  return learned_ && !costs().wasCalled(arm) && costs().arms()[arm].choice == learned_->choice();
}

// What was learned before, or is being learned by other keys of the shape, is paid for there.
double KeyTuner::grant(bool arrives_as_then) const {
  if (learned_) return arrives_as_then ? TrialBudget::kGrantedOnceLearned : TrialBudget::kGrantedCalls;
  return others_.areTrialsKnown() ? TrialBudget::kGrantedBesideOthers : TrialBudget::kGrantedCalls;
}

void KeyTuner::hearOfTrials() {
  for (const FirstTrials::Finding& one : others_.findings(account_->name)) costs().hear(one.residual, one.distance);
}

void KeyTuner::announceTrials(const std::vector<Choice>& trials, std::size_t incumbent) const {
  for (const Choice& trial : trials) {
    const std::size_t arm = costs().armOf(trial);
    if (costs().arms()[arm].samples == 0) others_.begin(formOf(trial), costs().excessOf(arm, incumbent));
  }
}

bool KeyTuner::isNativeKnown() const {
  if (choices_.isNativeKnown()) return true;
  if (choices_.native().net.empty()) return false;
  return others_.nativeSeen() >= kNativeCalls;
}

// Makes the policy's choice and table the plan's own.
void KeyTuner::takeOver(KeyPlan& plan) const {
  plan.incumbent = learned_->choice();
  if (!keepsRankOrder() || !learned_->arrangesRanks()) plan.placed = learned_->placed();
}

}  // namespace starling
