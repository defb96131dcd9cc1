// Implements the C interface of the rooted collectives, starling.h.
#include "mpi/entry.h"
#include "mpi/runtime.h"
#include "starling/starling.h"

namespace starling {
namespace {

// Calls `call` with the rooted calls of the communicator, or the MPI library's own function where there are none.
template <typename Call, typename Native>
int callRooted(bool is_valid, MPI_Comm comm, const Call& call, const Native& native) {
  Session* const session = sessionOfCall(is_valid, comm);
  return session == nullptr ? native() : called(comm, [&] { return call(session->rooted()); });
}

}  // namespace
}  // namespace starling

extern "C" {

int tuned_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const bool is_valid = count >= 0 && datatype != MPI_DATATYPE_NULL && buffer != MPI_IN_PLACE;
  return starling::callRooted(
      is_valid, comm,
      [&](starling::RootedCalls& rooted) { return rooted.broadcaster().broadcast(buffer, count, datatype, root); },
      [&] { return PMPI_Bcast(buffer, count, datatype, root, comm); });
}

int tuned_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm) {
  const bool is_valid = count >= 0 && datatype != MPI_DATATYPE_NULL && op != MPI_OP_NULL;
  return starling::callRooted(
      is_valid, comm,
      [&](starling::RootedCalls& rooted) {
        return rooted.reducer().reduce(sendbuf, recvbuf, count, datatype, op, root);
      },
      [&] { return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

}  // extern "C"
