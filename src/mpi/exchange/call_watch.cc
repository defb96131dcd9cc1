#include "mpi/exchange/call_watch.h"

namespace starling {

CallWatch::CallWatch(MPI_Comm private_communicator)
    : communicator_(private_communicator), numbers_(std::make_unique<Numbers>()) {}

CallWatch::~CallWatch() {
  if (isOpen()) static_cast<void>(numbers_.release());
}

int CallWatch::start(const Call& call, std::int64_t elapsed_ns) {
  call_ = call;
  numbers_->own = elapsed_ns;
  return PMPI_Iallreduce(&numbers_->own, &numbers_->shortest, 1, MPI_INT64_T, MPI_MIN, communicator_, &request_);
}

int CallWatch::finish() { return PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

// An error counts as complete: whoever finishes it hears of it.
bool CallWatch::isComplete() {
  int complete = 0;
  const int code = PMPI_Test(&request_, &complete, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS || complete != 0;
}

}  // namespace starling
