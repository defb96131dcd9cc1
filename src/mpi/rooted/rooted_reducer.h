// tuned_reduce on one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "algos/reduction_tree.h"
#include "mpi/exchange/period_exchange.h"
#include "mpi/execution/agreed_memory.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/schedule_cache.h"
#include "mpi/rooted/by_root.h"
#include "mpi/rooted/rooted_channel.h"
#include "tuner/rooted/agreed_lateness.h"
#include "tuner/rooted/native_trial.h"
#include "tuner/rooted/period_mean.h"

namespace starling {

// Reduces over trees that follow the arrivals of the ranks, with trees for each root; where MPI_Reduce turns out to be
// faster all the same, MPI_Reduce makes the call.
// THREADS: not thread-safe; one per communicator.
class RootedReducer {
 public:
  // REQUIRES: the channel outlives this object.
  explicit RootedReducer(RootedChannel& channel) : channel_(channel) {}

  // Does what MPI_Reduce does; returns an MPI error code. REQUIRES: count >= 0, a valid datatype, a valid operation.
  int reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root);

  // Returns what is counted of such a call.
  static RootedCounter::Call countedCall(const CallKind& kind, int root, bool is_reproducible);

  // Makes a call again on MPI_COMM_SELF, with nothing to combine, to see whether the MPI library refuses it.
  static int repeated(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm communicator);

  // As RootedCalls::finish().
  bool finish(bool may_wait);

  // Returns the latenesses by rank that calls of short or long vectors to this root are planned for; empty where there
  // have been no such calls.
  std::span<const std::int64_t> latenessNs(int root, bool is_long) const;

 private:
  struct Root {
    Root(const RootedChannel& channel, int rank, bool has_long_vectors)
        : root(rank), is_long(has_long_vectors), lateness(channel.ranks()), exchange(channel.rank(), channel.ranks()) {}

    int root;
    bool is_long;
    AgreedLateness lateness;
    NativeTrial trial;
    std::int64_t pattern = 0;  // number of the pattern in force
    PeriodMean arrivals;
    PeriodMean durations;
    std::int64_t calls = 0;  // in the running period
    PeriodExchange exchange;
  };
  struct Key {
    std::int64_t count;
    std::size_t element_size;
    bool commutative;
    int root;
    std::int64_t pattern;

    Key(const CallKind& kind, int to, std::int64_t number)
        : count(kind.signature.count),
          element_size(kind.reducer.element_size),
          commutative(kind.signature.commutative),
          root(to),
          pattern(number) {}
    Key(const Key& other, std::pmr::memory_resource*) : Key(other) {}
    Key(const Key&) = default;

    bool operator==(const Key&) const = default;
    std::size_t hash() const {
      return hashOf({count, static_cast<std::int64_t>(element_size), commutative, root, pattern});
    }
  };

  // Returns whether a buffer is MPI_IN_PLACE where MPI does not allow it, or is both that of the root's operands and of
  // results where the MPI library looks for that. This rank alone then leaves the call to the MPI library, which is
  // safe because that refuses such a call.
  bool isMisplaced(const void* sendbuf, const void* recvbuf, int count, int root) const;
  bool isReproducible() const { return channel_.options().reproducible; }
  // Here and below `to` may be null: then nobody counts as late.
  int execute(const Root* to, const void* sendbuf, void* recvbuf, const CallKind& kind, int root);
  const PreparedSchedule& findSchedule(const Root* to, const CallKind& kind, int root);
  void endPeriod(Root& to);
  bool grow(std::size_t bytes);
  // Returns whether some rank has the driver of an accelerator, so that vectors may lie where code of the host must not
  // touch them. The first time it waits for all ranks.
  bool mayBeOnDevices();
  void noteDrivers(bool has_any);

  RootedChannel& channel_;
  AgreedMemory memory_{"reductions", [this](std::size_t bytes) { return grow(bytes); }};
  std::optional<bool> may_be_on_devices_;  // empty: not agreed on yet
  ByRoot<Root> roots_;
  ScheduleCache<Key> schedules_{kMaxRootedSchedules, channel_.scheduleMemory()};
};

}  // namespace starling
