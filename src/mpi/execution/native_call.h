// Leaves a call to the MPI library so that it can be counted whatever the program's own code does in it.
#pragma once

#include <exception>

#include "mpi/execution/native_allreduce.h"

namespace starling {

// Returns what `native` returns for these arguments, an MPI error code. Error handlers and operations are code of the
// program's, which may throw: that is kept in `thrown`, for the program to get when the call has been counted, since
// other ranks count theirs. Then the code tells whether the MPI library refused the arguments or failed later.
int callNative(NativeAllreduce native, std::exception_ptr& thrown, const void* sendbuf, void* recvbuf, int count,
               MPI_Datatype datatype, MPI_Op op, MPI_Comm communicator);

}  // namespace starling
