// Tunes one communicator, call by call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "mpi/arrival_arrangement.h"
#include "mpi/epoch_loop.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/channel.h"
#include "mpi/execution/node_channel.h"
#include "mpi/execution/plan_memory.h"
#include "mpi/execution/plan_schedules.h"
#include "mpi/execution/planned_call.h"
#include "mpi/rooted/rooted_calls.h"
#include "tuner/forced_choice.h"

namespace starling {

// A session is attached to the user's communicator. THREADS: not thread-safe; MPI forbids concurrent collectives on a
// communicator.
class Session {
 public:
  Session(MPI_Comm communicator, SessionServices services);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Does what MPI_Allreduce does on the session's communicator; returns an MPI error code.
  int allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                const CallOrigin& origin);

  // Returns what the next call, with these arguments, runs where it is only to be counted, which allreduceAtRest()
  // does; else null. It is asked of every call, which need not be valid.
  const RestingCall* restingCall(int count, MPI_Datatype datatype, MPI_Op op) {
    return loop_.restingCall(count, datatype, op);
  }
  int allreduceAtRest(const RestingCall& resting, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, const CallOrigin& origin);

  // Returns what makes the calls of tuned_bcast and tuned_reduce. It is apart from the rest and has a private
  // communicator of its own.
  RootedCalls& rooted() { return rooted_; }

  // Tells the other ranks when this one expects to make its next call: `fraction` of the computation before it is done,
  // 0 < fraction <= 1. With fraction 0 the computation begins now, not at the latest exit, and nobody is told. Never
  // waits. All ranks announce equally often between the same two calls. Nothing happens where calls pass through, nor
  // before the communicator has made enough of them.
  void announce(double fraction);

  // Opens the private communicator, and finds out once what the ranks run on. Waits for the other ranks. The session
  // does it itself after callsBeforePreparation() calls, or after one where SessionServices::promises_gain. REQUIRES:
  // it was not done, and there is something to tune between the ranks.
  void prepare(Channel::Creation creation = Channel::Creation::kIsToBeAsked);

  // Returns after how many calls on a communicator its ranks prepare tuning, and wait for each other, where no earlier
  // run promises a gain; 0: before the first.
  static std::int64_t callsBeforePreparation(const Options& options);

  // Returns the next site handle. It is collective.
  SiteId createSite(const char* label) { return loop_.sites().create(label); }

  // Gives up the memory that only calls need, because the program has freed the communicator.
  void park();
  // Brings what is under way between the ranks to its end, when no call follows; `wait` means what it does for
  // EpochLoop::advanceEnd(). Returns true when there is nothing left, so that the session can be destroyed without
  // waiting for other ranks. It is local.
  bool advanceEnd(EpochLoop::Wait wait);

  // Records and keys belong to the loop.
  EpochLoop& loop() { return loop_; }
  const KeyTable& keys() const { return loop_.keys(); }
  // Returns the table, virtual rank -> rank, of the key's plan, or that of the latest call where that was one of this
  // key and followed announcements; empty = identity. REQUIRES: 0 <= key < keys().size().
  std::span<const std::int32_t> tableOf(std::int32_t key) const;
  bool isRoot() const { return channel_.rank() == 0; }
  int ranks() const { return channel_.ranks(); }
  // Returns whether all ranks are of one MPI_COMM_WORLD.
  bool isWithinWorld() const { return services_.is_within_world; }
  MPI_Comm communicator() const { return channel_.original(); }

 private:
  struct Execution {
    PlannedChoice planned;
    std::int32_t key = -1;
    bool follows_plan = false;    // counts among the calls of the key's plan
    bool is_passed_over = false;  // native runs since what was planned cannot
    bool follows_twin =
        false;  // the key is another one, or one that was foretold, since the call's own has no plan yet
    Arrangement arrangement;
    bool is_sampled = false;
    bool is_watched = false;  // all ranks look at how long the call takes
    bool on_device = false;   // this rank's buffers, or some rank's where the ranks have agreed on that
    std::int64_t weight = 0;  // for so many calls that are not stamped its time stands
    std::int64_t arrival_ns = 0;
    std::int64_t exit_ns = 0;

