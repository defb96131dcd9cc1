#include "preload/next_function.h"

namespace starling {

thread_local int HandedOn::g_depth = 0;

int nextInit(int* argc, char*** argv) {
  static const auto kNext = nextFunction("MPI_Init", &PMPI_Init);
  return kNext(argc, argv);
}

int nextInitThread(int* argc, char*** argv, int required, int* provided) {
  static const auto kNext = nextFunction("MPI_Init_thread", &PMPI_Init_thread);
  return kNext(argc, argv, required, provided);
}

int nextAllreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static const auto kNext = nextFunction("MPI_Allreduce", &PMPI_Allreduce);
  const HandedOn handed_on;
  return kNext(sendbuf, recvbuf, count, datatype, op, comm);
}

}  // namespace starling
