// tuned_bcast on one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "algos/broadcast.h"
#include "mpi/by_root.h"
#include "mpi/period_exchange.h"
#include "mpi/recent_schedules.h"
#include "mpi/rooted_channel.h"
#include "mpi/rooted_memory.h"
#include "tuner/broadcast_table.h"
#include "tuner/native_trial.h"
#include "tuner/period_mean.h"

namespace starling {

// Broadcasts over a virtual-rank table for each root and tree, which follows the waiting times of the ranks; where
// MPI_Bcast is faster all the same, it answers.
//
// Ranks may describe one message by different counts and types. Equal on all ranks is its size, so plans follow from
// that alone, and messages are bytes: a rank whose data do not lie in memory in the order in which they are sent packs
// them, or unpacks what comes. THREADS: not thread-safe; one per communicator.
class Broadcaster {
 public:
  // The channel outlives it.
  explicit Broadcaster(RootedChannel& channel) : channel_(channel) {}

  // MPI_Bcast; returns an MPI error code. REQUIRES: count >= 0, a datatype, a buffer that is not MPI_IN_PLACE.
  int broadcast(void* buffer, int count, MPI_Datatype datatype, int root);

  // Collective: waits for what is under way when no call follows.
  void finish();

  // Virtual rank -> rank, of the calls from this root over this tree; empty where there is no table.
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
    std::int64_t calls = 0;            // of the running period
    std::int64_t open_reach_ns = 0;    // the longest of its calls
    std::int64_t closed_reach_ns = 0;  // of the period before, whose waits are being exchanged
    PeriodExchange exchange;
  };
  struct Key {
    std::int64_t bytes;
    std::int32_t position;

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

  RootedChannel& channel_;
  // A rank cannot know whether another one has to pack.
  RootedMemory memory_{[this](std::size_t bytes) { return channel_.growVector(bytes); }};
  ByRoot<Root> roots_;
  RecentSchedules<Key> schedules_;
};

}  // namespace starling
