// Counts the rooted calls of a communicator until these are worth what tuning them takes.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/execution/agreed_memory.h"

namespace starling {

// What it finds is equal on all ranks. THREADS: one.
class RootedCounter {
 public:
  // Tells whether the first calls of a communicator (STARLING_MINIMUM_CALLS) are left to the MPI library.
  enum class Start : std::uint8_t { kWhenWorthIt, kAtOnce };
  struct Call {
    std::int64_t bytes = 0;  // 0: it is none of Starling's
    int root = 0;
    Start start = Start::kWhenWorthIt;
  };

  // Counts a call between so many ranks. Returns false where it is left to the MPI library.
  bool admits(const Call& call, int ranks, std::int64_t minimum_calls) {
    counts_latest_ = call.root >= 0 && call.root < ranks && call.bytes > 0 && call.bytes <= AgreedMemory::kMax;
    if (!counts_latest_) return false;
    return calls_++ >= minimum_calls || call.start == Start::kAtOnce;
  }
  bool countsLatest() const { return counts_latest_; }
  // Makes the latest call, which MPI has refused for its arguments, one that was never made: no other rank need have
  // made it.
  void forgetLatest() { calls_ -= std::exchange(counts_latest_, false) ? 1 : 0; }

 private:
  std::int64_t calls_ = 0;
  bool counts_latest_ = false;
};

}  // namespace starling
