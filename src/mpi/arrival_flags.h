// How the ranks find out, in the call itself, who is late.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// Every rank that arrives sends a flag to one of them, the coordinator. When all but a given number have, that one
// names the missing ones to all. Explicit sources only; flags and names carry the number of the call, so that what a
// failed call left over is recognised and dropped. Functions that communicate return MPI codes. THREADS: not
// thread-safe; one per communicator. No allocation after the constructor.
class ArrivalFlags {
 public:
  // `first_tag` and the one after it: used for nothing else on the private communicator.
  ArrivalFlags(MPI_Comm private_communicator, int first_tag);
  ~ArrivalFlags() { abandon(); }
  ArrivalFlags(const ArrivalFlags&) = delete;
  ArrivalFlags& operator=(const ArrivalFlags&) = delete;

  // Collective: all ranks give the same coordinator and number. Returns when the late ones have been named; a late rank
  // finds the names already there. REQUIRES: 0 < late < ranks.
  int exchange(int coordinator, int late);
  // The ranks that were named, ascending.
  std::span<const std::int32_t> named() const;
  // Completes what exchange() began. All ranks call it once they know that everybody has arrived: after the allreduce.
  int finish();
  // After a fault, in place of finish(): nothing comes into this memory any more. Not used again then.
  void abandon();

 private:
  int coordinate(int late);
  int takeFlag();
  int follow(int coordinator);

  MPI_Comm communicator_;
  int first_tag_;
  int rank_ = 0;
  int ranks_ = 1;
  std::int64_t call_ = 0;
  std::vector<std::int64_t> flags_;    // by rank: the call that it flagged
  std::vector<std::int64_t> message_;  // the call, then the ranks named; as long as the longest
  std::vector<std::int32_t> named_;
  std::vector<MPI_Request> receives_;  // of the coordinator: flags, by rank
  std::vector<MPI_Request> sends_;
};

}  // namespace starling
