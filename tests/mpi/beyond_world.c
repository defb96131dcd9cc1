/* A communicator that joins parents and spawned children is freed by a parent before a child has come to the parent's
 * last call on it. parked_worlds_test runs it: beyond_world CALLS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "starling/starling.h"

enum { kCount = 100 };

int main(int argc, char** argv) {
  double values[kCount];
  int rank = 0;
  int token = 0;
  int wrong = 0;
  MPI_Comm parents = MPI_COMM_NULL;
  MPI_Comm across = MPI_COMM_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  if (argc < 2) return 2;
  const int calls = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parents);
  if (parents == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across, MPI_ERRCODES_IGNORE);
  } else {
    across = parents;
  }
  MPI_Intercomm_merge(across, parents != MPI_COMM_NULL, &all);
  MPI_Comm_rank(all, &rank);
  for (int call = 0; call < calls; ++call) {
    for (int i = 0; i < kCount; ++i) values[i] = rank == 0 ? call + i : -1.0;
    /* Rank 0 leaves the last broadcast and frees before it lets the others in. */
    if (call == calls - 1 && rank != 0 && parents != MPI_COMM_NULL) {
      MPI_Recv(&token, 1, MPI_INT, 0, 7, across, MPI_STATUS_IGNORE);
    }
    tuned_bcast(values, kCount, MPI_DOUBLE, 0, all);
    for (int i = 0; i < kCount; ++i) wrong += values[i] != call + i;
  }
  MPI_Comm_free(&all);
  if (rank == 0) MPI_Send(&token, 1, MPI_INT, 0, 7, across);
  MPI_Comm_disconnect(&across);
  MPI_Finalize();
  if (wrong > 0) fprintf(stderr, "beyond_world: %d wrong values\n", wrong);
  return wrong > 0;
}
