// A call that Starling leaves to the MPI library goes to such a function.
#pragma once

#include <mpi.h>

namespace starling {

// It has the arguments and the result of MPI_Allreduce: it is PMPI_Allreduce, or what stands behind a wrapper.
using NativeAllreduce = int (*)(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm);

}  // namespace starling
