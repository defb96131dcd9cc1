/* A program that calls Starling by name, and MPI_Allreduce too. preload_loading_test runs it with the preload library
 * of another copy of Starling. Rank 0 prints how many copies of Starling the process has, and how many keys it knows.
 */
#include <mpi.h>
#include <starling/starling.h>
#include <stdio.h>
#include <string.h>

enum { kCalls = 30 };

/* The first mapping of a file has its beginning. */
static int countCopies(void) {
  char line[4096];
  int copies = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
    copies += strstr(line, "/libstarling.so") != NULL && strstr(line, " 00000000 ") != NULL;
  }
  if (maps != NULL) fclose(maps);
  return copies;
}

int main(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  int keys = 0;
  int wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int call = 0; call < kCalls; ++call) {
    double by_mpi = rank;
    int by_name = rank;
    MPI_Allreduce(MPI_IN_PLACE, &by_mpi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    tuned_allreduce(MPI_IN_PLACE, &by_name, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += by_mpi != ranks * (ranks - 1) / 2.0 || by_name != ranks * (ranks - 1) / 2;
  }
  starling_key_count(MPI_COMM_WORLD, &keys);
  if (rank == 0) printf("copies %d keys %d\n", countCopies(), keys);
  MPI_Finalize();
  return wrong > 0;
}
