// Tells which algorithm Open MPI runs for MPI_Allreduce, without looking into it: by the order in which it combines.
//
// The operation is declared commutative but is neither commutative nor associative, so the bytes that come out depend
// on the order of operands and on who combined what. Each line is "<algorithm> <ranks> <bytes> <fingerprint>", the
// fingerprint being of all ranks' results.
//
// rules_probe rules BYTES...   algorithm "rules": whatever is in force when the program starts
// rules_probe forced BYTES...  algorithms 0 to 6, forced one after the other (0 is the library's own choice);
//                              needs coll_tuned_use_dynamic_rules = 1
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kFewestRanks = 2, kAlgorithms = 7 };

static void mix(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const uint8_t* left = in;
  uint8_t* right = inout;
  for (int i = 0; i < *count; ++i) right[i] = (uint8_t)(3 * left[i] + 5 * right[i] + (left[i] ^ (right[i] >> 3)) + 1);
}

static uint64_t hash(const uint8_t* bytes, size_t size) {  // FNV-1a
  uint64_t value = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i) value = (value ^ bytes[i]) * 1099511628211u;
  return value;
}

// On rank 0 the fingerprint of all ranks' results of one allreduce.
static uint64_t fingerprint(MPI_Comm comm, MPI_Op operation, int bytes) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  uint8_t* values = malloc(2 * (size_t)bytes);
  uint8_t* result = values + bytes;
  uint64_t* hashes = malloc((size_t)ranks * sizeof *hashes);
  for (int i = 0; i < bytes; ++i) values[i] = (uint8_t)(31 * rank + 7 * i + 1);
  MPI_Allreduce(values, result, bytes, MPI_UINT8_T, operation, comm);
  const uint64_t own = hash(result, (size_t)bytes);
  MPI_Gather(&own, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, comm);
  const uint64_t all = rank == 0 ? hash((const uint8_t*)hashes, (size_t)ranks * sizeof *hashes) : 0;
  free(hashes);
  free(values);
  return all;
}

// Every communicator size from kFewestRanks to that of the world, each on a communicator of its own.
static void probe(const char* algorithm, MPI_Op operation, int sizes, char** bytes) {
  int rank = 0;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  for (int ranks = kFewestRanks; ranks <= world; ++ranks) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    for (int i = 0; i < sizes; ++i) {
      const uint64_t found = fingerprint(comm, operation, atoi(bytes[i]));
      if (rank == 0) printf("%s %d %s %016llx\n", algorithm, ranks, bytes[i], (unsigned long long)found);
    }
    MPI_Comm_free(&comm);
  }
}

// Holds for communicators that are made later.
static void forceAlgorithm(int algorithm) {
  int index = 0;
  int count = 0;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index("coll_tuned_allreduce_algorithm", &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_write(handle, &algorithm) != MPI_SUCCESS) {
    fprintf(stderr, "rules_probe: coll_tuned_allreduce_algorithm cannot be set; set coll_tuned_use_dynamic_rules\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_T_cvar_handle_free(&handle);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  if (rank == 0) printf("library %.*s\n", (int)strcspn(library, ",\n"), library);

  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create(mix, 1, &operation);
  if (argc > 2 && strcmp(argv[1], "rules") == 0) {
    probe("rules", operation, argc - 2, argv + 2);
  } else if (argc > 2 && strcmp(argv[1], "forced") == 0) {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (int algorithm = 0; algorithm < kAlgorithms; ++algorithm) {
      char name[16];
      snprintf(name, sizeof name, "%d", algorithm);
      forceAlgorithm(algorithm);
      probe(name, operation, argc - 2, argv + 2);
    }
    MPI_T_finalize();  // before MPI_Finalize: the other order crashes Open MPI 4.1
  } else if (rank == 0) {
    fprintf(stderr, "usage: rules_probe rules|forced BYTES...\n");
  }
  MPI_Op_free(&operation);
  MPI_Finalize();
  return 0;
}
