/* A program that spawns another, with which it then reduces, or is spawned so. preload_programs_test runs it:
 *
 *   spawning PROGRAM      PROGRAM is a copy of this one under another name
 */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  int ranks = 0;
  int wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[1], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(other, 0, &all);
  } else {
    other = parent;
    MPI_Intercomm_merge(other, 1, &all);
  }
  MPI_Comm_size(all, &ranks);
  for (int call = 0; call < 30; ++call) {
    int sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, all);
    wrong += sum != ranks;
  }
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return wrong > 0;
}
