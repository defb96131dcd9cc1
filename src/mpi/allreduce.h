// The preload wrappers call these functions.
#pragma once

#include "mpi/native_allreduce.h"
#include "starling/starling.h"

extern "C" {

// Does what MPI_Allreduce does, tuned, for wrappers that know where their caller called from, and what stands behind
// them: `native` gets the calls that Starling leaves to the MPI library, with the arguments given here. Returns an MPI
// error code.
//
// The functions that programs call by name (tuned_allreduce and its like) leave such calls to PMPI_Allreduce, whatever
// is preloaded: a program may define an MPI_Allreduce of its own that calls tuned_allreduce, and calling MPI_Allreduce
// from there would never end.
STARLING_EXPORT int starling_allreduce_from(const void* return_address, const void* sendbuf, void* recvbuf, int count,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                            starling::NativeAllreduce native);

// Does what starling_init() does, at the end of MPI_Init and before any code of the program's that may call MPI.
STARLING_EXPORT void starling_init_in_mpi_init(void);
}
