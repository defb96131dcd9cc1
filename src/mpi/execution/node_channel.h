// Runs calls, or parts of calls, through memory that the ranks of a node share.
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
#include "node/node_layout.h"
#include "schedule/schedule.h"
#include "simulator/simulator.h"

namespace starling {

// All ranks of the node call open() and what follows alike. THREADS: not thread-safe; one per communicator.
class NodeChannel {
 public:
  // More ranks do not share memory.
  static constexpr std::int32_t kMostRanks = 256;

  // What a rank that waits asks the MPI library for: a message that never comes.
  struct Idle {
    MPI_Comm communicator = MPI_COMM_NULL;  // private, and outlives the channel
    int tag = 0;                            // of no message there
  };
  // Returns null, on all ranks, where they cannot share memory, or one of them does not want to. Waits for all of them.
  // `node_communicator` has the ranks of this one's node, and may be freed afterwards; `ranks` has those of them in the
  // communicator whose calls these are, in the same order.
  static std::unique_ptr<NodeChannel> open(MPI_Comm node_communicator, std::vector<std::int32_t> ranks,
                                           const Idle& idle, bool may_share, bool is_crowded);

  struct Call {
    const void* send = nullptr;  // MPI_IN_PLACE, or the same as `receive`, where that holds the input
    void* receive = nullptr;
    std::int64_t count = 0;
    const Reducer& reducer;
    const Choice& choice;  // a row of runsInMemory(), where the whole call is made
    // As in Arrangement: the ranks that come last combine nothing for the others.
    std::span<const std::int32_t> table{};
    std::span<const std::int64_t> lateness_ns{};
    bool may_reorder = false;  // operands may be combined in any order: then late ranks' come last
  };
  // Returns whether the node has all ranks of the communicator.
  bool hasAll(const Topology& topology) const { return ranks_.size() == topology.nodes.size(); }
  // Returns whether the row node_read is another one than `node` here. The same on all ranks.
  bool mayRead() const { return may_read_; }
  // Returns whether there is a way for elements and operation: elements with gaps are copied by a kernel, which leaves
  // these alone.
  static bool canRun(const Reducer& reducer) { return !reducer.has_gaps || reducer.kernel != nullptr; }
  // Makes a call of a row of runsInMemory(). What a user's operation does wrong it tells nobody, as in MPI. REQUIRES:
  // canRun(call.reducer), and the node has all ranks of the communicator.
  void run(const Call& call);

  // These are the parts of a call that Schedule::shares tells. REQUIRES: canRun(call.reducer).
  void reduceScatter(const Call& call, std::span<const OwnedBlock> shares);
  void gather(const Call& call, std::span<const OwnedBlock> shares);

  // Makes the pages of buffers be there that this rank writes in calls with vectors of so many bytes. It is local.
  void populate(std::int64_t bytes);

  // Finds what such calls cost on this rank, and adds it to the model. All ranks call it alike.
  void probe(const Clock& clock, CostModel& model);

 private:
  NodeChannel(SharedMemory memory, const NodeLayout& layout, std::vector<std::int32_t> ranks, const Idle& idle,
              int rank, bool is_crowded, bool may_read);
  Seconds leastTimeOf(std::int32_t algorithm, std::span<float> values, std::int64_t count, const Clock& clock);
  static void drive(const void* idle);
  NodeCall onNode(const Call& call) const;
  void findLate(const Call& call);
  NodeCall inShares(const Call& call, std::span<const OwnedBlock> shares);

  SharedMemory memory_;
  const NodeLayout layout_;
  const std::int32_t rank_;                // on the node
  std::int64_t populated_ = 0;             // bytes of each buffer
  const std::vector<std::int32_t> ranks_;  // of the communicator, ascending
  const Idle idle_;
  const bool may_read_;                  // each rank may read the others' memory
  const std::int64_t past_caches_from_;  // bytes of a vector
  NodeAllreduce allreduce_;
  std::vector<std::int32_t> late_;  // of the call
  std::vector<NodeShare> shares_;   // likewise
};

}  // namespace starling
