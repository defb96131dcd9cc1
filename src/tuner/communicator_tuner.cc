#include "tuner/communicator_tuner.h"

#include <algorithm>

#include "estimators/statistics.h"

namespace starling {
namespace {

constexpr std::int32_t kLongestExploringEpoch = 32;

// Rankings of candidates in one agreement, times ranks squared: this is done in a call, so a few milliseconds.
constexpr std::int64_t kRankingBudget = 1024;

std::optional<PolicyRecord> findPolicy(std::span<const PolicyRecord> policies, const KeyId& id, std::int32_t ranks) {
  for (const PolicyRecord& policy : policies) {
    const bool site_fits = policy.site == id.site || policy.site == "any";
    if (site_fits && policy.communicator_size == ranks && policy.size_class == id.size_class &&
        policy.type == id.type && policy.operation == id.operation) {
      return policy;
    }
  }
  return std::nullopt;
}

}  // namespace

CommunicatorTuner::CommunicatorTuner(TunerSettings settings, std::int32_t ranks)
    : settings_(std::move(settings)), ranks_(ranks), epoch_length_(kShortEpoch) {}

void CommunicatorTuner::addKey(const KeyId& id, const Shape& shape, Bytes element_size, bool tunable,
                               std::span<const PolicyRecord> policies) {
  slots_.push_back(std::make_unique<Slot>(settings_, shape, element_size, tunable, findPolicy(policies, id, ranks_)));
  slots_.back()->record.id = id;
  slots_.back()->lateness.resize(static_cast<std::size_t>(ranks_));
}

CommunicatorTuner::Pending& CommunicatorTuner::pendingOf(Slot& slot, const PlannedChoice& planned) {
  for (Pending& pending : slot.pending) {
    if (pending.choice == planned.choice && pending.exploration == planned.exploration) return pending;
  }
  Pending& pending = slot.pending.emplace_back();
  pending.choice = planned.choice;
  pending.exploration = planned.exploration;
  return pending;
}

void CommunicatorTuner::digest(const EpochReport& report) {
  epoch_ = report.epoch;
  seen_.clear();
  const auto ranks = static_cast<std::size_t>(ranks_);
  for (const EpochCall& call : report.calls) {
    // A trial speaks for the key whose plan it ran, even where the site was mispredicted: sizes are alike.
    const bool follows_plan = call.planned.exploration && call.planned_key >= 0;
    Slot& target = slot(follows_plan ? call.planned_key : call.key);
    seen_.push_back(follows_plan ? call.planned_key : call.key);
    target.changed = true;
    target.record.bytes = call.bytes;
    ++target.record.calls;
    target.record.exploration_calls += call.planned.exploration ? 1 : 0;
    target.tuner.count(call.planned.choice, call.planned.exploration);
    Pending& pending = pendingOf(target, call.planned);
    ++pending.calls;
    if (call.sample < 0) continue;
    const std::size_t row = static_cast<std::size_t>(call.sample) * ranks;
    digestSample(target, pending,
                 {call.planned.choice, call.planned.exploration, report.arrivals.subspan(row, ranks),
                  report.exits.subspan(row, ranks)});
  }
}

void CommunicatorTuner::digestSample(Slot& slot, Pending& pending, const SampledCall& call) {
  slot.tuner.observe(call);
  const double elapsed = comparedTime(call, false).value;
  pending.elapsed.push_back(elapsed);
  pending.post_arrival.push_back(comparedTime(call, settings_.clocks_agree).value);
  slot.sampled_elapsed += elapsed;
  ++slot.samples;
  if (!settings_.clocks_agree) return;
  const auto [earliest, latest] = std::minmax_element(call.arrivals.begin(), call.arrivals.end());
  slot.sampled_imbalance += (*latest - *earliest).value;
  for (std::size_t rank = 0; rank < call.arrivals.size(); ++rank) {
    slot.lateness[rank].push_back((call.arrivals[rank] - *earliest).value);
  }
}

std::int32_t CommunicatorTuner::nextEpochLength() {
  const auto longest = static_cast<std::int32_t>(settings_.options.longest_epoch);
  const bool all_settled = std::all_of(seen_.begin(), seen_.end(), [this](std::int32_t index) {
    const KeyState state = slot(index).tuner.state();
    return state == KeyState::kSettled || state == KeyState::kPassesThrough;
  });
  if (all_settled || settings_.options.mode != Mode::kTune) return epoch_length_ = std::min(2 * epoch_length_, longest);
  const auto unsettled = static_cast<std::int32_t>(std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) {
    return slot->tuner.state() == KeyState::kObserving || slot->tuner.state() == KeyState::kExploring;
  }));
  return epoch_length_ = std::min(std::clamp(unsettled, kShortEpoch, kLongestExploringEpoch), longest);
}

