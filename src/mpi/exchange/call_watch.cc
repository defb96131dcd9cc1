#include "mpi/exchange/call_watch.h"

#include <algorithm>

namespace starling {

CallWatch::CallWatch(MPI_Comm private_communicator, int rank)
    : communicator_(private_communicator),
      rank_(std::min<std::int64_t>(rank, kRankMask)),
      numbers_(std::make_unique<Numbers>()) {}

CallWatch::~CallWatch() {
  if (isOpen()) static_cast<void>(numbers_.release());
}

int CallWatch::start(const WatchedCall& call, std::int64_t elapsed_ns) {
  call_ = call;
  numbers_->own = std::clamp<std::int64_t>(elapsed_ns, 0, kLongestNs) << kRankBits | rank_;
  return combination_.start(&numbers_->own, &numbers_->shortest, 1, MPI_INT64_T, MPI_MIN, communicator_);
}

}  // namespace starling
