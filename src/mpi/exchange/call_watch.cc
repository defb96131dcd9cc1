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
  return combination_.start(&numbers_->own, &numbers_->shortest, 1, MPI_INT64_T, MPI_MIN, communicator_);
}

}  // namespace starling
