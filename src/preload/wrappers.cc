// MPI's symbols, wrapped for C and C++ programs that are not changed.
#include "mpi/allreduce.h"
#include "preload/next_function.h"

using starling::HandedOn;

extern "C" {

STARLING_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = starling::nextInit(argc, argv);
  if (code == MPI_SUCCESS) starling_init_in_mpi_init();
  return code;
}

STARLING_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = starling::nextInitThread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) starling_init_in_mpi_init();
  return code;
}

STARLING_EXPORT int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm) {
  if (HandedOn::depth() == 1) return starling::nextAllreduce(sendbuf, recvbuf, count, datatype, op, comm);
  if (HandedOn::depth() > 1) return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  return starling_allreduce_from(__builtin_return_address(0), sendbuf, recvbuf, count, datatype, op, comm,
                                 starling::nextAllreduce);
}
}
