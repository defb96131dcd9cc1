#include "mpi/session.h"

#include <string>

#include "base/address_space.h"
#include "base/log.h"
#include "mpi/execution/device_memory.h"

namespace starling {

Session::Session(MPI_Comm communicator, SessionServices services)
    : services_(std::move(services)),
      channel_(communicator, kOwnTags, &schedule_reserve_),
      forced_choice_(readForcedChoice()),
      loop_(services_, channel_, memory_),
      rooted_(communicator, options(), services_.clocks) {}

std::int64_t Session::callsBeforePreparation(const Options& options) {
  const bool is_fixed = options.mode == Mode::kTune && !options.leavesTheChoice();
  return is_fixed ? 0 : options.minimum_calls;
}

CallKind Session::kindOf(int count, MPI_Datatype datatype, MPI_Op op) const {
  CallKind kind = classifyCall(count, datatype, op);
  if (!hasFixedChoice() && mayCombineGroups(kind)) kind.tunable = false;
  return kind;
}

int Session::allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       const CallOrigin& origin) {
  if (passesThrough()) return origin.callNative(sendbuf, recvbuf, count, datatype, op, channel_.original());
  const CallKind kind = kindOf(count, datatype, op);
  const LocalSite local = loop_.sites().localSite(origin);
  const SiteId predicted = loop_.predict(origin, kind.signature);
  if (hasFixedChoice() && kind.tunable && !channel_.isOpen()) {
    prepare();
    if (channel_.isBroken()) return origin.callNative(sendbuf, recvbuf, count, datatype, op, channel_.original());
  }
  Execution execution = plan(kind, predicted);
  execution.is_sampled = loop_.isSampled(execution.planned.exploration);
  execution.weight = execution.is_sampled ? 0 : loop_.weightOfUnstamped();
  // What follows waits for other ranks.
  if (execution.isTimed()) execution.arrival_ns = services_.clocks.clock->nanoseconds();
  if (const int fault = arrange(execution, kind); fault != MPI_SUCCESS) {
    breakDown(fault);
    return origin.callNative(sendbuf, recvbuf, count, datatype, op, channel_.original());
  }
  keepOffDevices(execution, sendbuf, recvbuf, count);
  if (const int fault = flag(execution, kind); fault != MPI_SUCCESS) {
    breakDown(fault);
    tellError(origin.thrown, channel_.original(), fault);
    return fault;
  }
  int code = MPI_SUCCESS;
  if (isInSharedMemory(execution.planned.choice, kind.reducer)) {
    runInMemory(*node_, plannedCall(execution, sendbuf, recvbuf, kind));
  } else if (const PreparedSchedule* prepared = findSchedule(execution, kind); prepared != nullptr) {
    code = runSchedule(channel_, node_.get(), *prepared, plannedCall(execution, sendbuf, recvbuf, kind));
    if (code != MPI_SUCCESS) tellError(origin.thrown, channel_.original(), code);
  } else {
    execution.is_passed_over = execution.is_passed_over || execution.planned.choice.algorithm != kNativeAlgorithm;
    execution.planned.choice = kNativeChoice;
    code = origin.callNative(sendbuf, recvbuf, count, datatype, op, channel_.original());
    // What MPI refuses for its arguments no other rank need have called: it counts nowhere.
    if (isRefusal(code)) return code;
  }
  dropAnnouncements();
  if (execution.follows_plan) ++loop_.keys().entry(execution.key).calls_since_plan;
  endCall(execution, code);
  if (!execution.is_sampled) loop_.noteUnstamped(execution.weight, execution.exit_ns - execution.arrival_ns);
  // A call that failed here may have succeeded elsewhere: it counts on every rank.
  loop_.note(kind, execution.asCall(), local, predicted, execution.stamps());
  watch(execution);
  restIfDue();
  endEpochIfDue();
  return code;
}

