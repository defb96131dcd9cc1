/* An MPI program whose buffers lie on a device, and that knows nothing of Starling. device_buffers_test runs it with a
 * fake driver and a device-aware MPI library:
 *
 *     device_buffers all|one|send|receive|in_place|changing
 *
 * says which buffers: both on all ranks; both on the last rank; all ranks' send buffers, or receive buffers; one buffer
 * for both; or both, in every third call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kCalls = 120, kCount = 500 };

static void* deviceMemory(size_t bytes) {
  void* (*allocate)(int, size_t) = (void* (*)(int, size_t))dlsym(RTLD_DEFAULT, "fake_allocate");
  return allocate == NULL ? NULL : allocate(0, bytes);
}

static void copy(void* to, const void* from, size_t bytes) {
  ((void (*)(void*, const void*, size_t))dlsym(RTLD_DEFAULT, "fake_copy"))(to, from, bytes);
}

struct Buffers {
  const char* where;
  int rank;
  int ranks;
  double* device_in;
  double* device_out;
};

static int is(const struct Buffers* buffers, const char* where) { return strcmp(buffers->where, where) == 0; }

static int isOnDevice(const struct Buffers* buffers, const char* side, int call) {
  return is(buffers, "all") || is(buffers, "in_place") || is(buffers, side) ||
         (is(buffers, "one") && buffers->rank == buffers->ranks - 1) || (is(buffers, "changing") && call % 3 == 2);
}

/* Returns how many sums are wrong. */
static int reduce(const struct Buffers* buffers, int call) {
  double host_in[kCount];
  double host_out[kCount];
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    host_in[i] = buffers->rank + 1 + call;
    host_out[i] = -1.0;
  }
  double* in = isOnDevice(buffers, "send", call) ? buffers->device_in : host_in;
  double* out = isOnDevice(buffers, "receive", call) ? buffers->device_out : host_out;
  if (in != host_in) copy(in, host_in, sizeof(host_in));
  if (out != host_out) copy(out, host_out, sizeof(host_out));
  if (is(buffers, "in_place")) {
    MPI_Allreduce(MPI_IN_PLACE, in, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    out = in;
  } else {
    MPI_Allreduce(in, out, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (out != host_out) copy(host_out, out, sizeof(host_out));
  const int expected = buffers->ranks * (buffers->ranks + 1) / 2 + buffers->ranks * call;
  for (int i = 0; i < kCount; ++i) wrong += host_out[i] != expected;
  return wrong;
}

int main(int argc, char** argv) {
  struct Buffers buffers = {argc > 1 ? argv[1] : "", 0, 0, NULL, NULL};
  int wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &buffers.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &buffers.ranks);
  buffers.device_in = deviceMemory(kCount * sizeof(double));
  buffers.device_out = deviceMemory(kCount * sizeof(double));
  if (buffers.device_in == NULL || buffers.device_out == NULL) {
    fprintf(stderr, "device_buffers: there is no memory on a device\n");
    return 3;
  }
  for (int call = 0; call < kCalls; ++call) wrong += reduce(&buffers, call);
  MPI_Finalize();
  if (wrong > 0) fprintf(stderr, "device_buffers: %d wrong sums\n", wrong);
  return wrong > 0;
}
