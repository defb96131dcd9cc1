// A nonblocking allreduce of a few numbers, as what the ranks tell each other between calls is combined.
#pragma once

#include <mpi.h>

namespace starling {

// The programs that tools/lab/simulate runs are compiled for SimGrid's MPI.
#ifdef SMPI_H
inline constexpr bool kIsSimulated = true;
#else
inline constexpr bool kIsSimulated = false;
#endif

// An MPI_Iallreduce that is started after one call of the program and finished after a later one, when every rank has
// long started it. SimGrid makes an MPI_Iallreduce of P ranks of P (P - 1) messages, which is too many to simulate: it
// gets an MPI_Ireduce, and after the next call an MPI_Ibcast of what that came to, 2 (P - 1) messages. All ranks call
// the same functions in the same order. Functions that return int return MPI error codes. Nothing is allocated.
// THREADS: not thread-safe.
class PendingAllreduce {
 public:
  // The buffers are MPI's until it is finished. REQUIRES: !isOpen().
  int start(const void* own, void* combined, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator);
  bool isOpen() const { return is_open_; }
  // Is called once after each call of the program that follows start(), and never waits for a late rank.
  int advance();
  // Returns whether finish() waits for nothing but messages that are on their way, which is equal on all ranks.
  // REQUIRES: isOpen().
  bool isDue() const { return !is_reduced_only_; }
  // Does nothing more where isComplete() has found it complete.
  int finish();
  // Returns whether finish() would not wait. What is complete is no longer open. An error counts as complete, but stays
  // open: whoever finishes it hears of it. It is local.
  bool isComplete();

 private:
  int startBroadcast();

  void* combined_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool is_open_ = false;
  bool is_reduced_only_ = false;  // rank 0 alone gets the result, and is still to tell the others
};

}  // namespace starling
