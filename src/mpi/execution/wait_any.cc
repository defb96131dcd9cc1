#include "mpi/execution/wait_any.h"

#include <thread>

namespace starling {
namespace {

// MPI says so once and for all; it is initialised before the first message.
bool areThreadsAtOnce() {
  static const bool kAtOnce = [] {
    int level = MPI_THREAD_SINGLE;
    return PMPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
  }();
  return kAtOnce;
}

}  // namespace

int waitAny(int count, MPI_Request* requests, int* index) {
  if (!areThreadsAtOnce()) return PMPI_Waitany(count, requests, index, MPI_STATUS_IGNORE);
  while (true) {
    int is_there = 0;
    const int code = PMPI_Testany(count, requests, index, &is_there, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || is_there != 0) return code;
    std::this_thread::yield();
  }
}

}  // namespace starling
