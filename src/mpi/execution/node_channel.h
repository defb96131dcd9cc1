// Runs the calls of the row `node` where the ranks of a communicator share memory.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algos/catalogue.h"
#include "base/clock.h"
#include "mpi/execution/executor.h"
#include "mpi/execution/shared_memory.h"
#include "node/node_allreduce.h"
#include "simulator/simulator.h"

namespace starling {

// All ranks of the communicator call open() and run() alike. THREADS: not thread-safe; one per communicator.
class NodeChannel {
 public:
  // More ranks do not share memory.
  static constexpr std::int32_t kMostRanks = 256;

  // Returns null, on all ranks, where they cannot share memory, or one of them does not want to. Waits for all of them.
  // The private communicator outlives the channel; no message ever has the tag `idle_tag` there, for which waiting
  // ranks ask. Throws std::bad_alloc as SharedMemory::map() does.
  static std::unique_ptr<NodeChannel> open(MPI_Comm private_communicator, int idle_tag, bool may_share,
                                           bool is_crowded);

  struct Call {
    const void* send = nullptr;  // MPI_IN_PLACE, or the same as `receive`, where that holds the input
    void* receive = nullptr;
    std::int64_t count = 0;
    const Reducer& reducer;
    const ParameterValues& parameters;  // of the row
    // As in Arrangement: the ranks that come last combine nothing for the others.
    std::span<const std::int32_t> table{};
    std::span<const std::int64_t> lateness_ns{};
    bool may_reorder = false;  // operands may be combined in any order: then late ranks' come last
  };
  // Returns whether there is a way for elements and operation: elements with gaps are copied by a kernel, which leaves
  // these alone.
  static bool canRun(const Reducer& reducer) { return !reducer.has_gaps || reducer.kernel != nullptr; }
  // REQUIRES: canRun(call.reducer). What a user's operation does wrong it tells nobody, as in MPI.
  void run(const Call& call);

  // Finds what such calls cost on this rank, and adds it to the model. All ranks call it alike.
  void probe(const Clock& clock, CostModel& model);

 private:
  void findLate(const Call& call);
  // What a rank that waits asks the MPI library for.
  struct Idle {
    MPI_Comm communicator = MPI_COMM_NULL;
    int tag = 0;
  };
  NodeChannel(SharedMemory memory, const NodeLayout& layout, const Idle& idle, int rank, bool is_crowded);
  static void drive(const void* idle);

  SharedMemory memory_;
  const Idle idle_;
  NodeAllreduce allreduce_;
  std::vector<std::int32_t> late_;  // of the call
};

}  // namespace starling
