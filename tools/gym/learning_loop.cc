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

LearningLoop::LearningLoop(std::int32_t ranks, TunerSettings settings, std::vector<PolicyRecord> policies,
                           bool is_shape_known)
    : ranks_(ranks),
      samples_per_epoch_(settings.samples_per_epoch),
      policies_(std::move(policies)),
      tuner_(settings, ranks),
      may_foretell_(is_shape_known || !policies_.empty()),
      epoch_length_(EpochLengths::ofFirst(settings.options, is_shape_known)),
      lengths_(settings.options, settings.samples_per_epoch),
      buffer_(decisionBytes(ranks)) {}

// As EpochLoop::foretell() does it. All calls have the type and operation of the first one.
void LearningLoop::foretell(const Signature& first) {
  std::vector<EarlierPolicy> earlier;
  for (const PolicyRecord& policy : policies_) {
    Signature longest = first;
    longest.count = std::max<std::int64_t>((std::int64_t{1} << policy.size_class) / first.element_size, 1);
    earlier.push_back({&policy, {first.type, first.operation, policy.site}, longest});
  }
  tuner_.noteEarlierRuns(earlier);
  encodeDecisions(tuner_.foretell(), buffer_);
  DecisionReader reader(buffer_, ranks_);
  require(reader.start());
  keys_.reserveForetold();
  PlanUpdate update;
  while (reader.left() > 0) {
    require(reader.next(update));
    if (keys_.foretell(update) != nullptr) epoch_length_ = EpochLengths::kFirstWhereKnown;
  }
}

std::int32_t LearningLoop::epochLength() const { return std::min(epoch_length_, lengths_.limit(false)); }

LearningLoop::NextCall LearningLoop::begin(LocalSite line, const Signature& signature, bool tunable) {
  if (std::exchange(may_foretell_, false)) foretell(signature);
  const SiteId predicted = tracker_.predict(signature);
  EpochCall& call = open_.emplace_back();
  call.bytes = signature.bytes();
  call.tunable = tunable;
  const Key key = keyOf(predicted, signature);
  lengths_.noteKey(key, keys_);
  KeyTable::Next planned = keys_.next(key);
  if (KeyTable::isForetold(planned.entry) && key.size_class > largest_class_) planned = {};
  call.usual_key = keys_.count(key);
  call.planned_key = planned.entry;
  call.planned = planned.planned;
  NextCall next;
  next.is_watched = tunable && planned.is_watched;
  next.follows = call.follows = std::exchange(latest_step_, AgreementStep::kNone);
  if (planned.entry >= 0) next.plan = &keys_.entry(planned.entry).plan;
  if (planned.is_own || (tunable && planned.isCounted())) ++keys_.entry(planned.entry).calls_since_plan;
  if (!tunable) call.planned.choice = kNativeChoice;
  tracker_.record(line, signature, predicted);
  next.planned = call.planned;
  const auto place = static_cast<std::int32_t>(open_.size()) - 1;
  const auto summarised = static_cast<std::int32_t>(open_samples_.size());
  next.is_stamped = isSampled({epoch_, epochLength(), samples_per_epoch_}, place, summarised, call.planned.exploration);
  is_watched_ = next.is_watched;
  if (next.is_stamped) call.sample = static_cast<std::int32_t>(open_samples_.size());
  return next;
}

void LearningLoop::end(const std::optional<CallSummary>& seen) {
  if (open_.back().sample >= 0) open_samples_.push_back(seen.value());
  watch(seen);
  goOnAgreeing();
  if (isDue()) endEpoch();
}

// As EpochLoop has it.
void LearningLoop::goOnAgreeing() {
  const auto made = static_cast<std::int32_t>(open_.size());
  const AgreementSteps steps = agreementStepsIn(epochLength());
  if (agreement_ == Agreement::kStarted && made >= steps.decides_after) {
    takeEpoch();
    decide();
  } else if (agreement_ == Agreement::kDecided && made >= steps.is_known_after) {
    learnLength();
  }
}

bool LearningLoop::isDue() const {
  const bool is_known = agreement_ == Agreement::kNone || agreement_ == Agreement::kKnown;
  return is_known && static_cast<std::int32_t>(open_.size()) >= epochLength();
}

void LearningLoop::watch(const std::optional<CallSummary>& seen) {
  if (watched_) {
    const Judgement found = judge(watched_->call, watched_->shortest_ns, watched_->last_rank, keys_, tuner_);
    if (found.comes_otherwise) lengths_.hurry();
  }
  watched_.reset();
  const std::int32_t key = open_.back().planned_key;
  if (!is_watched_) return;
  const CallSummary& call = seen.value();
  watched_ = {{key, keys_.entry(key).changes, open_.back().follows != AgreementStep::kNone},
              call.shortestNs(),
              call.named().front().rank};
}

std::optional<std::int32_t> LearningLoop::latestKeyOf(LocalSite line) const {
  const SiteId site = tracker_.siteOf(line);
  for (auto call = closed_.rbegin(); site != kAnySite && call != closed_.rend(); ++call) {
    if (call->usual_key >= 0 && keys_.entry(call->usual_key).key.site == site) return call->usual_key;
  }
  return std::nullopt;
}

void LearningLoop::decide() {
  std::fill(buffer_.begin(), buffer_.end(), std::byte{});
  const Decisions decisions = tuner_.decide(kMaxUpdates);
  tuner_.postpone(decisions, encodeDecisions(decisions, buffer_));
  agreement_ = Agreement::kDecided;
  latest_step_ = AgreementStep::kDecide;
}

void LearningLoop::learnLength() {
  DecisionReader reader(buffer_, ranks_);
  require(reader.start());
  if (reader.nextEpochLength() > 0) epoch_length_ = std::min(epoch_length_, reader.nextEpochLength());
  agreement_ = Agreement::kKnown;
}

void LearningLoop::endEpoch() {
  if (agreement_ == Agreement::kKnown) applyDecisions();
  tracker_.closeEpoch();
  past_lengths_.push_back(static_cast<std::int32_t>(open_.size()));
  closed_.swap(open_);
  closed_samples_.swap(open_samples_);
  open_.clear();
  open_samples_.clear();
  lengths_.noteClose();
  agreement_ = Agreement::kStarted;
  latest_step_ = AgreementStep::kStart;
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
  std::int32_t special = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Key key = keyOf(calls[i].site, calls[i].signature);
    largest_class_ = std::max(largest_class_, key.size_class);
    const std::int32_t known = keys_.size();
    const KeyTable::Place place = keys_.resolve(key, calls[i].signature, closed_[i].usual_key);
    closed_[i].key = place.key;
    closed_[i].usual_key = place.usual;
    closed_[i].index = place.index;
    if (place.usual == known) introduce(key, calls[i], closed_[i].tunable);
    if (!place.lacks_part || special == KeyTable::kMostSpecial) continue;
    ++special;
    keys_.addSpecial(place.usual);
    tuner_.addSpecialKey(place.usual);
  }
  tuner_.digest({epoch_ - 1, closed_, closed_samples_});
  tuner_.closeTotals();
}

void LearningLoop::introduce(const Key& key, const SiteTracker::Call& call, bool tunable) {
  const std::string site = "line" + std::to_string(tracker_.localSite(call.site));
  tuner_.addKey({"world", site, key.size_class, "double", "sum"},
                {ranks_, call.signature.count, call.signature.commutative}, Bytes{call.signature.element_size},
                {key.type, key.operation, site}, tunable, policies_);
}

}  // namespace starling::gym
