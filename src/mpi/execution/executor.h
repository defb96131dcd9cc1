// Runs one rank's schedule with nonblocking point-to-point operations.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/growing_memory.h"
#include "mpi/execution/reduction.h"
#include "schedule/prepared_schedule.h"

namespace starling {

// Tells how two blocks are combined: by a kernel of Starling's, or by the user's operation through MPI_Reduce_local.
struct Reducer {
  ReductionKernel kernel = nullptr;  // null: use `operation`
  MPI_Op operation = MPI_OP_NULL;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  std::size_t element_size = 0;  // bytes from one element to the next
  bool has_gaps = false;         // between members of an element, which belong to the program
};

// What makes the input of a run while it is under way, and takes its result.
class InputInParts {
 public:
  virtual ~InputInParts() = default;
  // Returns the element of the work vector before which the rank's input is there. Steps touch nothing else.
  virtual std::int64_t inputBefore() const = 0;
  // Returns whether all of it is there, and all of the result taken that is final: `oldest` is the first step in
  // program order that is not done. Then messages alone can change anything.
  virtual bool isIdle(const Step& oldest) const = 0;
  // Waits until `is_message_there` returns true for `context`, there is more of the input, or more of the result was
  // taken.
  virtual void await(const Step& oldest, bool (*is_message_there)(void* context), void* context) = 0;
};

// Owns the scratch memory of one communicator and runs its schedules, one at a time. What a run needs is allocated
// before its first message, and nothing once the largest schedule has run. THREADS: not thread-safe.
class Executor {
 public:
  // All memory but the scratch comes from `memory`, which outlives the executor.
  explicit Executor(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Makes room for `bytes` of scratch. Returns false when memory is short; the capacity is then as before.
  bool reserve(std::size_t bytes) { return scratch_.grow(bytes); }
  std::size_t capacity() const { return scratch_.size(); }

  struct Call {
    MPI_Comm communicator = MPI_COMM_NULL;  // private: nothing else uses its tags
    std::span<const std::int32_t> table;    // virtual rank -> rank; empty = identity
    int first_tag = 0;
    void* work = nullptr;  // the input; the result afterwards
    Reducer reducer;
    const Clock* clock = nullptr;  // set: firstReceipt() is stamped
    // The rank's input; null: all of it is there. REQUIRES: no step is a kCombine, where it is set.
    InputInParts* input = nullptr;
  };
  // Returns an MPI error code. REQUIRES: capacity() holds prepared.leastScratch() elements. Throws std::bad_alloc
  // before any message where memory is short: then no rank may have begun, which scheduleBytes() of src/algos serves to
  // ensure.
  int run(const PreparedSchedule& prepared, const Call& call);

  // Gives back what runs have allocated, but for the scratch.
  void releaseMemory();

  // Returns when the latest run had its first message, if it had one and was given a clock.
  const std::optional<Seconds>& firstReceipt() const { return first_receipt_; }

 private:
  // Holds the progress of one lane.
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

  void makeRoom(const PreparedSchedule& prepared);
  void begin(const PreparedSchedule& prepared, const Call& call);
  int runSteps(const PreparedSchedule& prepared, const Call& call);
  int awaitMessage(int& position);
  int awaitMessageOrInput(const PreparedSchedule& prepared, const Call& call, int& position);
  bool mayTouch(const Step& step) const { return step.block.offset + step.block.count <= input_before_; }
  void abandon(const Schedule& schedule);
  int startWhatCan(const PreparedSchedule& prepared, const Call& call);
  int startSends(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index);
  int startReceives(const PreparedSchedule& prepared, const Call& call, std::size_t lane_index);
  int start(const Schedule& schedule, const Flight& flight, const Call& call);
  // Notes that a message has come or gone.
  int land(const PreparedSchedule& prepared, const Call& call, std::size_t position);
  int combineWhatCan(const PreparedSchedule& prepared, const Call& call);
  void finish(const PreparedSchedule& prepared, const Flight& flight);
  static int combine(const Step& step, std::byte* incoming, std::byte* local, const Call& call);
  std::byte* blockAddress(const Schedule& schedule, const Block& block, std::int32_t slot, const Call& call);
  std::byte* landingAddress(int slot) { return scratch_.data() + static_cast<std::size_t>(slot) * landing_bytes_; }

  GrowingMemory scratch_;
  std::size_t landing_bytes_ = 0;  // scratch begins with the landings of kReduce messages, each of this size
  std::size_t side_begin_ = 0;     // where the side slots follow, bytes
  std::array<Lane, kMaxLanes> lanes_;
  std::pmr::vector<int> free_landings_;
  std::pmr::vector<std::uint32_t> pending_;  // by step: dependencies that are not done, or that the step is
  std::size_t steps_done_ = 0;
  std::size_t oldest_ = 0;         // the first step that is not done
  std::int64_t input_before_ = 0;  // elements of the work vector that are there
  std::optional<Seconds> first_receipt_;
  std::pmr::vector<MPI_Request> requests_;  // in flight: sends, then receives in program order
  std::size_t sends_in_flight_ = 0;         // the first so many
  std::pmr::vector<Flight> flights_;        // parallel to requests_
  std::pmr::vector<Flight> landed_;         // kReduce messages that wait to be combined
  std::pmr::vector<Flight> combinable_;     // and what may be
};

}  // namespace starling
