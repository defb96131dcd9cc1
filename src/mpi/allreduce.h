// The one entry of all calls: of the C interface and of the preload wrappers.
#pragma once

#include "starling/starling.h"

extern "C" {

// MPI_Allreduce, tuned, for wrappers that know where their caller called from. Returns an MPI error code.
STARLING_EXPORT int starling_allreduce_from(const void* return_address, const void* sendbuf, void* recvbuf, int count,
                                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
}
