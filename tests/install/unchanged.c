/* A program that knows MPI only: sums its ranks a few times and says whether the sums were right. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int wrong = 0;
  for (int call = 0; call < 50; ++call) {
    int local = rank + call;
    int sum = -1;
    wrong += MPI_Allreduce(&local, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS;
    wrong += sum != ranks * (ranks - 1) / 2 + ranks * call;
  }
  if (rank == 0) printf("%d ranks, %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
