// Running one rank's schedule with nonblocking point-to-point operations.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algos/schedule.h"
#include "base/clock.h"
#include "mpi/reduction.h"

namespace starling {

// How two blocks are combined: an own kernel, or the user's operation through MPI_Reduce_local.
struct Reducer {
  ReductionKernel kernel = nullptr;  // null: use `operation`
  MPI_Op operation = MPI_OP_NULL;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  std::size_t element_size = 0;  // bytes from one element to the next
};

// A schedule with what a run needs ready: steps by lane and kind, what waits for what, and the scratch it wants.
class PreparedSchedule {
 public:
  explicit PreparedSchedule(Schedule schedule);

  const Schedule& schedule() const { return schedule_; }
  // Elements of scratch without which it cannot run: side slots, and the largest block that is received to be reduced.
  std::int64_t leastScratch() const { return side_elements_ + largest_reduction_; }

 private:
  friend class Executor;
  struct Queue {
    std::vector<std::uint32_t> sends;
    std::vector<std::uint32_t> receives;
  };

  void linkDependents();

  Schedule schedule_;
  std::vector<std::uint32_t> first_dependent_;  // by step, into dependents_; one more than there are steps
  std::vector<std::uint32_t> dependents_;
  std::vector<std::uint32_t> independent_combines_;  // wait for no step
  std::int64_t side_elements_ = 0;
  std::array<Queue, kMaxLanes> queues_;
  std::int64_t largest_reduction_ = 0;
  std::int32_t landings_ = 0;  // kReduce messages that may be in flight
};

// Owns the scratch memory of one communicator and runs its schedules, one at a time. No allocation once it has run the
// largest schedule. THREADS: not thread-safe.
class Executor {
 public:
  // Makes room for `bytes` of scratch. False: memory is short, and the capacity is as before.
  bool reserve(std::size_t bytes);
  std::size_t capacity() const { return capacity_; }

  struct Call {
    MPI_Comm communicator = MPI_COMM_NULL;  // private: nothing else uses its tags
    std::span<const std::int32_t> table;    // virtual rank -> rank; empty = identity
    int first_tag = 0;
    void* work = nullptr;  // the input; the result afterwards
    Reducer reducer;
    const Clock* clock = nullptr;  // set: firstReceipt() is stamped
  };
  // Returns an MPI error code. REQUIRES: capacity() holds prepared.leastScratch() elements.
  int run(const PreparedSchedule& prepared, const Call& call);

  // When the latest run had its first message, if it had one and was given a clock.
  const std::optional<Seconds>& firstReceipt() const { return first_receipt_; }

 private:
  // Progress of one lane.
  struct Lane {
    std::size_t next_send = 0;
    std::size_t next_receive = 0;
    std::int32_t sends_in_flight = 0;
    std::int32_t receives_in_flight = 0;
  };
  struct Flight {
    std::uint32_t step = 0;
    int landing = -1;  // of scratch; negative: none
  };

  void begin(const PreparedSchedule& prepared, const Call& call);
  int runSteps(const PreparedSchedule& prepared, const Call& call);
  void abandon(const Schedule& schedule);
  int startWhatCan(const PreparedSchedule& prepared, const Call& call);
  int startSends(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index);
  int startReceives(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index);
  int start(const Schedule& schedule, const Flight& flight, const Call& call);
  // A message has come or gone.
  int land(const PreparedSchedule& prepared, const Call& call, std::size_t position);
  int combineWhatCan(const PreparedSchedule& prepared, const Call& call);
  void finish(const PreparedSchedule& prepared, const Flight& flight);
  static int combine(const Step& step, std::byte* incoming, std::byte* local, const Call& call);
  std::byte* blockAddress(const Schedule& schedule, const Block& block, std::int32_t slot, const Call& call);
  std::byte* landingAddress(int slot) { return scratch_.get() + static_cast<std::size_t>(slot) * landing_bytes_; }

  std::unique_ptr<std::byte[]> scratch_;
  std::size_t capacity_ = 0;       // of scratch_, bytes
  std::size_t landing_bytes_ = 0;  // scratch begins with the landings of kReduce messages, each of this size
  std::size_t side_begin_ = 0;     // where the side slots follow, bytes
  std::array<Lane, kMaxLanes> lanes_;
  std::vector<int> free_landings_;
  std::vector<std::uint32_t> pending_;  // by step: dependencies that are not done
  std::size_t steps_done_ = 0;
  std::optional<Seconds> first_receipt_;
  std::vector<MPI_Request> requests_;  // in flight: sends, then receives in program order
  std::size_t sends_in_flight_ = 0;    // the first so many
  std::vector<Flight> flights_;        // parallel to requests_
  std::vector<Flight> landed_;         // kReduce messages that wait to be combined
  std::vector<Flight> combinable_;     // and what may be
};

}  // namespace starling
