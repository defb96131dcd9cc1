/* An MPI program some of whose ranks never come to where Starling waits for them. watchdog_test runs it.
 *
 *   late_ranks reduce SECONDS        reduces
 *   late_ranks abort SECONDS         aborts the job after so long, without a reduction
 *   late_ranks duplicate SECONDS     duplicates MPI_COMM_WORLD, and reduces
 *   late_ranks spawn SECONDS         spawns `late_ranks abort SECONDS` without LD_PRELOAD, and reduces with it
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void pause_for(double seconds) {
  struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&left, NULL);
}

static int reduce(MPI_Comm communicator) {
  int ranks = 0;
  int sum = 0;
  const int one = 1;
  int wrong = 0;
  MPI_Comm_size(communicator, &ranks);
  for (int call = 0; call < 20; ++call) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, communicator);
    wrong += sum != ranks;
  }
  return wrong;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const double seconds = atof(argv[2]);
  const int is_abort = strcmp(argv[1], "abort") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Intercomm_merge(parent, 1, &all);
  }
  if (is_abort) {
    pause_for(seconds);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  int faults = 0;
  if (strcmp(argv[1], "spawn") == 0) {
    char unset[] = "-u";
    char variable[] = "LD_PRELOAD";
    char abort_word[] = "abort";
    char* arguments[] = {unset, variable, argv[0], abort_word, argv[2], NULL};
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Comm_spawn("env", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
    faults += reduce(all);
  }
  if (strcmp(argv[1], "duplicate") == 0) {
    MPI_Comm duplicate = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  }
  faults += reduce(MPI_COMM_WORLD);
  MPI_Finalize();
  if (faults > 0) fprintf(stderr, "late_ranks: %d wrong sums\n", faults);
  return faults > 0;
}
