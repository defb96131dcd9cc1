#include "tuner/communicator_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "algos/catalogue.h"
#include "base/log.h"
#include "tuner/key_table.h"

namespace starling {
namespace {

// While a choice of ours is in use all calls are stamped, and a loss is known an epoch after its calls.
constexpr std::int32_t kLongestWatchedEpoch = 32;

// An agreement takes about so many messages one after the other, for each time that the ranks can be halved, and no
// more than this share of the time of an epoch's calls.
constexpr double kAgreementMessages = 6.0;
constexpr double kAgreementShare = 0.02;
// Trials of an epoch make so many other keys decide anew at most, each of which takes some microseconds.
constexpr std::int32_t kMostWoken = 32;
// In the call after each of its steps is done what their messages make necessary on the ranks, which takes about so
// long.
constexpr Seconds kDisturbance{10e-6};
// The first of short calls tells little, so that there are more of them.
constexpr std::int32_t kEpochOfShortCalls = 4;
// Where nothing is to be learned soon, an epoch has so many calls at least.
constexpr std::int32_t kLeastSettledEpoch = 8;

// One agreement may rank candidates for so long, or once: this is done in a call.
constexpr Seconds kMostRankingTime{4e-3};

// A gain in another time than the one that is compared here is not taken over.
std::optional<PolicyRecord> findPolicy(std::span<const PolicyRecord> policies, const KeyId& id, std::int32_t ranks,
                                       const char* compared_by) {
  for (const PolicyRecord& policy : policies) {
    // There may be thousands of policies, most of which differ in a number already.
    if (policy.communicator_size == ranks && policy.size_class == id.size_class && policy.type == id.type &&
        policy.operation == id.operation && (policy.site == id.site || policy.site == "any")) {
      PolicyRecord found = policy;
      if (found.compared_by != compared_by) found.gain.reset();
      return found;
    }
  }
  return std::nullopt;
}

std::int32_t sizeClassOf(const KeyTuner& tuner) { return sizeClass(tuner.shape().count * tuner.elementSize().value); }

void tell(const DecisionRecord& decision, std::int64_t bytes, std::int32_t ranks) {
  const KeyId& key = decision.key;
  log(LogLevel::kInfo, fmt::format("{}, {} bytes ({}, {}) on {} ranks, call {}: {}. {}", key.site, bytes, key.type,
                                   key.operation, ranks, decision.call, decision.choice, decision.reason));
}

}  // namespace

CommunicatorTuner::CommunicatorTuner(TunerSettings settings, std::int32_t ranks)
    : settings_(std::move(settings)), ranks_(ranks), epoch_length_(kShortEpoch) {
  const auto held = lock();
  settings_.communicator = settings_.shared->newCommunicator();
}

CommunicatorTuner::~CommunicatorTuner() {
  const auto held = lock();
  slots_.clear();
  settings_.shared->accounts.leave(settings_.communicator);
}

void CommunicatorTuner::noteEarlierRuns(std::span<const EarlierPolicy> policies) {
  const std::vector<EarlierPolicy> told = foretellingPolicies(policies, settings_, ranks_);
  const std::size_t most = std::min(told.size(), KeyTable::kMostForetold);
  const auto held = lock();
  for (const EarlierPolicy& one : std::span(told).last(most)) {
    const KeyShape shape = shapeOn(settings_.topology, ranks_, one.record->size_class);
    if (settings_.shared->latest.findChoice(shape, one.origin) != nullptr) continue;
    std::optional<LatestKeys::Arranged> runs = choiceOfEarlierRun(one, settings_, ranks_);
    if (!runs) continue;
    settings_.shared->latest.note({shape, one.origin, *std::move(runs), nullptr});
  }
}

Decisions CommunicatorTuner::foretell() const {
  Decisions decisions;
  if (!settings_.options.leavesTheChoice() || settings_.options.mode != Mode::kTune) return decisions;
  const auto held = lock();
  for (const LatestKeys::Known& known :
       settings_.shared->latest.latestOn(shapeOn(settings_.topology, ranks_, 0), KeyTable::kMostForetold)) {
    const KeyOrigin& origin = known.origin;
    const std::optional<std::int32_t> kind =
        kindOf({.size_class = known.shape.size_class, .type = origin.type, .operation = origin.operation});
    if (!kind || !isAllowed(*findAlgorithm(known.runs.choice.algorithm), settings_.topology)) continue;
    PlanUpdate& update = decisions.updates.emplace_back();
    update.key = *kind;
    update.plan.incumbent = known.runs.choice;
    update.plan.limit = known.runs.limit;
    update.plan.placed = known.runs.placed;
  }
  return decisions;
}

void CommunicatorTuner::noteForetoldStop(const Key& key, const Choice& choice, Seconds shortest) {
  const auto held = lock();
  stopped_.push_back({key, choice, shortest});
  for (std::int32_t index = 0; index < std::ssize(slots_); ++index) {
    if (isOf(stopped_.back(), slot(index))) stopKey(index, choice, shortest);
  }
  const KeyShape shape = shapeOn(settings_.topology, ranks_, key.size_class);
  settings_.shared->latest.noteStop(shape, {.type = key.type, .operation = key.operation}, choice);
}

void CommunicatorTuner::noteStop(std::int32_t key, const Choice& choice, Seconds shortest) {
  const auto held = lock();
  stopKey(key, choice, shortest);
}

void CommunicatorTuner::stopKey(std::int32_t key, const Choice& choice, Seconds shortest) {
  slot(key).tuner.noteStop(choice, shortest);
  wake(key);
}

bool CommunicatorTuner::isOf(const StoppedKind& kind, const Slot& slot) {
  const KeyTuner& tuner = slot.tuner;
  return sizeClassOf(tuner) == kind.key.size_class && tuner.origin().type == kind.key.type &&
         tuner.origin().operation == kind.key.operation;
}

void CommunicatorTuner::addKey(const KeyId& id, const Shape& shape, Bytes element_size, KeyOrigin origin, bool tunable,
                               std::span<const PolicyRecord> policies) {
  const auto held = lock();
  slots_.push_back(std::make_unique<Slot>(settings_, shape, element_size, std::move(origin), tunable,
                                          findPolicy(policies, id, ranks_, comparedBy(settings_.stamps_compare))));
  slots_.back()->record.id = id;
  noteEarlierStops();
  wake(static_cast<std::int32_t>(slots_.size()) - 1);
}

void CommunicatorTuner::addSpecialKey(std::int32_t usual) {
  const auto held = lock();
  const auto special = static_cast<std::int32_t>(slots_.size());
  Slot& beside = slot(usual);
  beside.special = special;
  const KeyTuner& tuner = beside.tuner;
  KeyOrigin origin = tuner.origin();
  origin.site.clear();
  slots_.push_back(
      std::make_unique<Slot>(settings_, tuner.shape(), tuner.elementSize(), std::move(origin), true, std::nullopt));
  Slot& added = *slots_.back();
  added.usual = usual;
  added.record.id = beside.record.id;
  added.record.id.part = kSpecialPart;
  added.record.cycle = cycleOf(added);
  added.tuner.beginBeside(tuner);
  noteEarlierStops();
  wake(special);
}

// Plans of the latest key are made in the knowledge of them, as KeyTable::findOrAdd() counts.
void CommunicatorTuner::noteEarlierStops() {
  for (const StoppedKind& kind : stopped_) {
    if (isOf(kind, *slots_.back())) slots_.back()->tuner.noteStop(kind.choice, kind.shortest);
  }
}

void CommunicatorTuner::wake(std::int32_t index) {
  if (std::exchange(slot(index).is_to_be_asked, true)) return;
  to_ask_.push_back(index);
}

// What a trial finds they can use in their next call, before they have been called themselves. Those that were called
// come first.
void CommunicatorTuner::wakeAlike() {
  if (tried_classes_.empty()) return;
  const auto keys = static_cast<std::int32_t>(slots_.size());
  std::int32_t left = kMostWoken;
  for (std::int32_t i = 0; i < keys && left > 0; ++i) {
    const std::int32_t index = next_to_wake_ = (next_to_wake_ + 1) % keys;
    const Slot& other = slot(index);
    if (other.is_to_be_asked || !other.tuner.isUnsettled()) continue;
    if (std::ranges::find(tried_classes_, sizeClassOf(other.tuner)) == tried_classes_.end()) continue;
    wake(index);
    --left;
  }
  tried_classes_.clear();
}

void CommunicatorTuner::digest(const EpochReport& report) {
  const auto held = lock();
  epoch_ = report.epoch;
  seen_.clear();
  called_.clear();
  elapsed_ = {};
  for (const EpochCall& call : report.calls) {
    if (call.follows_rest) std::ranges::for_each(slots_, [](auto& one) { one->tuner.forgetSequence(); });
    Slot& called = slot(call.key);
    called_.push_back(call.key);
    called.changed = true;
    called.record.bytes = call.bytes;
    ++called.record.calls;
    called.totals.countCall();
    called.record.exploration_calls += call.planned.exploration ? 1 : 0;
    // A trial speaks for the key whose plan it ran, even where the site was mispredicted: sizes are alike.
    const bool follows_plan = call.planned.exploration && call.planned_key >= 0;
    Slot& target = slot(follows_plan ? call.planned_key : call.key);
    seen_.push_back(follows_plan ? call.planned_key : call.key);
    wake(seen_.back());
    target.calls_in_epoch = std::exchange(target.latest_epoch, epoch_) == epoch_ ? target.calls_in_epoch + 1 : 1;
    target.changed = true;
    target.tuner.count(call.planned, 1);
    target.tuner.notePassedOver(call.planned, call.is_passed_over);
    Pending& pending = target.pending.entryOf(call.planned, epoch_);
    ++pending.calls;
    if (call.sample < 0) continue;
    const CallSummary& sample = report.samples[static_cast<std::size_t>(call.sample)];
    std::optional<Seconds> usual_net;
    if (!settings_.stamps_compare) usual_net = target.tuner.usualNet(call.planned.choice);
    CallTimes times = timesOf(sample, settings_.stamps_compare, usual_net);
    if (call.follows != AgreementStep::kNone) times.disturbance = kDisturbance;
    digestSample(called, call, times);
    target.tuner.observe(pending.planned, times);
    if (call.planned.exploration) tried_classes_.push_back(sizeClassOf(target.tuner));
    pending.elapsed.add(times.elapsed.value);
    if (settings_.stamps_compare) pending.post_arrival.add(times.compared.value);
    // Rank 0 may be late because it has decided.
    if (call.follows != AgreementStep::kDecide) observeSequence(call, target, times);
  }
  for (std::vector<std::int32_t>* const keys : {&seen_, &called_}) {
    std::ranges::sort(*keys);
    keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
  }
  wakeAlike();
}

// One of the few calls that were stamped may have waited for a rank for as long as thousands take: how long the others
// took all together, every rank has seen.
double CommunicatorTuner::closeTotals(const std::optional<Seconds>& unstamped, Seconds at_rest) {
  const auto held = lock();
  Seconds expected = at_rest;
  for (const std::int32_t index : called_) expected += slot(index).totals.expectedOfOthers();
  const double share = unstamped && expected > Seconds{} ? *unstamped / expected : 1.0;
  for (const std::int32_t index : called_) {
    KeyTuner& tuner = slot(index).tuner;
    slot(index).totals.closeEpoch(share,
                                  [&tuner](std::int32_t rank, Seconds waited) { tuner.noteWaitedFor(rank, waited); });
  }
  called_.clear();
  return share;
}

void CommunicatorTuner::digestSample(Slot& called, const EpochCall& call, const CallTimes& times) {
  elapsed_.add(times.elapsed.value);
  const RankLateness& last = times.pattern.latest.front();
  called.totals.noteTimed(
      {.elapsed = times.elapsed,
       .waited = settings_.stamps_compare ? std::optional(times.elapsed - times.compared) : std::nullopt,
       .imbalance = times.imbalance,
       .last_rank = last.lateness > Seconds{} ? last.rank : -1,
       .is_disturbed = call.follows != AgreementStep::kNone});
}

Seconds CommunicatorTuner::usualTimeOf(std::int32_t key, std::int64_t calls) const {
  const auto held = lock();
  return static_cast<double>(calls) * slot(key).totals.usual();
}

void CommunicatorTuner::countUnseen(std::int32_t key, const Choice& choice, std::int64_t calls, double share) {
  const auto held = lock();
  Slot& called = slot(key);
  called.totals.addUnseen(calls, share);
  const PlannedChoice planned{choice, false};
  called.changed = true;
  called.record.calls += calls;
  called.tuner.count(planned, static_cast<std::int32_t>(calls));
  called.pending.entryOf(planned, epoch_).calls += calls;
}

void CommunicatorTuner::observeSequence(const EpochCall& call, const Slot& learner, const CallTimes& times) {
  if (call.usual_key < 0) return;
  Slot& usual = slot(call.usual_key);
  usual.tuner.observeSequence(call.index, times, &learner == &usual);
  wake(call.usual_key);
}

Seconds CommunicatorTuner::agreementTime() const {
  const auto rounds = std::bit_width(static_cast<std::uint32_t>(ranks_ - 1));
  return kAgreementMessages * rounds * settings_.model.alpha;
}

// The longer calls take, the sooner what has changed is to be known.
std::int32_t CommunicatorTuner::longestEpoch() const {
  const auto most = static_cast<std::int32_t>(settings_.options.longest_epoch);
  if (!settings_.options.leavesTheChoice() || settings_.options.mode != Mode::kTune || elapsed_.count() == 0)
    return most;
  const bool is_watched = std::any_of(seen_.begin(), seen_.end(), [this](std::int32_t index) {
    return slots_[static_cast<std::size_t>(index)]->tuner.plan().incumbent.algorithm != kNativeAlgorithm;
  });
  const std::int32_t longest = is_watched ? std::min(most, kLongestWatchedEpoch) : most;
  const double calls = agreementTime().value / std::max(kAgreementShare * elapsed_.mean(), 1e-12);
  return static_cast<std::int32_t>(std::clamp<double>(calls, std::min(kLeastSettledEpoch, longest), longest));
}

// Keys that are not called any more do not keep epochs short.
std::int32_t CommunicatorTuner::unsettledKeys() {
  const auto unsettled =
      std::ranges::count_if(seen_, [this](std::int32_t index) { return slot(index).tuner.isUnsettled(); });
  return static_cast<std::int32_t>(unsettled);
}

std::int32_t CommunicatorTuner::nextEpochLength() {
  const std::int32_t longest = longestEpoch();
  const std::int32_t unsettled = unsettledKeys();
  if (unsettled == 0 || settings_.options.mode != Mode::kTune)
    return epoch_length_ = std::min(2 * epoch_length_, longest);
  // Each call is to be stamped, so that no trial is made in vain.
  const std::int32_t samples = settings_.samples_per_epoch;
  const bool are_short = elapsed_.count() > 0 && Seconds{elapsed_.mean()} < kDisturbedCall;
  const std::int32_t least = are_short ? kEpochOfShortCalls : kShortEpoch;
  return epoch_length_ = std::min({std::max(unsettled, least), samples, longest});
}

Decisions CommunicatorTuner::decide(std::size_t limit) {
  const auto held = lock();
  Decisions decisions;
  settings_.shared->first_trials.noteDecision(settings_.communicator);
  decisions.updates.swap(postponed_);
  in_flight_.clear();
  for (const PlanUpdate& update : decisions.updates) in_flight_.push_back(update.key);
  auto rankings_left = std::max(1, static_cast<int>(kMostRankingTime / Rankings::usualTime(ranks_)));
  for (std::size_t left = to_ask_.size(); left > 0 && decisions.updates.size() < limit; --left) {
    const std::int32_t index = to_ask_.front();
    to_ask_.pop_front();
    slot(index).is_to_be_asked = false;
    if (std::optional<KeyTuner::Decision> decision = ask(index, rankings_left > 0)) {
      if (decision->has_ranked) --rankings_left;
      if (!decision->reason.empty()) recordDecision(slot(index), *decision);
      in_flight_.push_back(index);
      decisions.updates.push_back({index, std::move(decision->plan)});
    }
  }
  decisions.next_epoch_length = nextEpochLength();
  return decisions;
}

// A key of which nothing is new has the same answer as before, but for one that waits for epochs or for a ranking.
std::optional<KeyTuner::Decision> CommunicatorTuner::ask(std::int32_t index, bool may_rank) {
  Slot& asked = slot(index);
  const bool is_native = asked.special >= 0 && asked.tuner.hasSettledOnNative();
  if (is_native && slot(asked.special).tuner.hasSettledOnNative()) asked.tuner.giveUpCycle();
  // What is planned now takes force in an epoch of about that length.
  const std::size_t calls = std::min(asked.calls_in_epoch, static_cast<std::size_t>(epoch_length_));
  std::optional<KeyTuner::Decision> decision = asked.tuner.decide(may_rank, calls);
  if (!may_rank || asked.tuner.waitsForEpochs()) wake(index);
  return decision;
}

void CommunicatorTuner::postpone(const Decisions& decisions, std::size_t sent) {
  postponed_.assign(decisions.updates.begin() + static_cast<std::ptrdiff_t>(sent), decisions.updates.end());
  in_flight_.resize(sent);
}

void CommunicatorTuner::tookForce() {
  const auto held = lock();
  for (const std::int32_t index : in_flight_) {
    slot(index).tuner.planTookForce();
    wake(index);
  }
  in_flight_.clear();
}

void CommunicatorTuner::recordDecision(Slot& slot, const KeyTuner::Decision& decision) {
  slot.changed = true;
  DecisionRecord record;
  record.key = slot.record.id;
  record.epoch = epoch_;
  record.call = slot.record.calls;
  record.choice = formatChoice(decision.plan.incumbent);
  record.table = expanded(decision.plan.placed, ranks_).table;
  record.reason = decision.reason;
  record.expected = decision.expected;
  record.measured = decision.measured;
  record.native = decision.native;
  if (logLevel() >= LogLevel::kInfo) tell(record, slot.record.bytes, ranks_);
  slot.decisions.add(std::move(record));
  // A program may end while it explores: then what was best so far is known.
  const bool is_worth_telling =
      decision.plan.state == KeyState::kSettled || decision.plan.incumbent.algorithm != kNativeAlgorithm;
  // Which calls are special is found anew in each run.
  const bool is_usual = slot.usual < 0;
  if (is_worth_telling && settings_.options.leavesTheChoice() && is_usual) tellPolicy(slot);
}

}  // namespace starling
