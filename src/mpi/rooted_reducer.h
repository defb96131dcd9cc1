// tuned_reduce on one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "algos/reduction_tree.h"
#include "mpi/by_root.h"
#include "mpi/call_kind.h"
#include "mpi/period_exchange.h"
#include "mpi/recent_schedules.h"
#include "mpi/rooted_channel.h"
#include "mpi/rooted_memory.h"
#include "tuner/agreed_lateness.h"
#include "tuner/native_trial.h"
#include "tuner/period_mean.h"

namespace starling {

// Reductions over trees that follow the arrivals of the ranks, to each root apart; where MPI_Reduce is faster all the
// same, it answers.
// THREADS: not thread-safe; one per communicator.
class RootedReducer {
 public:
  // The channel outlives it.
  explicit RootedReducer(RootedChannel& channel) : channel_(channel) {}

  // MPI_Reduce; returns an MPI error code. REQUIRES: count >= 0, a datatype, an operation.
  int reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root);

  // Collective: waits for what is under way when no call follows.
  void finish();

  // By rank, what calls of short or long vectors to this root are planned for; empty where there have been none.
  std::span<const std::int64_t> latenessNs(int root, bool is_long) const;

 private:
  struct Root {
    Root(const RootedChannel& channel, int rank, bool has_long_vectors)
        : root(rank), is_long(has_long_vectors), lateness(channel.ranks()), exchange(channel.rank(), channel.ranks()) {}

    int root;
    bool is_long;
    AgreedLateness lateness;
    NativeTrial trial;
    std::int64_t pattern = 0;  // number of the one in force
    PeriodMean arrivals;
    PeriodMean durations;
    std::int64_t calls = 0;  // of the running period
    PeriodExchange exchange;
  };
  struct Key {
    std::int64_t count;
    std::size_t element_size;
    bool commutative;
    int root;
    std::int64_t pattern;

    bool operator==(const Key&) const = default;
    std::size_t hash() const {
      return hashOf({count, static_cast<std::int64_t>(element_size), commutative, root, pattern});
    }
  };

  // MPI_IN_PLACE where MPI does not allow it. That this rank alone goes another way relies on MPI's refusing it. A root
  // whose buffers are one is not told from others: it is served as in place.
  bool isMisplaced(const void* sendbuf, const void* recvbuf, int root) const;
  bool isReproducible() const { return channel_.options().reproducible; }
  // Null, as below: nobody counts as late.
  int execute(const Root* to, const void* sendbuf, void* recvbuf, const CallKind& kind, int root);
  const PreparedSchedule& findSchedule(const Root* to, const CallKind& kind, int root);
  void endPeriod(Root& to);

  RootedChannel& channel_;
  RootedMemory memory_{[this](std::size_t bytes) { return channel_.growVector(bytes) && channel_.growScratch(bytes); }};
  ByRoot<Root> roots_;
  RecentSchedules<Key> schedules_;
};

}  // namespace starling