Decisions CommunicatorTuner::decide(std::size_t limit) {
  Decisions decisions;
  in_flight_.clear();
  // It starts where the last one ended, so that keys that keep changing do not shut out the others.
  const std::size_t first = next_to_ask_;
  std::int64_t rankings_left = std::max<std::int64_t>(1, kRankingBudget / (std::int64_t{ranks_} * ranks_));
  for (std::size_t i = 0; i < slots_.size() && decisions.updates.size() < limit; ++i) {
    const std::size_t asked = (first + i) % slots_.size();
    const auto index = static_cast<std::int32_t>(asked);
    next_to_ask_ = (asked + 1) % slots_.size();
    if (std::optional<KeyTuner::Decision> decision = slots_[asked]->tuner.decide(rankings_left > 0)) {
      if (decision->has_ranked) --rankings_left;
      recordDecision(*slots_[asked], *decision);
      in_flight_.push_back(index);
      decisions.updates.push_back({index, std::move(decision->plan)});
    }
  }
  decisions.next_epoch_length = nextEpochLength();
  return decisions;
}

void CommunicatorTuner::tookForce() {
  for (const std::int32_t index : in_flight_) slot(index).tuner.planTookForce();
  in_flight_.clear();
}

void CommunicatorTuner::recordDecision(Slot& slot, const KeyTuner::Decision& decision) {
  slot.changed = true;
  DecisionRecord& record = decisions_.emplace_back();
  record.key = slot.record.id;
  record.epoch = epoch_;
  record.call = slot.record.calls;
  record.choice = formatChoice(decision.plan.incumbent);
  record.table = decision.plan.table;
  record.reason = decision.reason;
  record.expected = decision.expected;
  record.measured = decision.measured;
  record.native = decision.native;
  const bool learned_freely = settings_.options.algorithm.empty() && !settings_.options.reproducible;
  if (decision.plan.state == KeyState::kSettled && learned_freely) policies_.push_back(policyOf(slot));
}

PolicyRecord CommunicatorTuner::policyOf(const Slot& slot) const {
  const KeyPlan& plan = slot.tuner.plan();
  PolicyRecord policy;
  policy.site = slot.record.id.site;
  policy.communicator_size = ranks_;
  policy.size_class = slot.record.id.size_class;
  policy.type = slot.record.id.type;
  policy.operation = slot.record.id.operation;
  policy.choice = formatChoice(plan.incumbent);
  policy.table = plan.table;
  policy.lateness_ns = plan.lateness_ns;
  policy.gain = slot.tuner.gain();
  policy.reason = slot.tuner.settledReason();
  return policy;
}

Batch CommunicatorTuner::drain() {
  Batch batch;
  for (const auto& slot : slots_) {
    if (slot->changed) drainSlot(*slot, batch);
  }
  batch.decisions.swap(decisions_);
  batch.policies.swap(policies_);
  return batch;
}

void CommunicatorTuner::drainSlot(Slot& slot, Batch& batch) const {
  KeyRecord& record = slot.record;
  const double samples = static_cast<double>(slot.samples);
  record.seconds = slot.samples > 0 ? slot.sampled_elapsed / samples * static_cast<double>(record.calls) : 0.0;
  record.imbalance = slot.samples > 0 ? slot.sampled_imbalance / samples : 0.0;
  record.state = keyStateName(slot.tuner.state());
  record.choice = formatChoice(slot.tuner.plan().incumbent);
  record.table = slot.tuner.plan().table;
  record.gain = slot.tuner.gain();
  batch.keys.push_back(record);
  for (const Pending& pending : slot.pending) {
    const Summary post_arrival = summarize(pending.post_arrival);
    batch.observations.push_back({record.id, epoch_, formatChoice(pending.choice), pending.exploration, pending.calls,
                                  static_cast<std::int64_t>(pending.elapsed.size()), summarize(pending.elapsed).mean,
                                  post_arrival.mean, post_arrival.minimum, post_arrival.deviation});
  }
  slot.pending.clear();
  drainArrivals(slot, batch);
  slot.changed = false;
}

void CommunicatorTuner::drainArrivals(Slot& slot, Batch& batch) const {
  const ArrivalPrediction prediction = slot.tuner.arrivals();
  for (std::size_t rank = 0; rank < slot.lateness.size(); ++rank) {
    std::vector<double>& lateness = slot.lateness[rank];
    if (lateness.empty()) continue;
    const Summary summary = summarize(lateness);
    batch.arrivals.push_back({slot.record.id, epoch_, static_cast<std::int32_t>(rank),
                              static_cast<std::int64_t>(summary.n), summary.mean, summary.deviation,
                              prediction.lateness[rank].value, predictionMethodName(prediction.method[rank])});
    lateness.clear();
  }
}

}  // namespace starling
