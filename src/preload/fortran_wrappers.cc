// MPI's symbols, wrapped for Fortran programs. Open MPI's Fortran routines call PMPI directly, so wrapping the C
// symbols is not enough.
#include "preload/fortran_constant.h"
#include "preload/freeing.h"
#include "preload/handed_on.h"
#include "preload/loaded_starling.h"
#include "preload/symbols.h"

namespace starling {
namespace {

using FortranInit = void (*)(MPI_Fint* ierror);
using FortranInitThread = void (*)(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror);
using FortranAllreduce = void (*)(const void* sendbuf, void* recvbuf, const MPI_Fint* count, const MPI_Fint* datatype,
                                  const MPI_Fint* op, const MPI_Fint* comm, MPI_Fint* ierror);

// The addresses of these variables stand for MPI_IN_PLACE and MPI_BOTTOM in Fortran; other programs do not have them.
constinit FortranConstant g_in_place{"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__",
                                     "MPI_FORTRAN_IN_PLACE"};
constinit FortranConstant g_bottom{"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__",
                                   "MPI_FORTRAN_BOTTOM"};

const void* cAddress(const void* fortran_buffer, const void* caller) {
  if (fortran_buffer == nullptr) return nullptr;
  if (g_in_place.isAt(fortran_buffer, caller)) return MPI_IN_PLACE;
  if (g_bottom.isAt(fortran_buffer, caller)) return MPI_BOTTOM;
  return fortran_buffer;
}

const void* fortranAddress(const void* c_buffer) {
  if (c_buffer == MPI_IN_PLACE) return g_in_place.ofMpi();
  if (c_buffer == MPI_BOTTOM) return g_bottom.ofMpi();
  return c_buffer;
}

void store(MPI_Fint* target, int code) {
  if (target != nullptr) *target = static_cast<MPI_Fint>(code);  // optional in mpi_f08
}

void startAfter(MPI_Fint code, MPI_Fint* ierror, const void* caller) {
  const WrapperTable* const table = code == MPI_SUCCESS ? loadStarling(caller) : nullptr;
  if (table != nullptr) table->start_in_mpi_init();
  store(ierror, static_cast<int>(code));
}

struct AllreduceArguments {
  const void* sendbuf;
  void* recvbuf;
  int count;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

// Goes on in Fortran with arguments that came from there.
int handOn(FortranAllreduce next, const AllreduceArguments& arguments) {
  const WrapperTable& mpi = *loadedStarling();
  const auto count = static_cast<MPI_Fint>(arguments.count);
  const MPI_Fint datatype = mpi.type_to_fortran(arguments.datatype);
  const MPI_Fint op = mpi.op_to_fortran(arguments.op);
  const MPI_Fint comm = mpi.comm_to_fortran(arguments.comm);
  MPI_Fint code = MPI_SUCCESS;
  HandedOn::by([&] {
    next(fortranAddress(arguments.sendbuf), const_cast<void*>(fortranAddress(arguments.recvbuf)), &count, &datatype,
         &op, &comm, &code);
  });
  return static_cast<int>(code);
}

// `native` goes on in the spelling in which the call came.
int allreduce(const WrapperTable& starling, const void* caller, const AllreduceArguments& to, NativeAllreduce native) {
  switch (HandedOn::depth()) {
    case 0:
      if (Freeing::isOf(to.comm)) return native(to.sendbuf, to.recvbuf, to.count, to.datatype, to.op, to.comm);
      return starling.allreduce(caller, to.sendbuf, to.recvbuf, to.count, to.datatype, to.op, to.comm, native);
    case 1:
      return native(to.sendbuf, to.recvbuf, to.count, to.datatype, to.op, to.comm);
    default:
      return starling.pmpi_allreduce(to.sendbuf, to.recvbuf, to.count, to.datatype, to.op, to.comm);
  }
}

}  // namespace
}  // namespace starling

// Defines one spelling of the three routines. Each wrapper takes the return address itself, where it is its caller's.
#define STARLING_FORTRAN_NAMES(init, init_thread, allreduce_name)                                                    \
  extern "C" STARLING_EXPORT void init(MPI_Fint* ierror) {                                                           \
    static constinit starling::NextFunction<starling::FortranInit> next{#init};                                      \
    const void* const caller = __builtin_return_address(0);                                                          \
    MPI_Fint code = MPI_SUCCESS;                                                                                     \
    next.seenBy(caller)(&code);                                                                                      \
    starling::startAfter(code, ierror, caller);                                                                      \
  }                                                                                                                  \
  extern "C" STARLING_EXPORT void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {      \
    static constinit starling::NextFunction<starling::FortranInitThread> next{#init_thread};                         \
    const void* const caller = __builtin_return_address(0);                                                          \
    MPI_Fint code = MPI_SUCCESS;                                                                                     \
    next.seenBy(caller)(required, provided, &code);                                                                  \
    starling::startAfter(code, ierror, caller);                                                                      \
  }                                                                                                                  \
  extern "C" STARLING_EXPORT void allreduce_name(const void* sendbuf, void* recvbuf, const MPI_Fint* count,          \
                                                 const MPI_Fint* datatype, const MPI_Fint* op, const MPI_Fint* comm, \
                                                 MPI_Fint* ierror) {                                                 \
    static constinit starling::NextFunction<starling::FortranAllreduce> next{#allreduce_name};                       \
    const void* const caller = __builtin_return_address(0);                                                          \
    const auto go_on = next.seenBy(caller);                                                                          \
    const starling::WrapperTable* const table = starling::loadStarling(caller);                                      \
    if (table == nullptr) return go_on(sendbuf, recvbuf, count, datatype, op, comm, ierror);                         \
    const int code = starling::allreduce(                                                                            \
        *table, caller,                                                                                              \
        {starling::cAddress(sendbuf, caller), const_cast<void*>(starling::cAddress(recvbuf, caller)),                \
         static_cast<int>(*count), table->type_from_fortran(*datatype), table->op_from_fortran(*op),                 \
         table->comm_from_fortran(*comm)},                                                                           \
        [](const void* from, void* to, int n, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator) {          \
          return starling::handOn(next.seenBy(nullptr), {from, to, n, type, operation, communicator});               \
        });                                                                                                          \
    starling::store(ierror, code);                                                                                   \
  }

#include "preload/fortran_names.inc"
