/* A program that links Starling: tuned_allreduce_at() in the place of MPI_Allreduce(), and a name for the site. */
#include <starling/starling.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double residual = 0.5, sum = 0.0;
  for (int step = 0; step < 100; ++step) {
    tuned_allreduce_at("residual", &residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("sum of the residuals: %g\n", sum);
  return MPI_Finalize();
}
