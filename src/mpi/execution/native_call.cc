#include "mpi/execution/native_call.h"

namespace starling {

std::mutex RefusalProbe::g_mutex;

void tellError(std::exception_ptr* thrown, MPI_Comm communicator, int code) {
  try {
    PMPI_Comm_call_errhandler(communicator, code);
  } catch (...) {
    if (thrown == nullptr) throw;
    *thrown = std::current_exception();
    if (!*thrown) throw;
  }
}

int callNative(NativeAllreduce native, std::exception_ptr& thrown, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm communicator) {
  return keepThrown(
      thrown, [&] { return native(sendbuf, recvbuf, count, datatype, op, communicator); },
      [&]() -> int {
        // One buffer for both is refused where there is something to combine, unless arguments are not checked.
        if (sendbuf == recvbuf) return MPI_ERR_BUFFER;
        return PMPI_Allreduce(sendbuf, recvbuf, 0, datatype, op, MPI_COMM_SELF);
      });
}

}  // namespace starling
