// Runs the epochs of one communicator: its ranks agree on sites and memory, rank 0 learns from the stamps of all, and
// its plans take force on all ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/reserve.h"
#include "mpi/epoch_calls.h"
#include "mpi/exchange/agreement.h"
#include "mpi/exchange/call_watch.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/channel.h"
#include "mpi/execution/plan_memory.h"
#include "mpi/machine/call_sites.h"
#include "mpi/machine/stamp_clock.h"
#include "mpi/rest/calls_at_rest.h"
#include "mpi/root_learner.h"
#include "mpi/session_services.h"
#include "tuner/agreement_steps.h"
#include "tuner/epoch_lengths.h"
#include "tuner/key_table.h"
#include "tuner/site_tracker.h"

namespace starling {

// All ranks call the same functions in the order of the program's calls, but for those that say that they are local.
// THREADS: not thread-safe; one per communicator.
class EpochLoop {
 public:
  // All three outlive it; the loop agrees on the memory.
  EpochLoop(const SessionServices& services, Channel& channel, PlanMemory& memory);

  // Takes the memory without which nothing can be agreed. Local. Returns false when memory is short.
  bool reserve();
  // From here on the ranks agree. REQUIRES: the channel is open, and reserve() returned true. `model` is this rank's;
  // rank 0 learns with its own. `is_shape_known`, equal on all ranks: a communicator of the shape was tuned before.
  void open(const CostModel& model, const StampClock& stamps, const Topology& topology, bool has_device_driver,
            bool is_shape_known);
  bool isOpen() const { return agreement_ != nullptr; }
  // Tells all ranks what keys of other communicators of the shape run, or ran in earlier runs. Called after open(),
  // before the first agreement. Waits for the other ranks, and returns an MPI error code.
  int foretell();

  // Returns the site that all ranks take the next call to come from. It is local.
  SiteId predict(const CallOrigin& origin, const Signature& signature) const;
  // Returns whether the next call is to be stamped. It is local.
  bool isSampled(bool is_trial) const { return calls_.isSampled(is_trial); }

  // These do what the functions of EpochCalls do.
  std::int64_t weightOfUnstamped() const { return calls_.weightOfUnstamped(); }
  void noteUnstamped(std::int64_t weight, std::int64_t took_ns) { calls_.noteUnstamped(weight, took_ns); }

  // Notes a call that was made. Where memory is too short to note it the rank takes part in what is agreed, but nothing
  // more is learned; see hasNotedAll().
  void note(const CallKind& kind, EpochCall call, LocalSite local, SiteId predicted,
            const std::optional<CallStamps>& stamps);
  // Goes on with what the ranks agree on, some calls after it was begun, so that every rank has long started that; and
  // looks at a call that ran a plan's incumbent, where `elapsed_ns` tells how long this rank was in it, and finishes
  // what it began at the call before: an incumbent that is slow is stopped. Called after every call, on all ranks with
  // or without a time. Returns an MPI error code. REQUIRES: isOpen().
  int watch(std::int32_t key, const std::optional<std::int64_t>& elapsed_ns);
  // Returns whether no call has been lost for want of memory, which all ranks need before open(). It is local.
  bool hasNotedAll() const { return has_noted_all_; }
  // Returns whether the running epoch has all its calls, and the ranks know what was decided on the one before.
  bool isDue() const { return calls_.isFull() && !rest_.isOn() && !isAgreeing(); }

  // Lets calls rest from now on, if that was planned: after the calls of an epoch, and instead of ending it. Returns
  // whether they do, which is equal on all ranks.
  bool beginRest();
  // Returns what the next call, with these arguments, runs where it is only to be counted, by noteResting(); null: it
  // does not rest, and ends the rest when it is noted. Equal on all ranks. Good until the next call of this.
  const RestingCall* restingCall(int count, MPI_Datatype datatype, MPI_Op op) {
    return rest_.find(count, datatype, op);
  }
  // Returns an MPI error code.
  int noteResting(const RestingCall& resting, const CallOrigin& origin) {
    learner_.countAtRest(resting, origin);
    return rest_.count() ? MPI_SUCCESS : attendRest();
  }
  // Ends the rest before its time, on all ranks at the same call.
  void endRest() { rest_.end(); }
  // Ends the epoch: what was decided takes force, and the epoch's own agreement begins, which goes on in watch().
  // Returns an MPI error code; after an error nothing is agreed any more. REQUIRES: isOpen(), isDue().
  int endEpoch();
  // Returns true once after each endEpoch(), which is the time for what need not be done at every call.
  bool takeEpochEnd() { return std::exchange(epoch_ended_, false); }

