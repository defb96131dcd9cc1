// Finds what a wrapper stands in front of. Starling is one of several libraries that may wrap a program's MPI
// functions: profilers and tracers do the same. Each one calls the next, and the last is the MPI library's own
// function.
//
// The next function is the one that the program would call if Starling were not there. So a wrapper of MPI_Allreduce
// goes on to the next MPI_Allreduce, and a wrapper of a Fortran spelling to the next function of that very spelling,
// not to MPI_Allreduce: a tool that wraps only C sees Fortran calls neither with Starling nor without it (Open MPI), or
// both times (MPICH, whose Fortran routines call C's MPI_ functions). Were calls turned from Fortran to C on the way,
// such a tool would see the beginning of a Fortran program, but never its MPI_Finalize.
#pragma once

#include <mpi.h>

#include <atomic>

namespace starling {

// Each of these finds a symbol as it is seen by the code at the address `caller`, whose library may have brought along
// libraries for itself alone, as a module of python does with the MPI library. THREADS: any.
//
// Finds a variable in the program, which may have a copy, or any library. Where there is none the address is one that
// nothing else has.
void* findVariable(const char* name, const void* caller);
// Finds a function behind this library, and never in it. Null: there is none.
void* findNext(const char* name, const void* caller);
// Does the same, and where there is none takes what libstarling.so itself uses: the program may have looked for MPI
// and found this library. Where even that is missing the process ends with a message.
void* requireNext(const char* name, const void* caller);

// Remembers what was found. THREADS: any.
template <typename Address, void* (*kFind)(const char* name, const void* caller)>
class Symbol {
 public:
  constexpr explicit Symbol(const char* name) : name_(name) {}

  Address seenBy(const void* caller) {
    void* address = found_.load(std::memory_order_acquire);
    if (address == nullptr) {
      address = kFind(name_, caller);
      found_.store(address, std::memory_order_release);
    }
    return reinterpret_cast<Address>(address);
  }

  const char* name() const { return name_; }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

template <typename Function>
using NextFunction = Symbol<Function, requireNext>;

}  // namespace starling
