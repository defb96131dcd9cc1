/* Preloaded before Starling, or alone: adds up how long each rank is in MPI_Allreduce, and how many calls it makes. In
 * MPI_Finalize rank 0 writes the means over the ranks to the file that ALLREDUCE_TIME_FILE names: seconds in
 * allreduce, and calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int (*Finalize)(void);

static double g_seconds = 0.0;
static double g_calls = 0.0;

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  static Allreduce next = NULL;
  if (next == NULL) next = (Allreduce)dlsym(RTLD_NEXT, "MPI_Allreduce");
  const double begin = MPI_Wtime();
  const int code = next(sendbuf, recvbuf, count, datatype, op, comm);
  g_seconds += MPI_Wtime() - begin;
  g_calls += 1.0;
  return code;
}

int MPI_Finalize(void) {
  const double mine[] = {g_seconds, g_calls};
  double sums[] = {0.0, 0.0};
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Reduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const char* const path = getenv("ALLREDUCE_TIME_FILE");
  FILE* const file = rank == 0 && path != NULL ? fopen(path, "w") : NULL;
  if (file != NULL) {
    fprintf(file, "%.9f %.0f\n", sums[0] / ranks, sums[1] / ranks);
    fclose(file);
  }
  return ((Finalize)dlsym(RTLD_NEXT, "MPI_Finalize"))();
}
