// tuned_bcast on one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "algos/broadcast.h"
#include "mpi/exchange/period_exchange.h"
#include "mpi/execution/agreed_memory.h"
#include "mpi/execution/schedule_cache.h"
#include "mpi/rooted/by_root.h"
#include "mpi/rooted/rooted_channel.h"
#include "tuner/rooted/broadcast_table.h"
#include "tuner/rooted/native_trial.h"
#include "tuner/rooted/period_mean.h"

namespace starling {

// Broadcasts over a virtual-rank table for each root and tree, which follows the waiting times of the ranks; where
// MPI_Bcast turns out to be faster all the same, MPI_Bcast makes the call.
//
// Ranks may describe one message by different counts and types. Only its size is equal on all ranks, so plans follow
// from the size alone, and messages are bytes: a rank whose data do not lie in memory in the order in which they are
// sent packs them, or unpacks what comes. THREADS: not thread-safe; one per communicator.
class Broadcaster {
 public:
  // REQUIRES: the channel outlives this object.
  explicit Broadcaster(RootedChannel& channel) : channel_(channel) {}

  // Does what MPI_Bcast does; returns an MPI error code. REQUIRES: count >= 0, a valid datatype, a buffer that is not
  // MPI_IN_PLACE.
  int broadcast(void* buffer, int count, MPI_Datatype datatype, int root);

  // Returns what is counted of a call with such arguments, whose requirements are those of broadcast().
  static RootedCounter::Call countedCall(int count, MPI_Datatype datatype, int root);

  // Makes a call again on MPI_COMM_SELF, with nothing to send, to see whether the MPI library refuses it.
  static int repeated(void* buffer, MPI_Datatype datatype, int root, MPI_Comm communicator);

  // As RootedCalls::finish().
  bool finish(bool may_wait);

  // Returns the table (virtual rank -> rank) for calls from this root over this tree; empty where there is none.
  std::span<const std::int32_t> table(int root, BroadcastTree tree) const;

 private:
  struct Root {
    Root(const RootedChannel& channel, int rank, bool has_chain)
        : root(rank), is_long(has_chain), table(channel.ranks(), rank), exchange(channel.rank(), channel.ranks()) {}

    BroadcastTree tree() const { return is_long ? BroadcastTree::kChain : BroadcastTree::kBinomial; }

    int root;
    bool is_long;
    BroadcastTable table;
    NativeTrial trial;
    PeriodMean waits;
    PeriodMean durations;
    std::int64_t calls = 0;            // in the running period
    std::int64_t open_reach_ns = 0;    // the longest reach of its calls
    std::int64_t closed_reach_ns = 0;  // that of the period before, whose waits are being exchanged
    PeriodExchange exchange;
  };
  struct Key {
    std::int64_t bytes;
    std::int32_t position;

    Key(std::int64_t message_bytes, std::int32_t own_position) : bytes(message_bytes), position(own_position) {}
    Key(const Key& other, std::pmr::memory_resource*) : Key(other) {}
    Key(const Key&) = default;

    bool operator==(const Key&) const = default;
    std::size_t hash() const { return hashOf({bytes, position}); }
  };

  struct Message {
    void* buffer;
    int count;
    MPI_Datatype datatype;
    std::int64_t bytes;
    BroadcastPlan plan;
  };

  int execute(Root& from, const Message& message, Seconds arrival);
  int run(Root& from, void* bytes_in_memory, const Message& message, Seconds arrival);
  void endPeriod(Root& from);
  bool grow(std::size_t bytes);

  RootedChannel& channel_;
  // A rank cannot know whether another one has to pack.
  AgreedMemory memory_{"broadcasts", [this](std::size_t bytes) { return grow(bytes); }};
  ByRoot<Root> roots_;
  ScheduleCache<Key> schedules_{kMaxRootedSchedules, channel_.scheduleMemory()};
};

}  // namespace starling
