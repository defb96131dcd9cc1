/* A tool that wraps MPI, as profilers do: it counts calls, and at MPI_Finalize each rank appends a line with what it
 * saw to the file that STACKED_TOOL_FILE names.
 * stacking_test preloads it in front of Starling and behind it. These environment variables say what kind of tool it
 * is: STACKED_TOOL_CALLS=next   its wrappers call the next MPI_ function (else PMPI_) STACKED_TOOL_INNER=guarded,
 * unguarded its MPI_Allreduce calls MPI_Allreduce, knowing (or not) that this may come back to it
 *   STACKED_TOOL_FORTRAN=c    its Fortran wrappers count nothing and call MPI_Allreduce
 *   STACKED_TOOL_INIT=fails   its MPI_Init returns an error
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern __attribute__((weak)) int mpi_fortran_in_place_;

static int g_init = 0;
static int g_allreduce = 0;
static int g_finalize = 0;
static int g_depth = 0; /* of this tool's MPI_Allreduce */

typedef int (*Init)(int*, char***);
typedef int (*InitThread)(int*, char***, int, int*);
typedef int (*Allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int (*Finalize)(void);
typedef void (*FortranInit)(MPI_Fint*);
typedef void (*FortranInitThread)(const MPI_Fint*, MPI_Fint*, MPI_Fint*);
typedef void (*FortranAllreduce)(const void*, void*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, const MPI_Fint*,
                                 MPI_Fint*);

static int is(const char* variable, const char* value) {
  const char* text = getenv(variable);
  return text != NULL && strcmp(text, value) == 0;
}

/* Below this tool: the next function called `name`, or that with a p in front of it. */
static void* below(const char* name) {
  char profiled[64];
  if (is("STACKED_TOOL_CALLS", "next")) return dlsym(RTLD_NEXT, name);
  snprintf(profiled, sizeof(profiled), "%c%s", name[0] == 'M' ? 'P' : 'p', name);
  return dlsym(RTLD_DEFAULT, profiled);
}

static int afterInit(int code) {
  ++g_init;
  return is("STACKED_TOOL_INIT", "fails") ? MPI_ERR_OTHER : code;
}

int MPI_Init(int* argc, char*** argv) { return afterInit(((Init)below("MPI_Init"))(argc, argv)); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return afterInit(((InitThread)below("MPI_Init_thread"))(argc, argv, required, provided));
}

/* An allreduce of the tool's own: all ranks agree on the count. Not a part of MPI_Allreduce itself, because compilers
 * take it that a function which calls itself does so directly, whatever is preloaded. */
__attribute__((noinline)) static int agreeOnCount(int count, MPI_Comm comm) {
  int most = count;
  const int code = MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
  return code == MPI_SUCCESS && most != count ? MPI_ERR_COUNT : code;
}

static int agreesFirst(void) {
  return (g_depth == 1 && is("STACKED_TOOL_INNER", "guarded")) || is("STACKED_TOOL_INNER", "unguarded");
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int code = MPI_SUCCESS;
  ++g_depth;
  if (g_depth == 1) ++g_allreduce;
  if (agreesFirst()) code = agreeOnCount(count, comm);
  if (code == MPI_SUCCESS) {
    code = ((Allreduce)below("MPI_Allreduce"))(sendbuf, recvbuf, count, datatype, op, comm);
  }
  --g_depth;
  return code;
}

/* Before the next MPI_Finalize, so that all lines are there once the program has ended. */
static void tell(void) {
  const char* path = getenv("STACKED_TOOL_FILE");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  ++g_finalize;
  if (file == NULL) return;
  fprintf(file, "init %d allreduce %d finalize %d\n", g_init, g_allreduce, g_finalize);
  fclose(file);
}

int MPI_Finalize(void) {
  tell();
  return ((Finalize)below("MPI_Finalize"))();
}

static void allreduceByC(const void* sendbuf, void* recvbuf, MPI_Fint count, MPI_Fint datatype, MPI_Fint op,
                         MPI_Fint comm, MPI_Fint* ierror) {
  const int code = MPI_Allreduce(sendbuf == &mpi_fortran_in_place_ ? MPI_IN_PLACE : sendbuf, recvbuf, count,
                                 MPI_Type_f2c(datatype), MPI_Op_f2c(op), MPI_Comm_f2c(comm));
  if (ierror != NULL) *ierror = code;
}

#define FORTRAN_WRAPPERS(init, init_thread, allreduce, finalize)                                      \
  void init(MPI_Fint* ierror) {                                                                       \
    ++g_init;                                                                                         \
    ((FortranInit)below(#init))(ierror);                                                              \
  }                                                                                                   \
  void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {                  \
    ++g_init;                                                                                         \
    ((FortranInitThread)below(#init_thread))(required, provided, ierror);                             \
  }                                                                                                   \
  void allreduce(const void* sendbuf, void* recvbuf, const MPI_Fint* count, const MPI_Fint* datatype, \
                 const MPI_Fint* op, const MPI_Fint* comm, MPI_Fint* ierror) {                        \
    if (is("STACKED_TOOL_FORTRAN", "c")) {                                                            \
      allreduceByC(sendbuf, recvbuf, *count, *datatype, *op, *comm, ierror);                          \
      return;                                                                                         \
    }                                                                                                 \
    ++g_allreduce;                                                                                    \
    ((FortranAllreduce)below(#allreduce))(sendbuf, recvbuf, count, datatype, op, comm, ierror);       \
  }                                                                                                   \
  void finalize(MPI_Fint* ierror) {                                                                   \
    tell();                                                                                           \
    ((FortranInit)below(#finalize))(ierror);                                                          \
  }

FORTRAN_WRAPPERS(mpi_init_, mpi_init_thread_, mpi_allreduce_, mpi_finalize_)
FORTRAN_WRAPPERS(mpi_init_f08_, mpi_init_thread_f08_, mpi_allreduce_f08_, mpi_finalize_f08_)
