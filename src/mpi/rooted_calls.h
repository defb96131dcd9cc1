// The rooted collectives of one communicator.
#pragma once

#include "mpi/broadcaster.h"
#include "mpi/rooted_channel.h"
#include "mpi/rooted_reducer.h"

namespace starling {

// THREADS: not thread-safe; MPI forbids concurrent collectives on a communicator.
class RootedCalls {
 public:
  RootedCalls(MPI_Comm communicator, const Options& options, const Clock& clock, Seconds clock_offset)
      : channel_(communicator, options, clock, clock_offset) {}

  Broadcaster& broadcaster() { return broadcaster_; }
  RootedReducer& reducer() { return reducer_; }

  // Collective: no call follows.
  void finish() {
    broadcaster_.finish();
    reducer_.finish();
  }

 private:
  RootedChannel channel_;
  Broadcaster broadcaster_{channel_};
  RootedReducer reducer_{channel_};
};

}  // namespace starling
