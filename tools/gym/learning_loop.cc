#include "learning_loop.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "tuner/epoch_messages.h"

namespace starling::gym {
namespace {

void require(const Status& status) {
  if (!status.isOk()) throw std::logic_error(status.message());
}

}  // namespace

LearningLoop::LearningLoop(std::int32_t ranks, TunerSettings settings, std::vector<PolicyRecord> policies)
    : ranks_(ranks),
      samples_per_epoch_(settings.samples_per_epoch),
      policies_(std::move(policies)),
      tuner_(settings, ranks),
      epoch_length_(static_cast<std::int32_t>(settings.options.minimum_calls)),
      buffer_(decisionBytes(ranks)) {}

// As EpochCalls::isSampled() does it, for the call that begins.
bool LearningLoop::isStamped() const {
  const auto index = static_cast<std::int32_t>(open_.size()) - 1;
  if (epoch_length_ <= samples_per_epoch_) return true;
  const std::int32_t stretch = epoch_length_ / samples_per_epoch_;
  const std::int32_t number = index / stretch;
  if (number >= samples_per_epoch_) return false;
  const std::uint64_t hash = mixHash(static_cast<std::uint64_t>(epoch_), static_cast<std::uint64_t>(number));
  return index % stretch == static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(stretch));
}

LearningLoop::NextCall LearningLoop::begin(LocalSite line, const Signature& signature, bool tunable) {
  const SiteId predicted = tracker_.predict(signature);
  EpochCall& call = open_.emplace_back();
  call.bytes = signature.bytes();
  call.tunable = tunable;
  call.planned_key = keys_.find(keyOf(predicted, signature)).value_or(-1);
  NextCall next;
  if (call.planned_key >= 0) {
    KeyTable::Entry& entry = keys_.entry(call.planned_key);
    next.plan = &entry.plan;
    call.planned = choiceOfCall(entry.plan, entry.calls_since_plan);
    if (entry.is_stopped) call.planned.choice = kNativeChoice;
    next.is_watched =
        call.planned.choice.algorithm != kNativeAlgorithm && !call.planned.exploration && entry.isWatched();
    ++entry.calls_since_plan;
  }
  if (!tunable) call.planned.choice = kNativeChoice;
  tracker_.record(line, signature, predicted);
  next.planned = call.planned;
  next.is_stamped = isStamped();
  is_watched_ = next.is_watched;
  if (next.is_stamped) call.sample = static_cast<std::int32_t>(open_samples_.size());
  return next;
}

void LearningLoop::end(const std::optional<CallSummary>& seen) {
  if (open_.back().sample >= 0) open_samples_.push_back(seen.value());
  watch(seen);
  if (static_cast<std::int32_t>(open_.size()) >= epoch_length_) endEpoch();
}

// As EpochLoop::watch() does it.
void LearningLoop::watch(const std::optional<CallSummary>& seen) {
  if (watched_) {
    KeyTable::Entry& entry = keys_.entry(watched_->key);
    if (entry.plans == watched_->plans && entry.noteWatched(watched_->shortest_ns)) {
      tuner_.noteStop(watched_->key, entry.plan.incumbent, fromNanoseconds(watched_->shortest_ns));
    }
    watched_.reset();
  }
  const std::int32_t key = open_.back().planned_key;
  if (is_watched_) watched_ = Watched{key, keys_.entry(key).plans, seen.value().shortestNs()};
}

void LearningLoop::endEpoch() {
  if (decisions_are_open_) applyDecisions();
  if (epoch_is_open_) {
    takeEpoch();
    std::fill(buffer_.begin(), buffer_.end(), std::byte{});
    const Decisions decisions = tuner_.decide(kMaxUpdates);
    tuner_.postpone(decisions, encodeDecisions(decisions, buffer_));
    decisions_are_open_ = true;
  }
  tracker_.closeEpoch();
  lengths_.push_back(static_cast<std::int32_t>(open_.size()));
  closed_.swap(open_);
  closed_samples_.swap(open_samples_);
  open_.clear();
  open_samples_.clear();
  epoch_is_open_ = true;
  ++epoch_;
}

void LearningLoop::applyDecisions() {
  DecisionReader reader(buffer_, ranks_);
  require(reader.start());
  PlanUpdate update;
  while (reader.left() > 0) {
    require(reader.next(update));
    keys_.apply(update);
    ++updates_;
  }
  if (reader.nextEpochLength() > 0) epoch_length_ = reader.nextEpochLength();
  tuner_.tookForce();
}

void LearningLoop::takeEpoch() {
  const std::span<const SiteTracker::Call> calls = tracker_.resolve(true);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Key key = keyOf(calls[i].site, calls[i].signature);
    const std::int32_t known = keys_.size();
    closed_[i].key = keys_.findOrAdd(key, calls[i].signature);
    if (closed_[i].key == known) introduce(key, calls[i], closed_[i].tunable);
  }
  tuner_.digest({epoch_ - 1, closed_, closed_samples_});
}

void LearningLoop::introduce(const Key& key, const SiteTracker::Call& call, bool tunable) {
  const std::string site = "line" + std::to_string(tracker_.localSite(call.site));
  tuner_.addKey({"world", site, key.size_class, "double", "sum"},
                {ranks_, call.signature.count, call.signature.commutative}, Bytes{call.signature.element_size}, tunable,
                policies_);
}

}  // namespace starling::gym
