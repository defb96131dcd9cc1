/* An MPI program that knows nothing of Starling. preload_test runs it with the preload library in the way. */
#include <mpi.h>
#include <stdio.h>

enum { kCalls = 50, kCount = 500 };

int main(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  int wrong = 0;
  int ints[kCount];
  double in[kCount];
  double out[kCount];
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int expected = ranks * (ranks + 1) / 2;
  for (int call = 0; call < kCalls; ++call) {
    for (int i = 0; i < kCount; ++i) {
      ints[i] = rank + 1;
      in[i] = (rank + 1) * 0.5;
      out[i] = -1.0;
    }
    MPI_Allreduce(MPI_IN_PLACE, ints, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) wrong += ints[i] != expected || out[i] != expected * 0.5;
  }
  MPI_Finalize();
  if (wrong > 0) fprintf(stderr, "preload_c: %d wrong sums\n", wrong);
  return wrong > 0;
}
