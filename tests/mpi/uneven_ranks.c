/* Preloaded into an MPI program: its ranks are told different things, as environment variables say. uneven_ranks_test
 * uses it.
 *
 *   UNEVEN_NODE_RANKS=N     every N ranks find themselves on a machine of their own
 *   UNEVEN_PROCESSORS=1     ranks with even numbers find 64 processors, the others 1
 *   UNEVEN_SPLIT=N          the Nth communicator that rank 1 splits off is said to have failed */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static int numberIn(const char* variable) {
  const char* text = getenv(variable);
  return text == NULL ? 0 : atoi(text);
}

static int ownRank(void) { return numberIn("OMPI_COMM_WORLD_RANK"); }

EXPORTED int PMPI_Get_processor_name(char* name, int* length) {
  const int ranks = numberIn("UNEVEN_NODE_RANKS");
  *length = sprintf(name, "machine%d", ranks > 0 ? ownRank() / ranks : 0);
  return MPI_SUCCESS;
}

typedef long (*sysconf_function)(int);

EXPORTED long sysconf(int name) {
  if (name == _SC_NPROCESSORS_ONLN && numberIn("UNEVEN_PROCESSORS") != 0) return ownRank() % 2 == 0 ? 64 : 1;
  sysconf_function next = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "sysconf");
  return next(name);
}

typedef int (*split_function)(MPI_Comm, int, int, MPI_Comm*);

EXPORTED int PMPI_Comm_split(MPI_Comm communicator, int color, int key, MPI_Comm* made) {
  static int splits = 0;
  split_function next = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Comm_split");
  const int code = next(communicator, color, key, made);
  if (++splits != numberIn("UNEVEN_SPLIT") || ownRank() != 1) return code;
  *made = MPI_COMM_NULL;
  return MPI_ERR_INTERN;
}
