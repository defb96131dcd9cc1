// What libstarling.so does for the preload library, which is loaded into every process and so links nothing of
// Starling's, nor the MPI library: it asks for this table in MPI_Init.
#pragma once

#include "mpi/execution/native_allreduce.h"
#include "starling/starling.h"

namespace starling {

// This number changes with the members of the table.
constexpr int kWrapperTableVersion = 3;

struct WrapperTable {
  // Does what starling_init() does, at the end of MPI_Init and before any code of the program's that may call MPI.
  void (*start_in_mpi_init)();

  // Does what MPI_Allreduce does, tuned, for wrappers that know where their caller called from, and what stands behind
  // them: `native` gets the calls that Starling leaves to the MPI library, with the arguments given here. Returns an
  // MPI error code.
  //
  // The functions that programs call by name (tuned_allreduce and its like) leave such calls to PMPI_Allreduce,
  // whatever is preloaded: a program may define an MPI_Allreduce of its own that calls tuned_allreduce, and calling
  // MPI_Allreduce from there would never end.
  int (*allreduce)(const void* return_address, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, NativeAllreduce native);

  // Calls `work` with `context`, and counts in `depth` while it lasts. It may end by an exception, of which the preload
  // library takes no notice, since it would need the C++ library for that.
  void (*count_during)(int& depth, void (*work)(const void* context), const void* context);

  // Likewise, and `place` holds `value` while it lasts.
  void (*set_during)(const void*& place, const void* value, void (*work)(const void* context), const void* context);

  // These do what the functions of Creations do.
  void (*create)(void (*work)(const void* context), const void* context);
  void (*note_lasting_creation)();

  // These are the MPI library's own.
  NativeAllreduce pmpi_allreduce;
  MPI_Datatype (*type_from_fortran)(MPI_Fint);
  MPI_Op (*op_from_fortran)(MPI_Fint);
  MPI_Comm (*comm_from_fortran)(MPI_Fint);
  MPI_Fint (*type_to_fortran)(MPI_Datatype);
  MPI_Fint (*op_to_fortran)(MPI_Op);
  MPI_Fint (*comm_to_fortran)(MPI_Comm);
};

// The first two functions of the table.
void startInMpiInit();
int allreduceFrom(const void* return_address, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm, NativeAllreduce native);

}  // namespace starling

// Returns the table, which lives forever, or null where it is not of that version. THREADS: any.
extern "C" STARLING_EXPORT const starling::WrapperTable* starling_wrapper_table(int version);