int Session::allreduceAtRest(const RestingCall& resting, const void* sendbuf, void* recvbuf, int count,
                             MPI_Datatype datatype, MPI_Op op, const CallOrigin& origin) {
  int code = MPI_SUCCESS;
  const Clock& clock = *services_.clocks.clock;
  const std::int64_t weight = loop_.weightOfUnstamped();
  const std::int64_t begin = weight > 0 ? clock.nanoseconds() : 0;
  if (isInSharedMemory(resting.choice, resting.reducer)) {
    const bool may_reorder = resting.commutes && !options().reproducible;
    runInMemory(*node_, {sendbuf, recvbuf, count, resting.reducer, resting.choice, {}, {}, may_reorder});
  } else {
    code = origin.callNative(sendbuf, recvbuf, count, datatype, op, channel_.original());
    if (code != MPI_SUCCESS && isRefusal(code)) return code;
  }
  loop_.noteUnstamped(weight, weight > 0 ? clock.nanoseconds() - begin : 0);
  if (const int fault = loop_.noteResting(resting, origin); fault != MPI_SUCCESS) breakDown(fault);
  endEpochIfDue();
  return code;
}

// A program that announces is listened to at every call.
void Session::restIfDue() {
  if (!loop_.isDue() || !arrivals_ || arrivals_->hasAnnounced() || channel_.isBroken()) return;
  if (loop_.beginRest()) arrivals_->forgetExit();
}

// Leaves a call to the MPI library whose buffers are on a device on some rank.
void Session::keepOffDevices(Execution& execution, const void* sendbuf, const void* recvbuf, int count) const {
  if (!loop_.hasDeviceDriver()) return;
  execution.on_device = isOnDevice(sendbuf, recvbuf, count);
  if (execution.planned.choice.algorithm == kNativeAlgorithm) return;
  execution.on_device = isOnSomeDevice(execution.on_device);
  if (execution.on_device) execution.planned.choice = kNativeChoice;
}

void Session::endCall(Execution& execution, int code) {
  const bool is_native = execution.planned.choice.algorithm == kNativeAlgorithm;
  if (is_native) execution.is_watched = false;
  std::optional<std::int64_t> exit_ns;
  if (execution.isTimed() || (arrivals_ && arrivals_->wantsExits())) {
    exit_ns = services_.clocks.clock->nanoseconds();
    execution.exit_ns = *exit_ns;
  }
  if (arrivals_) arrivals_->endCall(execution.arrangement, code, exit_ns);
  const bool followed_announcements = !is_native && !execution.follows_twin && execution.arrangement.is_announced &&
                                      !execution.arrangement.table.empty();
  announced_key_ = followed_announcements ? execution.key : -1;
}

EpochCall Session::Execution::asCall() const {
  EpochCall call;
  call.planned = planned;
  call.planned_key = key;
  call.on_device = on_device;
  call.is_passed_over = is_passed_over;
  return call;
}

void Session::watch(const Execution& execution) {
  if (!loop_.isOpen() || channel_.isBroken()) return;
  std::optional<std::int64_t> elapsed_ns;
  if (execution.is_watched) elapsed_ns = execution.exit_ns - execution.arrival_ns;
  if (const int fault = loop_.watch(execution.key, elapsed_ns); fault != MPI_SUCCESS) breakDown(fault);
}

void Session::endEpochIfDue() {
  if (!loop_.isDue()) return;
  if (!channel_.isOpen()) prepare();
  if (channel_.isBroken()) return;
  if (const int fault = loop_.endEpoch(); fault != MPI_SUCCESS) breakDown(fault);
}

