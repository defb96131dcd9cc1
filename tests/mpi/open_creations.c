/* An MPI program that creates or frees communicators while it reduces, as it may. preload_creations_test runs it.
 *
 *   open_creations idup      rank 0 has begun to duplicate an older communicator, which the others begin to do later
 *   open_creations thread    likewise, in a thread of rank 0
 *   open_creations file      likewise, but a file is opened on the older communicator
 *   open_creations free      an attribute's delete callback reduces over the communicators that are being freed
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int wrong = 0;

static void reduce(MPI_Comm communicator, int calls) {
  static double in[20000];
  static double out[20000];
  int ranks = 0;
  MPI_Comm_size(communicator, &ranks);
  for (int call = 0; call < calls; ++call) {
    const int count = call % 2 == 0 ? 10 : 20000;
    for (int i = 0; i < count; ++i) in[i] = 1.0 + call;
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, communicator);
    wrong += out[count - 1] != ranks * (1.0 + call);
  }
}

static atomic_int has_begun = 0;

static int opens_file = 0;

/* All ranks have one parent. */
static void open_file(MPI_Comm older) {
  MPI_File file = MPI_FILE_NULL;
  char name[64];
  snprintf(name, sizeof name, "/tmp/starling-open-creations-%ld", (long)getppid());
  wrong += MPI_File_open(older, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                         &file) != MPI_SUCCESS;
  MPI_File_close(&file);
}

/* In one way or another. */
static void* duplicate(void* older) {
  MPI_Comm made = MPI_COMM_NULL;
  has_begun = 1;
  if (opens_file) {
    open_file(*(MPI_Comm*)older);
    return NULL;
  }
  MPI_Comm_dup(*(MPI_Comm*)older, &made);
  MPI_Comm_free(&made);
  return NULL;
}

static void create_while_reducing(int rank, int in_thread) {
  MPI_Comm older = MPI_COMM_NULL;
  MPI_Comm newer = MPI_COMM_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &older);
  MPI_Comm_dup(MPI_COMM_WORLD, &newer);
  if (rank == 0 && in_thread) {
    const struct timespec moment = {0, 100000000};
    pthread_create(&thread, NULL, duplicate, &older);
    while (!has_begun) nanosleep(&moment, NULL);
    nanosleep(&moment, NULL);
  }
  if (rank == 0 && !in_thread) MPI_Comm_idup(older, &made, &request);
  reduce(newer, 1500);
  if (in_thread) {
    if (rank == 0)
      pthread_join(thread, NULL);
    else
      duplicate(&older);
  } else {
    if (rank != 0) MPI_Comm_idup(older, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
  }
  reduce(newer, 200);
  MPI_Comm_free(&newer);
  MPI_Comm_free(&older);
}

static MPI_Comm outer = MPI_COMM_NULL;

/* The value of the outer communicator's attribute is another one, which goes with it. */
static int reduce_once_more(MPI_Comm communicator, int key, void* value, void* state) {
  (void)key;
  (void)state;
  reduce(communicator, 3);
  if (value != NULL) MPI_Comm_free(value);
  reduce(outer, 3);
  return MPI_SUCCESS;
}

/* The next communicator may have the freed one's place, with other ranks. */
static void reduce_while_freeing(int rank) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, reduce_once_more, &key, NULL);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm made = MPI_COMM_NULL;
    if (round % 2 == 0)
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
    else
      MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &made);
    MPI_Comm inner = MPI_COMM_NULL;
    MPI_Comm_dup(made, &inner);
    MPI_Comm_set_attr(inner, key, NULL);
    MPI_Comm_set_attr(made, key, &inner);
    reduce(made, 20);
    reduce(inner, 20);
    outer = made;
    MPI_Comm_free(&made);
  }
  MPI_Comm_free_keyval(&key);
}

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  int rank = 0;
  if (argc < 2) return 2;
  opens_file = strcmp(argv[1], "file") == 0;
  const int in_thread = opens_file || strcmp(argv[1], "thread") == 0;
  MPI_Init_thread(&argc, &argv, in_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(argv[1], "free") == 0)
    reduce_while_freeing(rank);
  else if (!in_thread || provided == MPI_THREAD_MULTIPLE)
    create_while_reducing(rank, in_thread);
  else
    printf("there is no MPI_THREAD_MULTIPLE here\n");
  MPI_Finalize();
  if (wrong > 0) fprintf(stderr, "%d sums were wrong\n", wrong);
  return wrong > 0;
}
