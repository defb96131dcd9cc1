/* An unchanged, legal program: rank 0 reduces from another line than the others. 10,000 calls. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int wrong = 0;
  for (int i = 0; i < 10000; ++i) {
    double mine = rank + i;
    double sum = 0.0;
    if (rank == 0) {
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    const double expected = ranks * (ranks - 1) / 2.0 + (double)ranks * i;
    wrong += sum != expected;
  }
  if (wrong != 0) printf("rank %d: %d wrong sums\n", rank, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