Session::Execution Session::plan(const CallKind& kind, SiteId site) {
  Execution execution;
  const KeyTable& keys = loop_.keys();
  const Key key = keyOf(site, kind.signature);
  Shape shape{channel_.ranks(), kind.signature.count, kind.signature.commutative, &topology_};
  shape.memory = &schedule_reserve_;
  if (hasFixedChoice()) {
    execution.key = keys.find(key).value_or(-1);
    const KeyTable::Entry* const entry = execution.key < 0 ? nullptr : &keys.entry(execution.key);
    execution.planned.choice = fixedChoice(shape, entry == nullptr ? nullptr : &entry->plan);
    execution.follows_plan = entry != nullptr && entry->plan.incumbent == execution.planned.choice &&
                             isExecutable(execution.planned.choice, shape, kind);
  } else {
    const KeyTable::Next next = keys.next(key);
    execution.key = next.entry;
    execution.planned = next.planned;
    execution.is_watched = next.is_watched;
    execution.follows_twin = next.entry >= 0 && !next.is_own;
    // An incumbent whose memory is not agreed yet has not been called.
    execution.follows_plan =
        next.isCounted() && (next.planned.exploration || isExecutable(next.planned.choice, shape, kind));
  }
  if (isExecutable(execution.planned.choice, shape, kind)) return execution;
  execution.is_passed_over = true;
  execution.planned.choice = kNativeChoice;
  if (!options().reproducible) return execution;
  if (isExecutable(least_reproducible_, shape, kind)) execution.planned.choice = least_reproducible_;
  return execution;
}

std::optional<Choice> Session::readForcedChoice() const {
  if (!hasFixedChoice()) return std::nullopt;
  const Result<Choice> choice = forcedChoice(options());
  if (choice.isOk()) return choice.value();
  if (isRoot()) {
    logOnce(LogLevel::kWarning, "algorithm",
            "STARLING_ALGORITHM is not understood, and all calls are left to the MPI library: " +
                choice.status().message());
  }
  return std::nullopt;
}

Choice Session::fixedChoice(const Shape& shape, const KeyPlan* plan) const {
  // A plan in force knows the parameters that come from measurements, too.
  const bool may_be_any = options().reproducible && options().algorithm.empty();
  const bool is_planned = plan != nullptr && plan->state == KeyState::kSettled && forced_choice_ &&
                          (may_be_any || plan->incumbent.algorithm == forced_choice_->algorithm);
  if (is_planned && isValid(*findAlgorithm(plan->incumbent.algorithm), shape)) return plan->incumbent;
  if (forced_choice_ && isValid(*findAlgorithm(forced_choice_->algorithm), shape)) return *forced_choice_;
  return options().reproducible ? least_reproducible_ : kNativeChoice;
}

// The answer is equal on all ranks, because everything that is asked here is.
bool Session::isExecutable(const Choice& choice, const Shape& shape, const CallKind& kind) {
  if (choice.algorithm == kNativeAlgorithm) return true;
  if (!kind.tunable || !channel_.isOpen()) return false;
  const Algorithm* algorithm = findAlgorithm(choice.algorithm);
  if (algorithm == nullptr || !isValid(*algorithm, shape)) return false;
  if (isInSharedMemory(choice, kind.reducer)) return true;
  return hasFixedChoice() ? memory_.ensure(choice, shape, kind.reducer.element_size)
                          : memory_.has(choice, shape, kind.reducer.element_size);
}

bool Session::isOnSomeDevice(bool on_device) const { return channel_.leastOfAll(on_device ? 0 : 1) == 0; }

int Session::arrange(Execution& execution, const CallKind& kind) {
  if (arrivals_ && arrivals_->isAnnounced()) {
    if (execution.planned.choice.algorithm == kNativeAlgorithm) return MPI_SUCCESS;
    if (const int code = arrivals_->takeAnnouncements(); code != MPI_SUCCESS) return code;
    execution.arrangement = arrivals_->announced(keepsRankOrder(kind));
  } else if (execution.key >= 0) {
    const KeyTable::Entry& entry = loop_.keys().entry(execution.key);
    execution.arrangement = arrivals_->planned(execution.key, entry.plans, entry.plan);
  }
  return MPI_SUCCESS;
}

