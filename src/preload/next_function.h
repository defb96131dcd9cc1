// What a wrapper stands in front of. Starling is one of several libraries that may wrap a program's MPI functions:
// profilers and tracers do the same. Each one calls the next, and the last is the MPI library's own function.
//
// The next function is the one that the program would call if Starling were not there. So a wrapper of MPI_Allreduce
// goes on to the next MPI_Allreduce, and a wrapper of a Fortran spelling to the next function of that very spelling,
// not to MPI_Allreduce: a tool that wraps only C sees Fortran calls neither with Starling nor without it (Open MPI), or
// both times (MPICH, whose Fortran routines call C's MPI_ functions). Were calls turned from Fortran to C on the way,
// such a tool would see the beginning of a Fortran program, but never its MPI_Finalize.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

namespace starling {

// The next definition of `name` after this library in the dynamic linker's order, or null where there is none. Never
// this library's own. THREADS: may be called from any thread.
template <typename Function>
Function nextFunction(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The same, and `fallback` where there is none.
template <typename Function>
Function nextFunction(const char* name, Function fallback) {
  const auto next = nextFunction<Function>(name);
  return next != nullptr ? next : fallback;
}

// The next C functions. Returns their MPI error codes.
int nextInit(int* argc, char*** argv);
int nextInitThread(int* argc, char*** argv, int required, int* provided);
int nextAllreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

// Stands for an allreduce that this thread has handed on to the next function and that has not come back yet. What
// calls an allreduce meanwhile is a tool or the MPI library, never the program, and Starling stays out of it, which all
// ranks find alike because they hand on the same calls.
//
// Two such calls are common. Fortran wrappers of tools count nothing and call C's MPI_Allreduce, which comes to
// Starling first and belongs to that tool: depth 1 goes on to the next function. And tools allreduce something of their
// own; that this ends is their business, but a tool that relies on being first would come back to itself through
// Starling forever: depth 2 goes to the MPI library at once. THREADS: each thread has its own depth.
class HandedOn {
 public:
  HandedOn() { ++g_depth; }
  ~HandedOn() { --g_depth; }
  HandedOn(const HandedOn&) = delete;
  HandedOn& operator=(const HandedOn&) = delete;

  static int depth() { return g_depth; }

 private:
  static thread_local int g_depth;
};

}  // namespace starling
