// The rooted collectives of one communicator.
#pragma once

#include "mpi/rooted/broadcaster.h"
#include "mpi/rooted/rooted_channel.h"
#include "mpi/rooted/rooted_reducer.h"

namespace starling {

// Owns what the rooted collectives need. THREADS: not thread-safe; MPI forbids concurrent collectives on a
// communicator.
class RootedCalls {
 public:
  RootedCalls(MPI_Comm communicator, const Options& options, const ClockKnowledge& clocks)
      : channel_(communicator, options, clocks) {}

  Broadcaster& broadcaster() { return broadcaster_; }
  RootedReducer& reducer() { return reducer_; }

  // Throws what the program's own code threw in the latest call, if it did.
  void throwKept() { channel_.throwKept(); }

  // No call follows: true when what is under way between the ranks is complete. Local; waits for it only with
  // `may_wait`.
  bool finish(bool may_wait) {
    const bool is_over = broadcaster_.finish(may_wait);
    return reducer_.finish(may_wait) && is_over;
  }

 private:
  RootedChannel channel_;
  Broadcaster broadcaster_{channel_};
  RootedReducer reducer_{channel_};
};

}  // namespace starling
