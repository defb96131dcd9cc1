// This part of the epoch loop takes the ranks from the end of an epoch to the plans that it has taught: its two
// messages, and the memory that they and the calls until then take.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/address_space.h"
#include "base/log.h"
#include "mpi/epoch_loop.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/device_memory.h"

namespace starling {

template <typename Step>
int EpochLoop::timed(const Step& step) {
  const Seconds begin = services_.clocks.clock->now();
  const int code = step();
  lengths_.noteAgreeing(services_.clocks.clock->now() - begin);
  return code;
}

int EpochLoop::foretell() {
  if (isRoot()) encodeDecisions(learner_.foretell(), agreement_->decisionBuffer());
  if (const int code = agreement_->startDecisions(); code != MPI_SUCCESS) return code;
  if (const int code = agreement_->finishDecisions(); code != MPI_SUCCESS) return code;
  DecisionReader reader(agreement_->decisionBuffer(), channel_.ranks());
  Status status = reader.start();
  bool is_any = false;
  while (status.isOk() && reader.left() > 0) {
    status = reader.next(update_);
    if (!status.isOk()) break;
    const std::optional<Key> kind = keyOfKind(update_.key);
    const std::optional<Signature> longest = kind ? longestOf(*kind) : std::nullopt;
    const KeyTable::Entry* const foretold = longest ? keys_.foretell(update_) : nullptr;
    if (foretold == nullptr) continue;
    is_any = true;
    if (kind->size_class <= KeyTable::kMostReservedClass) memory_.reserveForIncumbent(foretold->plan, *longest);
  }
  if (!status.isOk()) rejectDecisions(status);
  // What is read is equal on all ranks, and so is whether they ask each other.
  if (!is_any) return MPI_SUCCESS;
  if (calls_.made() == 0) calls_.setLength(EpochLengths::kFirstWhereKnown);
  const std::int64_t scratch = channel_.leastOfAll(memory_.scratchCapacity());
  const std::int64_t schedules = channel_.leastOfAll(memory_.scheduleCapacity());
  memory_.agree(scratch, schedules);
  return MPI_SUCCESS;
}

int EpochLoop::endEpoch() {
  epoch_ended_ = true;
  const int code = beside([this] {
    return timed([this] {
      applyDecisions();
      const int closed = closeEpoch();
      stamp_clock_.keepUp();
      return closed;
    });
  });
  lengths_.noteAgreed();
  return code;
}

int EpochLoop::closeEpoch() {
  calls_.setLimit(EpochLengths::kNoLimit);  // the next epoch may be long, and room is made for it here
  Agreement::Report report;
  report.sites_hash = tracker_.closeEpoch();
  reserveForNewCalls();
  report.scratch_bytes = memory_.scratchCapacity();
  report.schedule_bytes = memory_.scheduleCapacity();
  report.has_room = makeRoom();
  refreshDeviceDrivers();
  report.has_device_driver = starling::hasDeviceDriver();
  const int code = agreement_->startEpoch(report, calls_.close(stamp_clock_.model()));
  latest_step_ = AgreementStep::kStart;
  lengths_.noteClose();
  rest_.setMemoryRests(shares_memory_ && !has_device_driver_);
  rest_.plan(lengths_.mostAtRest(), calls_.closedEpoch(), keys_);
  limitEpoch();
  return code;
}

// The ranks are to know of it when the first plan of these calls takes force, which is one epoch later. Calls of one
// kind take the same memory, whichever sites they come from, and finding out how much takes a while.
void EpochLoop::reserveForNewCalls() {
  if (is_ending_ || !has_noted_all_ || services_.settings.options.mode != Mode::kTune) return;
  const std::span<const EpochCall> calls = calls_.open();
  std::array<std::optional<Key>, 16> latest;
  std::size_t next = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].usual_key >= 0 || !calls[i].tunable) continue;
    const Signature signature = tracker_.closedCall(i, false).signature;
    const Key kind = keyOf(kAnySite, signature);
    if (keys_.hasKind(kind) || std::ranges::find(latest, kind) != latest.end()) continue;
    latest[next++ % latest.size()] = kind;
    memory_.reserveFor(signature);
  }
}

// Makes room for what the closed epoch teaches, and for the calls until that is known.
bool EpochLoop::makeRoom() {
  std::size_t new_keys = KeyTable::kMostSpecial;
  for (std::size_t i = 0; i < tracker_.closedCalls(); ++i) {
    for (const bool agreed : {false, true}) {
      const SiteTracker::Call call = tracker_.closedCall(i, agreed);
      if (!keys_.find(keyOf(call.site, call.signature))) ++new_keys;
    }
  }
  const auto next_calls = static_cast<std::size_t>(calls_.length());
  const std::size_t needed =
      kMinRoom + 2 * (tracker_.growthBytes(next_calls) + calls_.growthBytes()) + new_keys * KeyTable::kBytesPerKey;
  const bool has_room = has_noted_all_ && !reserve_.wasUsed() &&
                        (reserve_.free() >= needed || leavesAddressSpace(needed)) && reserve_.grow(needed) &&
                        keys_.prepareFor(new_keys);
  if (!has_room) {
    logOnce(LogLevel::kWarning, "room",
            "memory is short on a rank: nothing more is learned there, and the plans in force stay");
  }
  return has_room;
}

