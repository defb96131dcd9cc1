#include "mpi/execution/native_call.h"

#include "mpi/execution/call_kind.h"
#include "mpi/execution/returned_errors.h"

namespace starling {
namespace {

// Returns the code of a call that an exception ended. The MPI library refuses type and operation also where there is
// nothing to combine and nobody to combine it with; one buffer for both it refuses only where there is.
int codeOfThrown(const void* sendbuf, void* recvbuf, MPI_Datatype datatype, MPI_Op op) {
  if (sendbuf == recvbuf) return MPI_ERR_BUFFER;
  const ReturnedErrors errors(MPI_COMM_SELF);
  const ReturnedErrors errors_told_the_world(MPI_COMM_WORLD);  // of some arguments, whatever the communicator
  const int code = PMPI_Allreduce(sendbuf, recvbuf, 0, datatype, op, MPI_COMM_SELF);
  return isRefusal(code) ? code : MPI_ERR_OTHER;
}

}  // namespace

int callNative(NativeAllreduce native, std::exception_ptr& thrown, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm communicator) {
  try {
    return native(sendbuf, recvbuf, count, datatype, op, communicator);
  } catch (...) {
    thrown = std::current_exception();
    // The end of a thread and exceptions of other languages cannot be kept.
    if (!thrown) throw;
  }
  return codeOfThrown(sendbuf, recvbuf, datatype, op);
}

}  // namespace starling
