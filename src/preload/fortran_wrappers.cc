// MPI's symbols, wrapped for Fortran programs: mpif.h and `use mpi` (one underscore, as gfortran and most compilers
// make it; also none, two, and upper case), and `use mpi_f08` (the names Open MPI gives its module procedures).
//
// Open MPI's Fortran routines call PMPI directly, so wrapping the C symbols is not enough.
#include "mpi/allreduce.h"

// The address that stands for MPI_IN_PLACE in Fortran. Weak: programs without Fortran do not have it.
extern "C" __attribute__((weak)) int mpi_fortran_in_place_;
extern "C" __attribute__((weak)) int mpi_fortran_bottom_;

namespace {

const void* cAddress(const void* fortran_buffer) {
  if (fortran_buffer == nullptr) return nullptr;
  if (fortran_buffer == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (fortran_buffer == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return fortran_buffer;
}

void store(MPI_Fint* target, int code) {
  if (target != nullptr) *target = static_cast<MPI_Fint>(code);  // optional in mpi_f08
}

void initialize(MPI_Fint* ierror) {
  const int code = PMPI_Init(nullptr, nullptr);
  if (code == MPI_SUCCESS) starling_init();
  store(ierror, code);
}

void initializeThread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {
  int level = MPI_THREAD_SINGLE;
  const int code = PMPI_Init_thread(nullptr, nullptr, static_cast<int>(*required), &level);
  if (code == MPI_SUCCESS) starling_init();
  *provided = static_cast<MPI_Fint>(level);
  store(ierror, code);
}

struct AllreduceArguments {
  const void* sendbuf;
  void* recvbuf;
  const MPI_Fint* count;
  const MPI_Fint* datatype;
  const MPI_Fint* op;
  const MPI_Fint* comm;
};

void allreduce(const void* return_address, const AllreduceArguments& arguments, MPI_Fint* ierror) {
  const int code = starling_allreduce_from(return_address, cAddress(arguments.sendbuf),
                                           const_cast<void*>(cAddress(arguments.recvbuf)),
                                           static_cast<int>(*arguments.count), PMPI_Type_f2c(*arguments.datatype),
                                           PMPI_Op_f2c(*arguments.op), PMPI_Comm_f2c(*arguments.comm));
  store(ierror, code);
}

}  // namespace

// One spelling of the three routines. The return address is taken in the wrapper itself, where it is the caller's.
#define STARLING_FORTRAN_WRAPPERS(init, init_thread, allreduce_name)                                                 \
  extern "C" STARLING_EXPORT void init(MPI_Fint* ierror) { initialize(ierror); }                                     \
  extern "C" STARLING_EXPORT void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {      \
    initializeThread(required, provided, ierror);                                                                    \
  }                                                                                                                  \
  extern "C" STARLING_EXPORT void allreduce_name(const void* sendbuf, void* recvbuf, const MPI_Fint* count,          \
                                                 const MPI_Fint* datatype, const MPI_Fint* op, const MPI_Fint* comm, \
                                                 MPI_Fint* ierror) {                                                 \
    allreduce(__builtin_return_address(0), {sendbuf, recvbuf, count, datatype, op, comm}, ierror);                   \
  }

STARLING_FORTRAN_WRAPPERS(mpi_init, mpi_init_thread, mpi_allreduce)
STARLING_FORTRAN_WRAPPERS(mpi_init_, mpi_init_thread_, mpi_allreduce_)
STARLING_FORTRAN_WRAPPERS(mpi_init__, mpi_init_thread__, mpi_allreduce__)
STARLING_FORTRAN_WRAPPERS(MPI_INIT, MPI_INIT_THREAD, MPI_ALLREDUCE)
STARLING_FORTRAN_WRAPPERS(mpi_init_f08_, mpi_init_thread_f08_, mpi_allreduce_f08_)