    bool isTimed() const { return is_sampled || is_watched || weight > 0; }
    std::optional<CallStamps> stamps() const {
      return is_sampled ? std::optional(CallStamps{arrival_ns, exit_ns}) : std::nullopt;
    }
    EpochCall asCall() const;
  };

  // Own tags of the channel: those of arrivals, and one that no message has.
  static constexpr int kIdleTag = ArrivalArrangement::kTags;
  static constexpr int kOwnTags = kIdleTag + 1;

  const Options& options() const { return services_.settings.options; }
  bool passesThrough() const { return !channel_.isTunable() || channel_.isBroken() || options().mode == Mode::kOff; }
  bool hasFixedChoice() const { return callsBeforePreparation(options()) == 0; }
  // Tells what a call is. Those pass through that a chosen row might be wrong for, if the user has not fixed the row.
  CallKind kindOf(int count, MPI_Datatype datatype, MPI_Op op) const;
  bool keepsRankOrder(const CallKind& kind) const { return options().reproducible || !kind.signature.commutative; }
  // What a rank has to say at preparation; the least of all counts.
  enum : std::int64_t { kShortOfMemory, kHasDriver, kHasNoDriver };
  // These functions are in session_prepare.cc, as prepare() is.
  // Returns whether earlier runs have learned for as many ranks, as all ranks know. Collective.
  bool knowsEarlierRuns();
  SharedCosts findCosts() const;
  bool takeMemory();

  Execution plan(const CallKind& kind, SiteId site);
  Choice fixedChoice(const Shape& shape, const KeyPlan* plan) const;
  std::optional<Choice> readForcedChoice() const;
  bool isExecutable(const Choice& choice, const Shape& shape, const CallKind& kind);
  // Returns whether some rank's buffers of this call are on a device, which all ranks find alike. Waits for the other
  // ranks.
  bool isOnSomeDevice(bool on_device) const;
  // Arranges the call by announcements, where there are any, or else by the plan. It waits for announcements. Returns
  // an MPI error code.
  int arrange(Execution& execution, const CallKind& kind);
  void dropAnnouncements();
  // Lets flags name late ranks, where the choice wants it. Waits for the other ranks to arrive. Returns an MPI error
  // code.
  int flag(Execution& execution, const CallKind& kind);
  // Returns this rank's schedule; null where the choice has none, or there are not enough tags for it, which all ranks
  // find alike. In reproducible mode, where tags are short, it returns that of a row that needs few.
  const PreparedSchedule* findSchedule(Execution& execution, const CallKind& kind);
  void restoreReserve();
  const PreparedSchedule* scheduleWithinTags(const Execution& execution, const CallKind& kind);
  PlannedCall plannedCall(const Execution& execution, const void* sendbuf, void* recvbuf, const CallKind& kind) const;
  bool isInSharedMemory(const Choice& choice, const Reducer& reducer) const {
    return isInMemory(node_.get(), topology_, choice, reducer);
  }
  void keepOffDevices(Execution& execution, const void* sendbuf, const void* recvbuf, int count) const;
  void endCall(Execution& execution, int code);
  void watch(const Execution& execution);
  void restIfDue();
  void endEpochIfDue();
  void breakDown(int code);

  const SessionServices services_;
  Reserve schedule_reserve_;  // for one schedule, to be built and run
  Channel channel_;
  // The choice is read once, since reading takes memory, which calls must not.
  const std::optional<Choice> forced_choice_;  // empty: none, or not understood
  const Choice least_reproducible_ = leastReproducible();
  PlanMemory memory_{channel_, schedule_reserve_};
  EpochLoop loop_;
  PlanSchedules schedules_{&schedule_reserve_};
  std::unique_ptr<NodeChannel> node_;             // null: the ranks of this node share no memory
  Topology topology_;                             // by rank; gathered when the channel is opened
  std::unique_ptr<ArrivalArrangement> arrivals_;  // made when the channel is opened
  std::int32_t announced_key_ = -1;               // of the latest call, if that followed announcements
  RootedCalls rooted_;
};

}  // namespace starling