// Announcements that nothing was arranged by are over with the call that they were for.
void Session::dropAnnouncements() {
  if (!arrivals_ || !arrivals_->isAnnounced()) return;
  if (const int fault = arrivals_->dropAnnouncements(); fault != MPI_SUCCESS) breakDown(fault);
}

int Session::flag(Execution& execution, const CallKind& kind) {
  const std::int32_t late = flaggedRanks(execution.planned.choice, channel_.ranks());
  if (late == 0 || execution.arrangement.is_announced) return MPI_SUCCESS;
  return arrivals_->flag(late, keepsRankOrder(kind), execution.arrangement);
}

const PreparedSchedule* Session::findSchedule(Execution& execution, const CallKind& kind) {
  if (execution.planned.choice.algorithm == kNativeAlgorithm) return nullptr;
  restoreReserve();
  if (const PreparedSchedule* prepared = scheduleWithinTags(execution, kind); prepared != nullptr) return prepared;
  if (!options().reproducible) return nullptr;
  // How many tags a schedule takes may depend on who is late; the bits must not.
  execution.planned.choice = least_reproducible_;
  return scheduleWithinTags(execution, kind);
}

// Gives back what an earlier call took from the reserve, so that all of it is there for each call.
void Session::restoreReserve() {
  if (!memory_.isScarce()) return;
  schedules_.clear();
  channel_.executor().releaseMemory();
  schedule_reserve_.forgetUse();
}

const PreparedSchedule* Session::scheduleWithinTags(const Execution& execution, const CallKind& kind) {
  PlanSchedules::Query query;
  query.choice = execution.planned.choice;
  query.shape = {channel_.ranks(), kind.signature.count, kind.signature.commutative, &topology_};
  query.table = execution.arrangement.table;
  query.lateness_ns = execution.arrangement.lateness_ns;
  query.bytes = memory_.scheduleBytesOf(query.choice, query.shape);
  query.nodes_share_memory = mayHaveShares(topology_, kind.reducer);
  const PreparedSchedule& prepared = schedules_.find(query, channel_.rank());
  return channel_.hasTagsFor(prepared.schedule()) ? &prepared : nullptr;
}

PlannedCall Session::plannedCall(const Execution& execution, const void* sendbuf, void* recvbuf,
                                 const CallKind& kind) const {
  return {sendbuf,
          recvbuf,
          kind.signature.count,
          kind.reducer,
          execution.planned.choice,
          execution.arrangement.table,
          execution.arrangement.lateness_ns,
          !keepsRankOrder(kind)};
}

void Session::announce(double fraction) {
  // The condition is equal on all ranks: it depends on agreed options and the count of calls.
  if (passesThrough() || options().mode != Mode::kTune || !arrivals_) return;
  if (fraction > 0.0) loop_.endRest();
  if (const int fault = arrivals_->announce(fraction); fault != MPI_SUCCESS) breakDown(fault);
}

std::span<const std::int32_t> Session::tableOf(std::int32_t key) const {
  if (key == announced_key_) return arrivals_->announcedTable();
  const KeyTable::Entry& entry = loop_.keys().entry(key);
  return arrivals_->planned(key, entry.plans, entry.plan).table;
}

void Session::park() {
  // The other world may end before this one, and must not be kept from it by a last agreement.
  if (!services_.is_within_world) loop_.forgoLastAgreement();
  schedules_.clear();
  channel_.executor().releaseMemory();
  memory_.forgetNode();
  node_.reset();
}

bool Session::advanceEnd(EpochLoop::Wait wait) {
  const bool may_wait = wait == EpochLoop::Wait::kToEnd;
  bool is_over = loop_.advanceEnd(wait);
  if (arrivals_ && !channel_.isBroken()) is_over = arrivals_->finish(may_wait) && is_over;
  return rooted_.finish(may_wait) && is_over;
}

void Session::breakDown(int code) {
  loop_.breakDown(code);
  if (arrivals_) arrivals_->abandon();
}

}  // namespace starling
