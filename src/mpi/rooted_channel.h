// What the rooted collectives of one communicator, tuned_bcast and tuned_reduce, share: a private communicator, what
// the ranks agree on when it is made, memory, and the way in which schedules are run.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "algos/link_costs.h"
#include "base/clock.h"
#include "base/options.h"
#include "mpi/executor.h"
#include "mpi/period_exchange.h"

namespace starling {

// All functions but the plain questions are called by all ranks alike, in the order of the program's calls.
// THREADS: not thread-safe; one per communicator.
class RootedChannel {
 public:
  // `clock_offset`: of this process's clock, for tests.
  RootedChannel(MPI_Comm communicator, const Options& options, const Clock& clock, Seconds clock_offset);
  ~RootedChannel();
  RootedChannel(const RootedChannel&) = delete;
  RootedChannel& operator=(const RootedChannel&) = delete;

  // Counts a call of so many bytes. False: it is left to the MPI library, on all ranks. In the call after the last one
  // that a communicator makes before it is worth it, makes the private communicator, which waits for all ranks.
  bool admits(std::int64_t bytes, int root);

  // Every rank has memory for one vector of this size beside the program's, and as much for what comes in to be
  // reduced. Else the call is left to the MPI library; such calls follow when all ranks have more. In reproducible mode
  // the ranks try at once, which waits for all of them: what is left to MPI must not depend on the calls before.
  bool hasMemoryFor(std::int64_t bytes);
  // The one vector. REQUIRES: hasMemoryFor() the call.
  std::byte* vector() { return vector_.get(); }

  // Runs one call's schedule; the program hears of errors. Returns an MPI error code.
  int run(const PreparedSchedule& prepared, Executor::Call call);
  // When the latest run had its first message; empty: it had none.
  const std::optional<Seconds>& firstReceipt() const { return executor_.firstReceipt(); }

  // At the end of a period of calls: takes the result of the exchange that began a period ago. True: there is one.
  bool takeExchange(PeriodExchange& exchange);
  // Begins the next one, with what this rank has measured and what its calls took on average.
  void startExchange(PeriodExchange& exchange, std::int64_t value, std::int64_t duration_ns);

  MPI_Comm communicator() const { return communicator_; }
  MPI_Comm privateCommunicator() const { return private_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  const Options& options() const { return options_; }
  const Clock& clock() const { return clock_; }
  bool clocksAgree() const { return clocks_agree_; }
  const LinkCosts& costs() const { return costs_; }

 private:
  bool passesThrough() const { return ranks_ <= 1 || is_intercommunicator_ || broken_ || options_.mode != Mode::kTune; }
  void open();
  void agreeOnCosts();
  void agreeOnMemory();
  // Memory that this rank has after it tried to get enough for the largest call so far.
  std::int64_t reserve();
  void breakDown(int code);

  const MPI_Comm communicator_;
  const Options& options_;
  const Clock& clock_;
  const Seconds clock_offset_;
  int rank_ = 0;
  int ranks_ = 1;
  bool is_intercommunicator_ = false;
  bool broken_ = false;  // something failed between the ranks: everything passes through from then on

  MPI_Comm private_ = MPI_COMM_NULL;
  int highest_tag_ = 0;
  bool clocks_agree_ = false;
  LinkCosts costs_;
  std::int64_t calls_ = 0;
  std::int64_t executed_calls_ = 0;

  Executor executor_;
  std::unique_ptr<std::byte[]> vector_;
  std::int64_t vector_bytes_ = 0;
  std::int64_t largest_call_ = 0;  // bytes
  std::int64_t agreed_memory_ = 0;
  // So much this rank could not get; so much some rank could not, as all know. Not asked for again.
  std::int64_t refused_here_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t refused_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace starling
