// Finds out, in the call itself, which ranks are late.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// Every rank that arrives sends a flag to one rank, the coordinator. When all but a given number have done so, the
// coordinator names the missing ones to all. Every receive names its source, and flags and names carry the number of
// the call, so that what a failed call has left over is recognised and dropped. Functions that communicate return MPI
// codes. The constructor allocates everything: any rank may become the coordinator of a call, and memory must not be
// short there alone. THREADS: not thread-safe; one per communicator.
class ArrivalFlags {
 public:
  // `rank` and `ranks` are the communicator's; `first_tag` and the tag after it are used for nothing else on it.
  ArrivalFlags(MPI_Comm private_communicator, int rank, int ranks, int first_tag);
  ~ArrivalFlags() { abandon(); }
  ArrivalFlags(const ArrivalFlags&) = delete;
  ArrivalFlags& operator=(const ArrivalFlags&) = delete;

  // Collective: all ranks give the same coordinator and number. It returns when the late ranks have been named; a late
  // rank finds the names already there. REQUIRES: 0 < late < ranks, late <= kMostFlagged.
  int exchange(int coordinator, int late);
  // Returns the ranks that were named, ascending.
  std::span<const std::int32_t> flagged() const;
  // Completes what exchange() began. All ranks call it once they know that everybody has arrived, which is after the
  // allreduce.
  int finish();
  // Takes the place of finish() after a fault: nothing comes into this memory any more. What is still being sent from
  // it a later call may overwrite: after a fault MPI promises nothing.
  void abandon();

 private:
  int coordinate(int late);
  int takeFlag();
  int follow(int coordinator);

  MPI_Comm communicator_;
  int rank_;
  int ranks_;
  int first_tag_;
  std::int64_t call_ = 0;
  std::vector<std::int64_t> flags_;    // by rank: the number of the call that the rank flagged
  std::vector<std::int64_t> message_;  // the number of the call, then the ranks named
  std::vector<std::int32_t> flagged_;
  std::vector<MPI_Request> receives_;  // on the coordinator: its receives of flags, by rank
  std::vector<MPI_Request> sends_;
};

}  // namespace starling
