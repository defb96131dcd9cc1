// The rooted calls of a rank that has no memory for a session.
#pragma once

#include <mpi.h>

#include "base/options.h"
#include "mpi/rooted/rooted_counter.h"

namespace starling {

// The MPI library makes the calls of tuned_bcast and tuned_reduce. Where the other ranks open their channel for them,
// after as many calls on all ranks, it tells them that all are to pass through. It takes no memory. THREADS: as the
// communicator's collective operations.
class RootedRefusal {
 public:
  // Around each call. Waits for the other ranks where these open their channel. `options` are those that all ranks have
  // agreed on.
  void beforeCall(MPI_Comm communicator, const RootedCounter::Call& call, const Options& options);
  // `code` is what the call returned.
  void afterCall(int code);

 private:
  RootedCounter counter_;
  bool has_refused_ = false;
};

}  // namespace starling
