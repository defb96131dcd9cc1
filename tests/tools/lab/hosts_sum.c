/* What the test of the emulated cluster runs there: says where each rank is and what an allreduce over all gives. With
 * the argument `hang`, rank 1 keeps the others waiting for ever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* variable(const char* name) {
  const char* value = getenv(name);
  return value == NULL ? "-" : value;
}

/* By how much the monotonic clock is ahead of that of the machine, in nanoseconds. */
static long long clock_offset(void) {
  long long seconds = 0;
  long long nanoseconds = 0;
  FILE* file = fopen("/proc/self/timens_offsets", "r");
  if (file == NULL || fscanf(file, "monotonic %lld %lld", &seconds, &nanoseconds) != 2) return -1;
  fclose(file);
  return 1000000000LL * seconds + nanoseconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "hang") == 0 && rank == 1) {
    for (;;) pause();
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  printf("rank %d of %d on %s: sum %d, clock offset %lld ns, caller says %s, files in %s\n", rank, ranks, host, sum,
         clock_offset(), variable("STARLING_LAB_TEST"), variable("TMPDIR"));
  MPI_Finalize();
  return 0;
}
