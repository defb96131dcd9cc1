// This part of the communicator's tuner writes what it knows as records for the database.
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "tuner/communicator_tuner.h"

namespace starling {
namespace {

// Leaves empty what no sample tells.
void setTimes(const RunningMoments& samples, std::optional<double>& mean, std::optional<double>& minimum,
              std::optional<double>& deviation) {
  if (samples.count() == 0) return;
  mean = samples.mean();
  minimum = samples.minimum();
  deviation = samples.deviation();
}

}  // namespace

void CommunicatorTuner::tellPolicy(Slot& slot) const {
  PolicyRecord policy = policyOf(slot);
  slot.told_choice = policy.choice;
  slot.told_gain = policy.gain;
  slot.decisions.replacePolicy(std::move(policy));
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
  ExpandedPlacement placement = expanded(plan.placed, ranks_);
  policy.table = std::move(placement.table);
  policy.lateness_ns = std::move(placement.lateness_ns);
  policy.gain = slot.tuner.gain();
  policy.compared_by = comparedBy(settings_.stamps_compare);
  policy.reason = slot.tuner.settledReason();
  return policy;
}

Batch CommunicatorTuner::drain() {
  const auto held = lock();
  Batch batch;
  for (const auto& slot : slots_) {
    if (slot->changed) drainSlot(*slot, batch);
  }
  return batch;
}

std::size_t CommunicatorTuner::waitingRecords() const {
  std::size_t records = 0;
  for (const auto& slot : slots_) records += slot->pending.entries().size() + slot->decisions.size();
  return records;
}

void CommunicatorTuner::drainSlot(Slot& slot, Batch& batch) const {
  KeyRecord& record = slot.record;
  record.seconds = slot.totals.seconds();
  record.waiting = slot.totals.waiting();
  record.imbalance = slot.totals.imbalance();
  record.state = keyStateName(slot.tuner.state());
  record.choice = formatChoice(slot.tuner.plan().incumbent);
  record.table = expanded(slot.tuner.plan().placed, ranks_).table;
  record.gain = slot.tuner.gain();
  record.gain_error = slot.tuner.gainError();
  record.cycle = cycleOf(slot);
  record.outlook = outlookName(slot.tuner.outlook());
  batch.keys.push_back(record);
  for (const Pending& pending : slot.pending.entries()) {
    ObservationRecord& seen = batch.observations.emplace_back();
    seen.key = record.id;
    seen.epoch = pending.epoch;
    seen.choice = formatChoice(pending.planned.choice);
    seen.exploration = pending.planned.exploration;
    seen.calls = pending.calls;
    seen.samples = pending.elapsed.count();
    setTimes(pending.elapsed, seen.elapsed_mean, seen.elapsed_minimum, seen.elapsed_deviation);
    setTimes(pending.post_arrival, seen.post_arrival_mean, seen.post_arrival_minimum, seen.post_arrival_deviation);
  }
  if (slot.pending.dropped() > 0) {
    logOnce(LogLevel::kInfo, "observations",
            std::to_string(slot.pending.dropped()) + " observations of one call site were not stored: those of more " +
                "than " + std::to_string(PendingObservations::kMaxEntries) + " choices waited for the database");
  }
  slot.pending.clear();
  // Later calls know the gain better than the decision did.
  if (slot.told_choice == record.choice && slot.told_gain != record.gain) tellPolicy(slot);
  slot.decisions.moveTo(batch);
  drainArrivals(slot, batch);
  slot.changed = false;
}

std::string CommunicatorTuner::cycleOf(const Slot& slot) const {
  const bool is_usual = slot.usual < 0;
  const Cycle& cycle = (is_usual ? slot.tuner : key(slot.usual)).plan().cycle;
  if (is_usual) return cycle.isNone() ? "" : "all but " + describe(cycle);
  return cycle.isNone() ? slot.record.cycle : describe(cycle);
}

void CommunicatorTuner::drainArrivals(Slot& slot, Batch& batch) const {
  const TrackedArrivals& arrivals = slot.tuner.arrivals();
  const std::vector<TrackedArrivals::Entry> entries = arrivals.entries();
  if (entries.empty() || entries.back().seen.count() == 0) return;
  const double all_over_seen = slot.totals.takeAllOverSeen();
  for (const TrackedArrivals::Entry& entry : slot.recorded_ranks.choose(entries, arrivals.others())) {
    batch.arrivals.push_back(
        {slot.record.id, epoch_, entry.rank, entry.seen.count(), entry.seen.mean(), entry.seen.deviation(),
         entry.predicted.value, predictionMethodName(entry.method), entry.error.value, 1, entry.last, std::nullopt,
         settings_.stamps_compare ? std::optional(all_over_seen * entry.waited.value) : std::nullopt});
  }
  batch.histograms.push_back(
      {slot.record.id, epoch_, entries.back().seen.count(), latenessCounts(entries, arrivals.others())});
  slot.tuner.restartArrivals();
}

}  // namespace starling