// How far the agreement is depends on the number of calls, and is equal on all ranks.
int EpochLoop::goOnAgreeing() {
  const AgreementSteps steps = agreementStepsIn(calls_.length());
  if (agreement_->epochIsOpen()) {
    if (calls_.made() < steps.decides_after || !agreement_->epochIsDue()) return agreement_->advanceEpoch();
    return timed([this] {
      const int code = takeEpoch();
      return code == MPI_SUCCESS ? startDecisions() : code;
    });
  }
  if (!agreement_->decisionsAreOpen() || calls_.made() < steps.is_known_after) return MPI_SUCCESS;
  return timed([this] { return learnDecisions(); });
}

int EpochLoop::takeEpoch() {
  Agreement::Outcome outcome;
  if (const int code = agreement_->finishEpoch(outcome); code != MPI_SUCCESS) return code;
  memory_.agree(outcome.scratch_bytes, outcome.schedule_bytes);
  has_device_driver_ = outcome.has_device_driver;
  const std::span<const SiteTracker::Call> calls = tracker_.resolve(outcome.sites_agree && outcome.has_room);
  // Where some rank cannot learn none does, and the plans in force stay.
  if (!outcome.has_room) {
    learner_.forgetAtRest();
    return MPI_SUCCESS;
  }
  lengths_.forgetKeys();
  special_added_ = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EpochCall& call = calls_.closed()[i];
    assignKey(calls[i], call);
    const KeyTable::Entry& entry = keys_.entry(call.key);
    lengths_.noteCall(entry, rest_.isAtRest(entry));
  }
  learner_.digest({calls_.closedEpoch(), calls_.closed(), agreement_->samples()});
  if (learner_.isLearning()) lengths_.noteTimes(calls_.closed(), agreement_->samples());
  learner_.forgetAtRest();
  return MPI_SUCCESS;
}

int EpochLoop::startDecisions() {
  if (isRoot()) {
    Decisions decisions = learner_.decide(kMaxUpdates);
    for (PlanUpdate& update : decisions.updates) lengths_.limitWatching(update.plan.limit);
    decisions.next_epoch_length = lengths_.next(decisions.next_epoch_length);
    const std::size_t sent = encodeDecisions(decisions, agreement_->decisionBuffer());
    if (sent < decisions.updates.size()) learner_.postpone(decisions, sent);
  }
  latest_step_ = AgreementStep::kDecide;
  return agreement_->startDecisions();
}

// The message is the same everywhere, and so is what can be read of it.
int EpochLoop::learnDecisions() {
  if (const int code = agreement_->finishDecisions(); code != MPI_SUCCESS) return code;
  DecisionReader reader(agreement_->decisionBuffer(), channel_.ranks());
  if (const Status status = reader.start(); !status.isOk()) {
    rejectDecisions(status);
    return MPI_SUCCESS;
  }
  decisions_are_known_ = true;
  // There is memory for as many calls as it was to have.
  if (reader.nextEpochLength() > 0) {
    calls_.setLength(std::min(lengths_.withoutRest(reader.nextEpochLength()), calls_.fullLength()));
  }
  if (lengths_.areAllAtRest() && bringsCycle(reader)) {
    lengths_.keepAwake();
    rest_.planNone();
  }
  return MPI_SUCCESS;
}

// Which call of a cycle is the next one is known only where all calls are counted one by one, from those that it was
// found in until its plan is in force, and after.
bool EpochLoop::bringsCycle(DecisionReader reader) {
  while (reader.left() > 0 && reader.next(update_).isOk()) {
    if (!update_.plan.cycle.isNone()) return true;
  }
  return false;
}

void EpochLoop::applyDecisions() {
  if (!std::exchange(decisions_are_known_, false)) return;
  DecisionReader reader(agreement_->decisionBuffer(), channel_.ranks());
  Status status = reader.start();
  while (status.isOk() && reader.left() > 0) {
    status = reader.next(update_);
    if (!status.isOk()) break;
    if (const KeyTable::Entry* const changed = keys_.apply(update_)) {
      memory_.reserveFor(changed->plan, changed->signature);
    }
  }
  if (!status.isOk()) return rejectDecisions(status);
  if (reader.nextEpochLength() > 0) calls_.setLength(lengths_.agree(reader.nextEpochLength()));
  learner_.tookForce();
}

void EpochLoop::rejectDecisions(const Status& status) {
  logOnce(LogLevel::kWarning, "decisions", status.message() + "; the plans in force stay");
}

}  // namespace starling
