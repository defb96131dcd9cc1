/* An MPI program that knows nothing of Starling, one rank of which is short of memory. memory_shortage_test runs it
 * with the preload library in the way:
 *
 *   short_of_memory VICTIM SPARE CALLS
 *
 * Once CALLS calls are made, rank VICTIM limits its address space to what it uses by then and SPARE bytes more, and all
 * ranks go on: with new counts in each call, from many lines, on new communicators. Before that the MPI library has had
 * all the memory that it needs. Exit status 1: a call failed, or a sum was wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kMostCount = 32768, kMostRanks = 8, kLater = 240, kOnNew = 24, kNew = 6, kWindow = 16 };

static double in[kMostCount];
static double out[kMostCount];
static int rank;
static int ranks;

static void check(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "short_of_memory: rank %d: wrong: %s\n", rank, what);
  fflush(stderr);
  _exit(EXIT_FAILURE);
}

/* Each line is a site of its own. */
static int reduce(int line, int count, MPI_Comm communicator) {
  switch (line % 5) {
    case 0:
      return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, communicator);
    case 1:
      return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, communicator);
    case 2:
      return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, communicator);
    case 3:
      return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, communicator);
    default:
      return MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, communicator);
  }
}

static void reduceAndCheck(int line, int count, MPI_Comm communicator) {
  for (int i = 0; i < count; ++i) {
    in[i] = rank + i;
    out[i] = -1.0;
  }
  check(reduce(line, count, communicator) == MPI_SUCCESS, "the error code of a call");
  for (int i = 0; i < count; ++i) check(out[i] == ranks * (ranks - 1) / 2.0 + (double)ranks * i, "a sum");
}

/* 8 bytes to 256 KiB, hardly a count twice. */
static int countOfCall(int call) {
  const int size = 1 << (call * 7 % 15);
  return size + (call * 37 % size);
}

static void exchangeWithAll(int count, MPI_Comm communicator) {
  static double received[kMostRanks];
  MPI_Request requests[2 * kMostRanks * kWindow];
  int started = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    for (int i = 0; i < kWindow; ++i) {
      MPI_Irecv(&received[peer], 1, MPI_DOUBLE, peer, i, communicator, &requests[started++]);
      MPI_Issend(in, 1, MPI_DOUBLE, peer, i, communicator, &requests[started++]);
    }
  }
  MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (rank + distance) % ranks;
    const int from = (rank + ranks - distance) % ranks;
    MPI_Sendrecv(in, count, MPI_DOUBLE, to, 0, out, count, MPI_DOUBLE, from, 0, communicator, MPI_STATUS_IGNORE);
  }
}

/* What the library takes for itself it takes here: PMPI_ names are no tuned calls. */
static void warmUp(void) {
  MPI_Comm copies[2 * kNew];
  for (int i = 0; i < 2 * kNew; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &copies[i]);
    for (int count = 1; count <= kMostCount; count *= 8) {
      exchangeWithAll(count, copies[i]);
      PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, copies[i]);
    }
    MPI_Request requests[3];
    MPI_Iallreduce(in, out, 8, MPI_DOUBLE, MPI_SUM, copies[i], &requests[0]);
    MPI_Igather(in, 64, MPI_DOUBLE, out + 8, 64, MPI_DOUBLE, 0, copies[i], &requests[1]);
    MPI_Ibcast(out + 1024, 4096, MPI_DOUBLE, 0, copies[i], &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2 * kNew; ++i) MPI_Comm_free(&copies[i]);
}

static void limitMemory(long spare) {
  long pages = 0;
  FILE* statistics = fopen("/proc/self/statm", "r");
  check(statistics != NULL && fscanf(statistics, "%ld", &pages) == 1, "/proc/self/statm");
  fclose(statistics);
  const rlim_t most = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + spare);
  const struct rlimit limit = {most, most};
  check(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
}

int main(int argc, char** argv) {
  if (argc != 4 || MPI_Init(&argc, &argv) != MPI_SUCCESS) return 3;
  const int victim = atoi(argv[1]);
  const int calls = atoi(argv[3]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  warmUp();
  for (int call = 0; call < calls; ++call) reduceAndCheck(call, call % 2 == 0 ? 100 : 20000, MPI_COMM_WORLD);
  if (rank == victim) limitMemory(atol(argv[2]));
  for (int call = 0; call < kLater; ++call) reduceAndCheck(call, countOfCall(call), MPI_COMM_WORLD);
  MPI_Comm copies[kNew];
  for (int i = 0; i < kNew; ++i) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]) == MPI_SUCCESS, "MPI_Comm_dup");
    for (int call = 0; call < kOnNew; ++call) reduceAndCheck(call, countOfCall(call), copies[i]);
  }
  for (int i = 0; i < kNew; ++i) check(MPI_Comm_free(&copies[i]) == MPI_SUCCESS, "MPI_Comm_free");
  return MPI_Finalize() == MPI_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
