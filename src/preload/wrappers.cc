// MPI's symbols, wrapped for programs that are not changed: C and C++.
#include "mpi/allreduce.h"

extern "C" {

STARLING_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) starling_init();
  return code;
}

STARLING_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) starling_init();
  return code;
}

STARLING_EXPORT int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm) {
  return starling_allreduce_from(__builtin_return_address(0), sendbuf, recvbuf, count, datatype, op, comm);
}
}
