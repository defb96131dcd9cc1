/* A module as python loads them: linked with MPI, into a program that is not. preload_loading_test has it loaded by
 * module_host. */
#include <mpi.h>

enum { kCalls = 40, kCount = 300 };

/* Returns the number of wrong sums, or -1 where MPI cannot be had. */
__attribute__((visibility("default"))) int runModule(void) {
  int rank = 0;
  int ranks = 0;
  int wrong = 0;
  int ints[kCount];
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int call = 0; call < kCalls; ++call) {
    for (int i = 0; i < kCount; ++i) ints[i] = rank + i;
    MPI_Allreduce(MPI_IN_PLACE, ints, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) wrong += ints[i] != ranks * (ranks - 1) / 2 + ranks * i;
  }
  MPI_Finalize();
  return wrong;
}
