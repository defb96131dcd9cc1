// Does what every function of the C interface does around its own work.
#pragma once

#include <exception>
#include <new>

#include "mpi/runtime.h"
#include "starling/starling.h"

namespace starling {

// Returns the result of `work`, a STARLING_ code. No exception may reach C or Fortran: all that is thrown means that
// memory is short.
template <typename Work>
int controlled(const Work& work) {
  try {
    return work();
  } catch (const std::exception&) {
    return STARLING_ERROR_MEMORY;
  }
}

// Returns whether it is the communicator's first call, at which ranks wait for each other, and MPI refuses it: then no
// other rank need make one.
template <typename IsRefused>
bool isRefusedFirstCall(MPI_Comm communicator, const IsRefused& is_refused) {
  return Runtime::get().wouldAttach(communicator) && is_refused();
}

// These return what is attached to the communicator, and its session, which are made at its first call; null where the
// call is for the MPI library alone, because MPI is to refuse its arguments or memory is short. `is_refused` () tells
// whether MPI refuses the call.
template <typename IsRefused>
Attachment* attachmentOfCall(bool is_valid, MPI_Comm communicator, const IsRefused& is_refused) {
  try {
    if (!is_valid) return nullptr;
    if (Attachment* const known = Runtime::get().knownAttachment(communicator)) return known;
    return isRefusedFirstCall(communicator, is_refused) ? nullptr : Runtime::get().attachment(communicator);
  } catch (const std::exception&) {
    return nullptr;
  }
}
template <typename IsRefused>
Session* sessionOfCall(bool is_valid, MPI_Comm communicator, const IsRefused& is_refused) {
  try {
    if (!is_valid || isRefusedFirstCall(communicator, is_refused)) return nullptr;
    return Runtime::get().session(communicator);
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Returns what takes part in the calls of a communicator that has no session on this rank alone; null: nothing does.
inline AbsentSession* absentOfCall(bool is_valid, MPI_Comm communicator) {
  try {
    return is_valid ? Runtime::get().absentSession(communicator) : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Returns the result of `call`, an MPI error code. What a call needs was taken before, and agreed on; if memory is
// short all the same, the program is told as MPI tells it, since it is not known here what the other ranks do by now.
// What else is thrown is the program's own: its error handler or its operation has thrown it.
template <typename Call>
int called(MPI_Comm communicator, const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    PMPI_Comm_call_errhandler(communicator, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace starling
