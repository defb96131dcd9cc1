// MPI's symbols, wrapped for C and C++ programs that are not changed.
#include "preload/freeing.h"
#include "preload/handed_on.h"
#include "preload/loaded_starling.h"
#include "preload/symbols.h"

namespace starling {
namespace {

constinit NextFunction<int (*)(int* argc, char*** argv)> g_init{"MPI_Init"};
constinit NextFunction<int (*)(int* argc, char*** argv, int required, int* provided)> g_init_thread{"MPI_Init_thread"};
constinit NextFunction<NativeAllreduce> g_allreduce{"MPI_Allreduce"};

int handOn(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int code = MPI_SUCCESS;
  HandedOn::by([&] { code = g_allreduce.seenBy(nullptr)(sendbuf, recvbuf, count, datatype, op, comm); });
  return code;
}

int startAfter(int code, const void* caller) {
  if (code != MPI_SUCCESS) return code;
  if (const WrapperTable* const table = loadStarling(caller)) table->start_in_mpi_init();
  return code;
}

}  // namespace
}  // namespace starling

extern "C" {

STARLING_EXPORT int MPI_Init(int* argc, char*** argv) {
  const void* const caller = __builtin_return_address(0);
  return starling::startAfter(starling::g_init.seenBy(caller)(argc, argv), caller);
}

STARLING_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const void* const caller = __builtin_return_address(0);
  return starling::startAfter(starling::g_init_thread.seenBy(caller)(argc, argv, required, provided), caller);
}

STARLING_EXPORT int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm) {
  const void* const caller = __builtin_return_address(0);
  const auto next = starling::g_allreduce.seenBy(caller);
  const starling::WrapperTable* const table = starling::loadStarling(caller);
  if (table == nullptr) return next(sendbuf, recvbuf, count, datatype, op, comm);
  switch (starling::HandedOn::depth()) {
    case 0:
      if (count == 0 || starling::Freeing::isOf(comm))
        return starling::handOn(sendbuf, recvbuf, count, datatype, op, comm);
      return table->allreduce(caller, sendbuf, recvbuf, count, datatype, op, comm, starling::handOn);
    case 1:
      return starling::handOn(sendbuf, recvbuf, count, datatype, op, comm);
    default:
      return table->pmpi_allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  }
}
}