  // Goes on with the end, when no call follows. The last agreement begins when the ones before are complete, and when
  // it is complete the loop is at its end. With Wait::kNo it goes as far as it can and never waits for another rank;
  // with kToLastStart it waits until the last agreement has begun, which all ranks begin as they do the same; with
  // kToEnd it waits until that is complete. Returns true at the end. It is local, so that ranks may end loops in any
  // order.
  enum class Wait : std::uint8_t { kNo, kToLastStart, kToEnd };
  bool advanceEnd(Wait wait);
  // Makes the end do without a last agreement: the stamps of the epoch that is running are lost.
  void forgoLastAgreement() { last_started_ = true; }
  // Notes that MPI failed with this code: nothing is agreed any more, and the channel is broken.
  void breakDown(int code);

  CallSites& sites() { return sites_; }
  KeyTable& keys() { return keys_; }
  const KeyTable& keys() const { return keys_; }
  // Returns whether some rank has a device driver, as far as the ranks have told each other.
  bool hasDeviceDriver() const { return has_device_driver_; }

  // Has the records for the database, on rank 0.
  RootLearner& learner() { return learner_; }
  bool hasLearned() const { return learner_.isLearning() && keys_.size() > 0; }

 private:
  static constexpr std::int32_t kNoCall = -1;  // is watched: the ranks tell each other how long they have rested

  bool isRoot() const { return channel_.rank() == 0; }
  bool isAgreeing() const { return agreement_ && (agreement_->epochIsOpen() || agreement_->decisionsAreOpen()); }
  void assignKey(const SiteTracker::Call& call, EpochCall& report);
  bool isEndReady(Wait wait);
  void limitCalls();
  void judgeWatched();
  int attendRest();
  int goOnWatching(std::int32_t key, const std::optional<std::int64_t>& elapsed_ns);
  // Does some of what the ranks agree on, and notes how long it took beside the calls.
  template <typename Work>
  int beside(const Work& work) {
    const Clock& clock = *services_.clocks.clock;
    const Seconds begin = clock.now();
    const int code = work();
    if (services_.preparations != nullptr) services_.preparations->noteAgreeing(clock.now() - begin);
    return code;
  }

  // These functions are in epoch_loop_agreement.cc, in the order in which they run. The calls of a first epoch have
  // kMinRoom of memory, whatever it teaches.
  static constexpr std::size_t kMinRoom = std::size_t{64} << 10;
  int closeEpoch();
  void limitEpoch() { calls_.setLimit(lengths_.limit(rest_.isPlanned())); }
  void reserveForNewCalls();
  bool makeRoom();
  int goOnAgreeing();
  int takeEpoch();
  int startDecisions();
  int learnDecisions();
  bool bringsCycle(DecisionReader reader);
  void applyDecisions();
  static void rejectDecisions(const Status& status);
  template <typename Step>
  int timed(const Step& step);

  const SessionServices& services_;
  Channel& channel_;
  PlanMemory& memory_;
  Reserve reserve_;  // of what follows
  EpochCalls calls_;
  CallSites sites_;
  SiteTracker tracker_{&reserve_};
  KeyTable keys_{&reserve_};
  PlanUpdate update_;  // the one that is being read
  EpochLengths lengths_;
  CallsAtRest rest_;
  RootLearner learner_;
  StampClock stamp_clock_;
  std::unique_ptr<Agreement> agreement_;
  std::unique_ptr<CallWatch> call_watch_;
  AgreementStep latest_step_ = AgreementStep::kNone;  // since the latest call that was noted
  bool is_disturbed_ = false;                         // the latest call, by what had been begun before it
  bool decisions_are_known_ = false;                  // on all ranks; they take force when the epoch ends
  std::int32_t special_added_ = 0;                    // keys, in the epoch that is being taken
  bool epoch_ended_ = false;
  bool is_ending_ = false;
  bool last_started_ = false;
  bool has_device_driver_ = false;
  bool shares_memory_ = false;
  bool has_noted_all_ = true;
};

}  // namespace starling
