// Tells all ranks what a call took without the wait for late ranks, and who came last, one call later.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "mpi/exchange/pending_allreduce.h"
#include "tuner/watched_call.h"

namespace starling {

// A nonblocking allreduce on the private communicator, of the least time that any rank spent in one call: no rank
// leaves before the last has come, so that the rank that came last has waited for nobody. That rank's number travels in
// the low bits of the time. It starts after the call and is finished after the next one, when every rank has long
// started it: so it is never waited for in the way of a late rank. On a simulated cluster it is finished one call
// later, and no other call is watched until then. All ranks call the same functions in the same order. Functions that
// return int return MPI error codes. Nothing is allocated after construction. THREADS: not thread-safe; one per
// communicator.
class CallWatch {
 public:
  CallWatch(MPI_Comm private_communicator, int rank);
  // While it is open MPI still writes to the numbers, so they are never freed then.
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  int start(const WatchedCall& call, std::int64_t elapsed_ns);
  bool isOpen() const { return combination_.isOpen(); }
  // These do what the functions of PendingAllreduce do.
  int advance() { return combination_.advance(); }
  bool isDue() const { return combination_.isDue(); }
  int finish() { return combination_.finish(); }
  bool isComplete() { return combination_.isComplete(); }

  // These tell of the latest finished call.
  const WatchedCall& call() const { return call_; }
  std::int64_t shortestNs() const { return numbers_->shortest >> kRankBits; }
  // The rank that was in it for the shortest time, so that it came last, or with the last.
  std::int32_t lastRank() const { return static_cast<std::int32_t>(numbers_->shortest & kRankMask); }

 private:
  struct Numbers {
    std::int64_t own = 0;
    std::int64_t shortest = 0;
  };

  // A time has the other bits: more than an hour, beyond which it counts as that.
  static constexpr int kRankBits = 20;
  static constexpr std::int64_t kRankMask = (std::int64_t{1} << kRankBits) - 1;
  static constexpr std::int64_t kLongestNs = (std::int64_t{1} << (62 - kRankBits)) - 1;

  MPI_Comm communicator_;
  std::int64_t rank_;
  std::unique_ptr<Numbers> numbers_;
  PendingAllreduce combination_;
  WatchedCall call_;
};

}  // namespace starling
