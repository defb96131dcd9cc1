// Keeps what the program's own code throws in a call until that was counted.
#pragma once

#include <mpi.h>

#include <exception>
#include <mutex>

#include "mpi/execution/call_kind.h"
#include "mpi/execution/native_allreduce.h"
#include "mpi/execution/returned_errors.h"

namespace starling {

// While it lives, refusals of calls on MPI_COMM_SELF are returned; some arguments are refused on MPI_COMM_WORLD,
// whatever the communicator. So are errors of other threads there, which a handler of the program's would have got. One
// thread at a time has any. THREADS: any.
class RefusalProbe {
 private:
  std::unique_lock<std::recursive_mutex> alone_{g_mutex};
  ReturnedErrors of_self_{MPI_COMM_SELF};
  ReturnedErrors of_world_{MPI_COMM_WORLD};

  static std::recursive_mutex g_mutex;
};

// Returns what `native` () returns, an MPI error code. Error handlers and operations are code of the program's, which
// may throw: that is kept in `thrown`, for the program to get when the call has been counted, since other ranks count
// theirs. Then `repeated` (), which makes the call again on MPI_COMM_SELF with nothing to move, tells whether the MPI
// library refused the arguments or failed later.
template <typename Native, typename Repeated>
int keepThrown(std::exception_ptr& thrown, const Native& native, const Repeated& repeated) {
  try {
    return native();
  } catch (...) {
    thrown = std::current_exception();
    // The end of a thread and exceptions of other languages cannot be kept.
    if (!thrown) throw;
  }
  const RefusalProbe probe;
  const int code = repeated();
  return isRefusal(code) ? code : MPI_ERR_OTHER;
}

// Returns whether MPI refuses a call for its arguments, as `repeated` of keepThrown() tells: it does so at once, on
// this rank alone. REQUIRES: MPI is usable.
template <typename Repeated>
bool isRefusedAlone(const Repeated& repeated) {
  const RefusalProbe probe;
  return isRefusal(repeated());
}

// Return whether the MPI library refuses one buffer for operands and results, which it may be told not to check.
// REQUIRES: MPI is usable.
bool refusesOneBufferInAllreduce();
bool refusesOneBufferInReduce();

// Return as isRefusedAlone() whether an allreduce is refused; the latter, whether because of one buffer for both.
bool isAllreduceRefused(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op);
inline bool isOneBufferRefused(const void* sendbuf, const void* recvbuf, int count) {
  return sendbuf == recvbuf && count > 1 && sendbuf != MPI_BOTTOM && refusesOneBufferInAllreduce();
}

// Tells the program's error handler of an error of Starling's own messages. What it throws is kept, where `thrown` is
// not null: the call may have succeeded elsewhere, and is counted on every rank.
void tellError(std::exception_ptr* thrown, MPI_Comm communicator, int code);

// Does as keepThrown() for an allreduce.
int callNative(NativeAllreduce native, std::exception_ptr& thrown, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm communicator);

}  // namespace starling
