// Implements the C interface of the rooted collectives, starling.h.
#include <exception>

#include "mpi/entry.h"
#include "mpi/execution/native_call.h"
#include "mpi/runtime.h"
#include "starling/starling.h"

namespace starling {
namespace {

// Calls `call` with the rooted calls of the communicator, or the MPI library's own function where there are none.
// `counted` (options) returns what the other ranks count of the call where this one has no session. `repeated` is that
// of keepThrown().
template <typename Call, typename Counted, typename Native, typename Repeated>
int callRooted(bool is_valid, MPI_Comm comm, const Call& call, const Counted& counted, const Native& native,
               const Repeated& repeated) {
  if (Session* const session = sessionOfCall(is_valid, comm, [&] { return isRefusedAlone(repeated); })) {
    const int code = called(comm, [&] { return call(session->rooted()); });
    session->rooted().throwKept();
    return code;
  }
  AbsentSession* const absent = absentOfCall(is_valid, comm);
  if (absent == nullptr) return native();
  const Options& options = Runtime::get().options();
  absent->rooted().beforeCall(comm, counted(options), options);
  std::exception_ptr thrown;
  const int code = keepThrown(thrown, native, repeated);
  absent->rooted().afterCall(code);
  if (thrown) std::rethrow_exception(thrown);
  return code;
}

}  // namespace
}  // namespace starling

extern "C" {

int tuned_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const bool is_valid = count >= 0 && datatype != MPI_DATATYPE_NULL && buffer != MPI_IN_PLACE;
  return starling::callRooted(
      is_valid, comm,
      [&](starling::RootedCalls& rooted) { return rooted.broadcaster().broadcast(buffer, count, datatype, root); },
      [&](const starling::Options&) { return starling::Broadcaster::countedCall(count, datatype, root); },
      [&] { return PMPI_Bcast(buffer, count, datatype, root, comm); },
      [&] { return starling::Broadcaster::repeated(buffer, datatype, root, comm); });
}

int tuned_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm) {
  const bool is_valid = count >= 0 && datatype != MPI_DATATYPE_NULL && op != MPI_OP_NULL;
  return starling::callRooted(
      is_valid, comm,
      [&](starling::RootedCalls& rooted) {
        return rooted.reducer().reduce(sendbuf, recvbuf, count, datatype, op, root);
      },
      [&](const starling::Options& options) {
        const starling::CallKind kind = starling::classifyCall(count, datatype, op);
        return starling::RootedReducer::countedCall(kind, root, options.reproducible);
      },
      [&] { return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); },
      [&] { return starling::RootedReducer::repeated(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

}  // extern "C"
