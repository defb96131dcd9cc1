// Running one rank's schedule with nonblocking point-to-point operations.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algos/schedule.h"
#include "mpi/reduction.h"

namespace starling {

// How two blocks are combined: an own kernel, or the user's operation through MPI_Reduce_local.
struct Reducer {
  ReductionKernel kernel = nullptr;  // null: use `operation`
  MPI_Op operation = MPI_OP_NULL;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  std::size_t element_size = 0;  // bytes from one element to the next
};

// A schedule with what a run needs ready: steps by lane and kind, and the scratch it wants.
class PreparedSchedule {
 public:
  explicit PreparedSchedule(Schedule schedule);

  const Schedule& schedule() const { return schedule_; }
  // Elements of the largest block that is received to be reduced.
  std::int64_t largestReduction() const { return largest_reduction_; }

 private:
  friend class Executor;
  struct Queue {
    std::vector<std::uint32_t> sends;
    std::vector<std::uint32_t> receives;
  };

  Schedule schedule_;
  std::array<Queue, kMaxLanes> queues_;
  std::int64_t largest_reduction_ = 0;
  std::int32_t scratch_slots_ = 0;
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
  };
  // Returns an MPI error code. REQUIRES: capacity() holds prepared.largestReduction() elements.
  int run(const PreparedSchedule& prepared, const Call& call);

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
    int slot = -1;  // of scratch; negative: none
  };

  void begin(const PreparedSchedule& prepared, const Call& call);
  int runSteps(const PreparedSchedule& prepared, const Call& call);
  void abandon(const Schedule& schedule);
  bool isReady(const Schedule& schedule, const Step& step) const;
  int startWhatCan(const PreparedSchedule& prepared, const Call& call);
  int startSends(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index);
  int startReceives(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index);
  int start(const Step& step, std::uint32_t index, int slot, const Call& call);
  // A message has come or gone.
  int land(const Schedule& schedule, const Call& call, std::size_t position);
  void finish(const Schedule& schedule, const Flight& flight);
  int combine(const Step& step, int slot, const Call& call);
  static std::byte* blockAddress(const Step& step, const Call& call);
  std::byte* slotAddress(int slot) { return scratch_.get() + static_cast<std::size_t>(slot) * slot_bytes_; }

  std::unique_ptr<std::byte[]> scratch_;
  std::size_t capacity_ = 0;  // of scratch_, bytes
  std::size_t slot_bytes_ = 0;
  std::array<Lane, kMaxLanes> lanes_;
  std::vector<int> free_slots_;      // of scratch
  std::vector<unsigned char> done_;  // by step
  std::size_t steps_done_ = 0;
  std::vector<MPI_Request> requests_;  // in flight: sends, then receives in program order
  std::size_t sends_in_flight_ = 0;    // the first so many
  std::vector<Flight> flights_;        // parallel to requests_
  std::vector<Flight> landed_;         // in scratch, not yet combined
};

}  // namespace starling
