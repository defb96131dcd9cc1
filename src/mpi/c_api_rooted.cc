// The C interface of the rooted collectives: starling.h.
#include <new>

#include "mpi/runtime.h"
#include "starling/starling.h"

namespace starling {
namespace {

// Calls `call` with the communicator's session; where it has none, or the program's arguments are for MPI to refuse,
// the MPI library's own function.
template <typename Call, typename Native>
int callRooted(bool is_valid, MPI_Comm comm, const Call& call, const Native& native) {
  Session* const session = is_valid ? Runtime::get().session(comm) : nullptr;
  if (session == nullptr) return native();
  try {
    return call(session->rooted());
  } catch (const std::bad_alloc&) {
    // No exception may reach C or Fortran; what the other ranks do by now is not known here.
    PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
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
