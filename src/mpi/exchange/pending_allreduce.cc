#include "mpi/exchange/pending_allreduce.h"

namespace starling {

int PendingAllreduce::start(const void* own, void* combined, int count, MPI_Datatype type, MPI_Op operation,
                            MPI_Comm communicator) {
  combined_ = combined;
  count_ = count;
  type_ = type;
  communicator_ = communicator;
  is_open_ = true;
  is_reduced_only_ = kIsSimulated;
  if constexpr (kIsSimulated) {
    return PMPI_Ireduce(own, combined, count, type, operation, 0, communicator, &request_);
  } else {
    return PMPI_Iallreduce(own, combined, count, type, operation, communicator, &request_);
  }
}

// Whoever has started has sent, so that nobody is waited for.
int PendingAllreduce::advance() {
  if (!is_open_ || !is_reduced_only_) return MPI_SUCCESS;
  const int code = PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? startBroadcast() : code;
}

int PendingAllreduce::startBroadcast() {
  is_reduced_only_ = false;
  return PMPI_Ibcast(combined_, count_, type_, 0, communicator_, &request_);
}

int PendingAllreduce::finish() {
  int code = advance();
  if (code == MPI_SUCCESS) code = PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS) is_open_ = false;
  return code;
}

bool PendingAllreduce::isComplete() {
  int is_complete = 0;
  int code = PMPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && is_complete != 0 && is_reduced_only_) {
    code = startBroadcast();
    if (code == MPI_SUCCESS) code = PMPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE);
  }
  if (code == MPI_SUCCESS && is_complete != 0 && !is_reduced_only_) is_open_ = false;
  return code != MPI_SUCCESS || is_complete != 0;
}

}  // namespace starling
