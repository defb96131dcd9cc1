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
#include "mpi/execution/node_memory.h"
#include "mpi/execution/node_shares.h"
#include "node/node_call.h"
#include "schedule/schedule.h"
#include "simulator/simulator.h"

namespace starling {

// All ranks of the node call what follows alike. THREADS: not thread-safe; one per communicator.
class NodeChannel {
 public:
  // `ranks` has the ranks of the communicator whose calls these are that have the memory, in the same order; `idle` is
  // asked while a rank waits.
  NodeChannel(std::shared_ptr<NodeMemory> memory, std::vector<std::int32_t> ranks, const NodeMemory::Idle& idle);

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
  bool mayRead() const { return memory_->mayRead(); }
  // Returns whether there is a way for elements and operation: elements with gaps are copied by a kernel, which leaves
  // these alone.
  static bool canRun(const Reducer& reducer) { return !reducer.has_gaps || reducer.kernel != nullptr; }
  // Makes a call of a row of runsInMemory(). What a user's operation does wrong it tells nobody, as in MPI. REQUIRES:
  // canRun(call.reducer), and the node has all ranks of the communicator.
  void run(const Call& call);

  // Begins what Schedule::shares tells of a call, the parts of which it makes through memory. One lives at a time.
  // REQUIRES: canRun(call.reducer).
  NodeShares share(const Call& call, const Schedule& schedule);

  // These are as in NodeMemory.
  Seconds takeTimeOfLooking() { return memory_->takeTimeOfLooking(); }
  void populate(std::int64_t bytes) { memory_->populate(bytes); }

  // Finds what such calls cost on this rank, and adds it to the model. All ranks call it alike.
  void probe(const Clock& clock, CostModel& model);

 private:
  Seconds leastTimeOf(std::int32_t algorithm, std::span<float> values, std::int64_t count, const Clock& clock);
  NodeCall onNode(const Call& call) const;
  void findLate(const Call& call);

  const std::shared_ptr<NodeMemory> memory_;
  const std::vector<std::int32_t> ranks_;  // of the communicator, ascending
  const NodeMemory::Idle idle_;
  const std::int64_t past_caches_from_;  // bytes of a vector
  std::vector<std::int32_t> late_;       // of the call
  std::vector<NodeShare> shares_;        // likewise, within the node
};

}  // namespace starling
