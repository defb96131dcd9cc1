// What the rooted collectives of one communicator, tuned_bcast and tuned_reduce, share: a private communicator, what
// the ranks agree on when it is made, memory, and the way in which schedules are run.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "algos/link_costs.h"
#include "base/clock.h"
#include "base/options.h"
#include "mpi/executor.h"
#include "mpi/period_exchange.h"
#include "mpi/rooted_memory.h"

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

  // Every call is left to the MPI library; its other arguments may be those of a rank where they mean nothing.
  bool passesThrough() const { return ranks_ <= 1 || is_intercommunicator_ || broken_ || options_.mode != Mode::kTune; }

  // Whether the first calls of a communicator (STARLING_MINIMUM_CALLS) are left to the MPI library.
  enum class Start : std::uint8_t { kWhenWorthIt, kAtOnce };
  // Counts a call of so many bytes. False: it is left to the MPI library, on all ranks. The first call that is not
  // makes the private communicator, and the first one of each memory agrees on that: both wait for all ranks.
  bool admits(std::int64_t bytes, int root, RootedMemory& memory, Start start);

  // All ranks have memory for the call; those that have not try to get it at once, which waits for all of them.
  bool findMemory(std::int64_t bytes, RootedMemory& memory);

  // Room for one vector beside the program's, and for what comes in to be reduced. False: memory is short.
  bool growVector(std::size_t bytes);
  bool growScratch(std::size_t bytes) { return executor_.reserve(bytes); }
  std::byte* vector() { return vector_.get(); }

  // Runs one call's schedule; the program hears of errors. Returns an MPI error code.
  int run(const PreparedSchedule& prepared, Executor::Call call);
  // When the latest run had its first message; empty: it had none.
  const std::optional<Seconds>& firstReceipt() const { return executor_.firstReceipt(); }

  // At the end of a period of calls, or of the communicator: takes the result of the exchange that began a period ago.
  // True: there is one.
  bool takeExchange(PeriodExchange& exchange);
  // Begins the next one.
  void startExchange(PeriodExchange& exchange, const PeriodExchange::Figures& figures);

  MPI_Comm communicator() const { return communicator_; }
  MPI_Comm privateCommunicator() const { return private_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  const Options& options() const { return options_; }
  const Clock& clock() const { return clock_; }
  bool clocksAgree() const { return clocks_agree_; }
  const LinkCosts& costs() const { return costs_; }

 private:
  void open();
  void agreeOnCosts();
  std::int64_t leastOfAll(std::int64_t capacity);
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
  std::size_t vector_bytes_ = 0;
};

}  // namespace starling
