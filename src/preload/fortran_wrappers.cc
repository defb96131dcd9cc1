// MPI's symbols, wrapped for Fortran programs. Those of mpif.h and `use mpi` have one underscore, as gfortran and most
// compilers make it, or none, two, or upper case; those of `use mpi_f08` have the names that Open MPI gives its module
// procedures.
//
// Open MPI's Fortran routines call PMPI directly, so wrapping the C symbols is not enough.
#include "mpi/allreduce.h"
#include "preload/next_function.h"

// This address stands for MPI_IN_PLACE in Fortran. It is weak, because programs without Fortran do not have it.
extern "C" __attribute__((weak)) int mpi_fortran_in_place_;
extern "C" __attribute__((weak)) int mpi_fortran_bottom_;

namespace starling {
namespace {

using FortranInit = void (*)(MPI_Fint* ierror);
using FortranInitThread = void (*)(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror);
using FortranAllreduce = void (*)(const void* sendbuf, void* recvbuf, const MPI_Fint* count, const MPI_Fint* datatype,
                                  const MPI_Fint* op, const MPI_Fint* comm, MPI_Fint* ierror);

const void* cAddress(const void* fortran_buffer) {
  if (fortran_buffer == nullptr) return nullptr;
  if (fortran_buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (fortran_buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return fortran_buffer;
}

const void* fortranAddress(const void* c_buffer) {
  if (c_buffer == MPI_IN_PLACE) return &mpi_fortran_in_place_;
  if (c_buffer == MPI_BOTTOM) return &mpi_fortran_bottom_;
  return c_buffer;
}

void store(MPI_Fint* target, int code) {
  if (target != nullptr) *target = static_cast<MPI_Fint>(code);  // optional in mpi_f08
}

// `next` is null where no library has that spelling; then C's function is next.
void initialize(FortranInit next, MPI_Fint* ierror) {
  MPI_Fint code = MPI_SUCCESS;
  if (next != nullptr) {
    next(&code);
  } else {
    code = static_cast<MPI_Fint>(nextInit(nullptr, nullptr));
  }
  if (code == MPI_SUCCESS) starling_init_in_mpi_init();
  store(ierror, code);
}

void initializeThread(FortranInitThread next, const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {
  MPI_Fint code = MPI_SUCCESS;
  if (next != nullptr) {
    next(required, provided, &code);
  } else {
    int level = MPI_THREAD_SINGLE;
    code = static_cast<MPI_Fint>(nextInitThread(nullptr, nullptr, static_cast<int>(*required), &level));
    *provided = static_cast<MPI_Fint>(level);
  }
  if (code == MPI_SUCCESS) starling_init_in_mpi_init();
  store(ierror, code);
}

struct AllreduceArguments {
  const void* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

int callC(NativeAllreduce function, const AllreduceArguments& arguments) {
  return function(arguments.sendbuf, arguments.recvbuf, arguments.count, arguments.datatype, arguments.op,
                  arguments.comm);
}

// Goes on in Fortran with arguments that came from there.
int callNext(FortranAllreduce next, const AllreduceArguments& arguments) {
  if (next == nullptr) return callC(nextAllreduce, arguments);
  const auto count = static_cast<MPI_Fint>(arguments.count);
  const MPI_Fint datatype = PMPI_Type_c2f(arguments.datatype);
  const MPI_Fint op = PMPI_Op_c2f(arguments.op);
  const MPI_Fint comm = PMPI_Comm_c2f(arguments.comm);
  MPI_Fint code = MPI_SUCCESS;
  const HandedOn handed_on;
  next(fortranAddress(arguments.sendbuf), const_cast<void*>(fortranAddress(arguments.recvbuf)), &count, &datatype, &op,
       &comm, &code);
  return static_cast<int>(code);
}

// `native` goes on in the spelling in which the call came.
int allreduce(const void* return_address, const AllreduceArguments& arguments, NativeAllreduce native) {
  if (HandedOn::depth() == 1) return callC(native, arguments);
  if (HandedOn::depth() > 1) return callC(PMPI_Allreduce, arguments);
  return starling_allreduce_from(return_address, arguments.sendbuf, arguments.recvbuf, arguments.count,
                                 arguments.datatype, arguments.op, arguments.comm, native);
}

}  // namespace
}  // namespace starling

// Defines one spelling of the three routines. Each wrapper takes the return address itself, where it is its caller's.
#define STARLING_FORTRAN_WRAPPERS(init, init_thread, allreduce_name)                                                 \
  extern "C" STARLING_EXPORT void init(MPI_Fint* ierror) {                                                           \
    static const auto kNext = starling::nextFunction<starling::FortranInit>(#init);                                  \
    starling::initialize(kNext, ierror);                                                                             \
  }                                                                                                                  \
  extern "C" STARLING_EXPORT void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {      \
    static const auto kNext = starling::nextFunction<starling::FortranInitThread>(#init_thread);                     \
    starling::initializeThread(kNext, required, provided, ierror);                                                   \
  }                                                                                                                  \
  extern "C" STARLING_EXPORT void allreduce_name(const void* sendbuf, void* recvbuf, const MPI_Fint* count,          \
                                                 const MPI_Fint* datatype, const MPI_Fint* op, const MPI_Fint* comm, \
                                                 MPI_Fint* ierror) {                                                 \
    static const auto kNext = starling::nextFunction<starling::FortranAllreduce>(#allreduce_name);                   \
    const int code = starling::allreduce(                                                                            \
        __builtin_return_address(0),                                                                                 \
        {starling::cAddress(sendbuf), const_cast<void*>(starling::cAddress(recvbuf)), static_cast<int>(*count),      \
         PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)},                                          \
        [](const void* from, void* to, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {          \
          return starling::callNext(kNext, {from, to, n, type, operation, communicator});                            \
        });                                                                                                          \
    starling::store(ierror, code);                                                                                   \
  }

STARLING_FORTRAN_WRAPPERS(mpi_init, mpi_init_thread, mpi_allreduce)
STARLING_FORTRAN_WRAPPERS(mpi_init_, mpi_init_thread_, mpi_allreduce_)
STARLING_FORTRAN_WRAPPERS(mpi_init__, mpi_init_thread__, mpi_allreduce__)
STARLING_FORTRAN_WRAPPERS(MPI_INIT, MPI_INIT_THREAD, MPI_ALLREDUCE)
STARLING_FORTRAN_WRAPPERS(mpi_init_f08_, mpi_init_thread_f08_, mpi_allreduce_f08_)
