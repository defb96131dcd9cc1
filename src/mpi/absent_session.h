// A communicator whose session this rank could not make, for want of memory.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/options.h"
#include "mpi/rooted/rooted_refusal.h"

namespace starling {

// The other ranks count on this one where they prepare tuning, after as many calls on all ranks: there it tells them
// that all calls are to pass through. It takes no memory. THREADS: as the communicator's collective operations.
class AbsentSession {
 public:
  // The others prepare after so many calls at the latest.
  explicit AbsentSession(std::int64_t first_epoch) : first_epoch_(first_epoch) {}

  // Around each call of MPI_Allreduce that is not early, which the MPI library makes. Wait for the other ranks where
  // these prepare tuning. With a fixed algorithm that is before the first call that an algorithm of ours could make.
  // `options` are those that all ranks have agreed on.
  void beforeCall(MPI_Comm communicator, bool is_tunable, const Options& options);
  // `code` is what the call returned.
  void afterCall(MPI_Comm communicator, int code);

  // Takes part where the others prepare tuning now, by Session::prepare().
  void refuse(MPI_Comm communicator);

  // What takes part in tuned_bcast and tuned_reduce.
  RootedRefusal& rooted() { return rooted_; }

 private:
  std::int64_t first_epoch_;
  std::int64_t calls_ = 0;
  bool has_refused_ = false;
  RootedRefusal rooted_;
};

}  // namespace starling
