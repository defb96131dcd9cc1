#include "mpi/execution/native_call.h"

namespace starling {

std::recursive_mutex RefusalProbe::g_mutex;

bool refusesOneBufferInAllreduce() {
  static const bool kRefuses = isRefusedAlone([] {
    int both[2] = {};
    return PMPI_Allreduce(both, both, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  });
  return kRefuses;
}

bool refusesOneBufferInReduce() {
  static const bool kRefuses = isRefusedAlone([] {
    int both[2] = {};
    return PMPI_Reduce(both, both, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF);
  });
  return kRefuses;
}

bool isAllreduceRefused(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  if (isOneBufferRefused(sendbuf, recvbuf, count)) return true;
  return isRefusedAlone([&] {
    char none = 0;
    return PMPI_Allreduce(MPI_IN_PLACE, &none, 0, datatype, op, MPI_COMM_SELF);
  });
}

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
