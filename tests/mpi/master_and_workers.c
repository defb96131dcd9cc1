/* An MPI program that knows nothing of Starling, whose rank 0 only waits while the others reduce. master_test runs it
 * with the preload library in the way:
 *
 *   master_and_workers ROUNDS [PREFIX]
 *
 * In each round the workers make a communicator, reduce on it and on one that stays, and free it. With PREFIX they go
 * on until the file PREFIX.end exists, or PREFIX.kill, which ends all ranks by SIGKILL; that file's sight is bounded by
 * two minutes. Each rank prints by how many kilobytes it has grown in a quarter of the rounds, the median of the second
 * to the fourth: what adds up does so in each, and what is made once, however late, in one of them. Exit status 1: a
 * sum was wrong. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostRanks = 64, kOnNew = 12, kOnOld = 24, kEnd = 3, kQuarters = 4, kPatience = 120 };

static int rank;
static int ranks;

static void check(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "master_and_workers: rank %d: wrong: %s\n", rank, what);
  fflush(stderr);
  _exit(EXIT_FAILURE);
}

/* What other processes share is not counted: MPI keeps messages there, up to a bound of its own. */
static long ownKilobytes(void) {
  long total = 0;
  long resident = 0;
  long shared = 0;
  FILE* statistics = fopen("/proc/self/statm", "r");
  check(statistics != NULL && fscanf(statistics, "%ld %ld %ld", &total, &resident, &shared) == 3, "/proc/self/statm");
  fclose(statistics);
  return (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The kilobytes at the ends of all quarters. */
static long medianGrowth(const long at_end[kQuarters]) {
  const long a = at_end[1] - at_end[0];
  const long b = at_end[2] - at_end[1];
  const long c = at_end[3] - at_end[2];
  const long least = a < b ? a : b;
  const long most = a < b ? b : a;
  return c < least ? least : c > most ? most : c;
}

static void reduce(int calls, MPI_Comm communicator) {
  const int workers = ranks - 1;
  for (int call = 0; call < calls; ++call) {
    int values[4] = {rank, call, 1, -rank};
    const int count = 1 + call % 4;
    if (call % 2 == 0) {
      MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT, MPI_SUM, communicator);
    } else {
      MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT, MPI_SUM, communicator);
    }
    check(values[0] == workers * (workers + 1) / 2, "a sum");
    check(count < 2 || values[1] == workers * call, "a sum");
  }
}

static void reduceOnNew(MPI_Comm workers) {
  MPI_Comm copy;
  MPI_Comm_dup(workers, &copy);
  reduce(kOnNew, copy);
  MPI_Comm_free(&copy);
  reduce(kOnOld, workers);
}

static int exists(const char* prefix, const char* suffix) {
  char path[4096];
  snprintf(path, sizeof(path), "%s.%s", prefix, suffix);
  return access(path, F_OK) == 0;
}

/* Worker rank 1 looks for the files; the others hear of it in MPI_Bcast, which is no tuned call. */
static void goOnUntilTold(const char* prefix, MPI_Comm workers, const pid_t* processes) {
  const double begin = MPI_Wtime();
  for (int told = 0; told == 0;) {
    reduceOnNew(workers);
    usleep(2000);
    if (rank == 1) told = exists(prefix, "kill") ? 2 : exists(prefix, "end") || MPI_Wtime() - begin > kPatience;
    MPI_Bcast(&told, 1, MPI_INT, 0, workers);
    if (told == 2 && rank == 1) {
      for (int i = ranks - 1; i >= 0; --i) {
        if (i != rank) kill(processes[i], SIGKILL);
      }
      raise(SIGKILL);
    }
  }
}

/* After each quarter of the rounds all workers tell rank 0. */
static long work(int rounds, const char* prefix, const pid_t* processes) {
  MPI_Comm workers;
  long at_end[kQuarters];
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &workers);
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    for (int round = 0; round < rounds / kQuarters; ++round) reduceOnNew(workers);
    at_end[quarter] = ownKilobytes();
    if (quarter + 1 == kQuarters && prefix != NULL) goOnUntilTold(prefix, workers, processes);
    if (quarter + 1 == kQuarters) MPI_Comm_free(&workers);
    MPI_Send(NULL, 0, MPI_INT, 0, kEnd, MPI_COMM_WORLD);
  }
  return medianGrowth(at_end);
}

static long waitForWorkers(void) {
  MPI_Comm none;
  long at_end[kQuarters];
  MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, rank, &none);
  for (int quarter = 0; quarter < kQuarters; ++quarter) {
    for (int i = 1; i < ranks; ++i) MPI_Recv(NULL, 0, MPI_INT, i, kEnd, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at_end[quarter] = ownKilobytes();
  }
  return medianGrowth(at_end);
}

int main(int argc, char** argv) {
  if (argc < 2 || MPI_Init(&argc, &argv) != MPI_SUCCESS) return 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pid_t processes[kMostRanks] = {0};
  processes[rank] = getpid();
  for (int i = 0; i < ranks; ++i) MPI_Bcast(&processes[i], 1, MPI_INT, i, MPI_COMM_WORLD);
  const long grown = rank == 0 ? waitForWorkers() : work(atoi(argv[1]), argc > 2 ? argv[2] : NULL, processes);
  printf("rank %d grew by %ld kB\n", rank, grown);
  fflush(stdout);
  return MPI_Finalize() == MPI_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
