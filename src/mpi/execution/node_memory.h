// What the ranks of a node make calls through, of one communicator or of several.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/processor_places.h"
#include "base/units.h"
#include "mpi/execution/shared_memory.h"
#include "node/node_allreduce.h"
#include "node/node_layout.h"

namespace starling {

// Memory that the ranks share, and this rank's place in the protocol of the calls that go through it. THREADS: not
// thread-safe; calls go through it one after the other, in the same order on all ranks.
class NodeMemory {
 public:
  // More ranks do not share memory.
  static constexpr std::int32_t kMostRanks = 256;

  // What a rank that waits asks the MPI library for: a message that never comes.
  struct Idle {
    MPI_Comm communicator = MPI_COMM_NULL;  // private, and outlives the calls in which it is asked
    int tag = 0;                            // of no message there
  };

  // Returns null, on all ranks, where they cannot share memory, or `may_share` is false on one of them. Collective;
  // waits for all ranks of the communicator. `is_crowded`, that there are more ranks than cores, may differ between
  // them. REQUIRES: these are 2 to kMostRanks.
  static std::shared_ptr<NodeMemory> open(MPI_Comm communicator, bool may_share, bool is_crowded);
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  std::int32_t ranks() const { return layout_.ranks(); }
  // Returns whether each rank may read the others' memory. The same on all ranks.
  bool mayRead() const { return may_read_; }
  // Returns what is known to all ranks that have this memory, and to no others.
  std::int64_t token() const { return memory_.token(); }
  // Returns what makes the next call, in which `idle` is asked.
  NodeAllreduce& allreduce(const Idle& idle) {
    idle_ = idle;
    return allreduce_;
  }

  // Returns how long it took to find out where the ranks run, which the first memory of a process alone waits for; 0
  // from the second time on.
  Seconds takeTimeOfLooking() { return std::exchange(looked_for_, {}); }

  // Makes the pages of buffers be there that this rank writes in calls with vectors of so many bytes. It is local.
  void populate(std::int64_t bytes);

 private:
  NodeMemory(SharedMemory memory, const NodeLayout& layout, int rank, bool is_crowded, bool may_read,
             std::span<const ProcessorPlace> places);
  static void drive(const void* idle);
  // Makes this process know the first pages of the others' buffers, which are all that short vectors need. REQUIRES:
  // all ranks have made this object.
  void lookAtOthers();

  SharedMemory memory_;
  const NodeLayout layout_;
  const std::int32_t rank_;
  const bool may_read_;
  std::int64_t populated_ = 0;  // bytes of each buffer
  Seconds looked_for_;
  Idle idle_;
  NodeAllreduce allreduce_;
};

// Finds the memory that other communicators of the same ranks have: where one thread calls at a time, the calls of such
// communicators follow each other in one order on all ranks, since none ends before all ranks have begun it. THREADS:
// not thread-safe; where several threads call at a time no memory is shared between communicators.
class NodeMemories {
 public:
  // Does what NodeMemory::open() does, or returns what all ranks have of another communicator. `members` has the ranks'
  // places in MPI_COMM_WORLD, in their order.
  std::shared_ptr<NodeMemory> findOrOpen(MPI_Comm communicator, std::span<const std::int32_t> members, bool may_share,
                                         bool is_crowded);

 private:
  struct Entry {
    std::vector<std::int32_t> members;
    std::weak_ptr<NodeMemory> memory;
  };
  std::shared_ptr<NodeMemory> find(std::span<const std::int32_t> members) const;
  void add(std::span<const std::int32_t> members, const std::shared_ptr<NodeMemory>& memory) noexcept;

  std::vector<Entry> entries_;  // the newest last
};

}  // namespace starling
