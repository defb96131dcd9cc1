// What the rooted collectives of one communicator, tuned_bcast and tuned_reduce, share: the channel on which their
// schedules run, and what the ranks agree on when it is opened.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "algos/link_costs.h"
#include "base/growing_memory.h"
#include "base/options.h"
#include "base/reserve.h"
#include "mpi/exchange/period_exchange.h"
#include "mpi/execution/channel.h"
#include "mpi/execution/native_call.h"
#include "mpi/machine/stamp_clock.h"
#include "mpi/rooted/rooted_counter.h"
#include "simulator/simulator.h"

namespace starling {

// Schedules that each function keeps: two for each root of which something is learned (by_root.h), so that programs
// that take turns in all of them, with vectors of one size or two, build none anew.
inline constexpr std::size_t kMaxRootedSchedules = 256;

// Returns in whole numbers what rooted plans are made from.
LinkCosts linkCostsOf(const CostModel& model);

// All ranks call all functions, except those that only answer a question, in the order of the program's calls.
// THREADS: not thread-safe; one per communicator.
class RootedChannel {
 public:
  RootedChannel(MPI_Comm communicator, const Options& options, const ClockKnowledge& clocks);

  // Every call is left to the MPI library; its other arguments may be those of a rank where they mean nothing.
  bool passesThrough() const { return !channel_.isTunable() || channel_.isBroken() || options_.mode != Mode::kTune; }

  // Counts a call. False: it is left to the MPI library, on all ranks. The first call that is not makes the private
  // communicator, and the first one of each memory agrees on that: both wait for all ranks, who do not make a call that
  // MPI refuses here, as `repeated` of keepThrown() tells.
  template <typename Repeated>
  bool admits(const RootedCounter::Call& call, AgreedMemory& memory, const Repeated& repeated) {
    if (!countsAsWorthIt(call, memory)) return false;
    if (channel_.isOpen() && memory.isAgreed()) return !channel_.isBroken();
    if (isRefusedAlone(repeated)) return false;
    return opensFor(memory);
  }
  // As RootedCounter::forgetLatest().
  void forgetCall() { counter_.forgetLatest(); }

  // Leaves a call to the MPI library, as keepThrown() does, and forgets it where it is refused.
  template <typename Native, typename Repeated>
  int callNative(const Native& native, const Repeated& repeated) {
    const int code = keepThrown(thrown_, native, repeated);
    if (isRefusal(code)) forgetCall();
    return code;
  }
  // Tells the program of an error of Starling's own.
  void tellError(int code) { starling::tellError(&thrown_, communicator(), code); }
  // Throws what the program's own code threw in the latest call, if it did.
  void throwKept() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

  // All ranks have memory for the call; those that have not try to get it at once, which waits for all of them.
  bool ensureMemory(std::int64_t bytes, AgreedMemory& memory) const { return channel_.ensureMemory(bytes, memory); }

  // Makes room for one vector beside the program's, or for operands that come in to be reduced. Returns false when
  // memory is short.
  bool growVector(std::size_t bytes) { return vector_.grow(bytes); }
  bool growScratch(std::size_t bytes) { return channel_.executor().reserve(bytes); }
  std::byte* vector() { return vector_.data(); }

  // Runs one call's schedule and tells the program's error handler of errors. Returns an MPI error code.
  int run(const PreparedSchedule& prepared, Executor::Call call);
  // When the latest run had its first message; empty: it had none.
  const std::optional<Seconds>& firstReceipt() const { return channel_.executor().firstReceipt(); }

  // Is called after each call of a period.
  void advanceExchange(PeriodExchange& exchange);
  // Takes the result of the exchange that began a period ago, at the end of a period of calls or of the communicator.
  // Returns false when there is no result.
  bool takeExchange(PeriodExchange& exchange);
  // Of the latest exchange, when no call follows: true when it is complete. Waits for it only with `may_wait`.
  bool endExchange(PeriodExchange& exchange, bool may_wait);
  // Begins the next one.
  void startExchange(PeriodExchange& exchange, const PeriodExchange::Figures& figures);

  MPI_Comm communicator() const { return channel_.original(); }
  MPI_Comm privateCommunicator() const { return channel_.communicator(); }
  int rank() const { return channel_.rank(); }
  int ranks() const { return channel_.ranks(); }
  const Options& options() const { return options_; }
  const Clock& clock() const { return *clocks_.clock; }
  const StampClock& stampClock() const { return stamp_clock_; }
  const LinkCosts& costs() const { return costs_; }

  // Room to plan, build and run a schedule that takes so many bytes. Returns false when memory is short.
  bool growScheduleMemory(std::int64_t bytes) { return schedule_reserve_.grow(static_cast<std::size_t>(bytes)); }
  std::pmr::memory_resource* scheduleMemory() { return &schedule_reserve_; }
  // To be called before each schedule is sought in a cache that takes its memory here: what an earlier call took from
  // the reserve is given back, so that all of it is there.
  template <typename Cache>
  void restoreReserve(Cache& schedules) {
    if (!schedule_reserve_.wasUsed()) return;
    schedules.clear();
    channel_.executor().releaseMemory();
    schedule_reserve_.forgetUse();
  }

  // Whether this holds on all ranks. Waits for them.
  bool isSoEverywhere(bool is_so) const { return channel_.leastOfAll(is_so ? 1 : 0) == 1; }

 private:
  bool countsAsWorthIt(const RootedCounter::Call& call, AgreedMemory& memory);
  bool opensFor(AgreedMemory& memory);
  void open();
  void breakDown(int code);

  const Options& options_;
  const ClockKnowledge clocks_;
  Reserve schedule_reserve_;  // of both functions, whose calls come one after another
  Channel channel_;
  StampClock stamp_clock_;
  LinkCosts costs_;
  RootedCounter counter_;
  GrowingMemory vector_;
  std::exception_ptr thrown_;
};

}  // namespace starling
