#include "mpi/exchange/arrival_flags.h"

#include <algorithm>

#include "algos/flagged.h"
#include "mpi/execution/abandoned_requests.h"
#include "mpi/execution/wait_any.h"

namespace starling {

ArrivalFlags::ArrivalFlags(MPI_Comm private_communicator, int rank, int ranks, int first_tag)
    : communicator_(private_communicator),
      rank_(rank),
      ranks_(ranks),
      first_tag_(first_tag),
      flags_(static_cast<std::size_t>(ranks)),
      message_(1 + static_cast<std::size_t>(std::min(ranks - 1, kMostFlagged))),
      receives_(static_cast<std::size_t>(ranks), MPI_REQUEST_NULL),
      sends_(static_cast<std::size_t>(ranks), MPI_REQUEST_NULL) {
  flagged_.reserve(message_.size() - 1);
}

int ArrivalFlags::exchange(int coordinator, int late) {
  ++call_;
  const int code = rank_ == coordinator ? coordinate(late) : follow(coordinator);
  flagged_.assign(message_.begin() + 1, message_.begin() + 1 + late);
  return code;
}

std::span<const std::int32_t> ArrivalFlags::flagged() const { return flagged_; }

int ArrivalFlags::coordinate(int late) {
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    const int code = PMPI_Irecv(&flags_[static_cast<std::size_t>(rank)], 1, MPI_INT64_T, rank, first_tag_,
                                communicator_, &receives_[static_cast<std::size_t>(rank)]);
    if (code != MPI_SUCCESS) return code;
  }
  for (int missing = ranks_ - 1; missing > late; --missing) {
    if (const int code = takeFlag(); code != MPI_SUCCESS) return code;
  }
  message_.front() = call_;
  auto next = message_.begin() + 1;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (receives_[static_cast<std::size_t>(rank)] != MPI_REQUEST_NULL) *next++ = rank;
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    const int code = PMPI_Isend(message_.data(), late + 1, MPI_INT64_T, rank, first_tag_ + 1, communicator_,
                                &sends_[static_cast<std::size_t>(rank)]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

// Waits until one more rank has flagged this call.
int ArrivalFlags::takeFlag() {
  while (true) {
    int rank = MPI_UNDEFINED;
    int code = waitAny(ranks_, receives_.data(), &rank);
    if (code != MPI_SUCCESS || rank == MPI_UNDEFINED) return code != MPI_SUCCESS ? code : MPI_ERR_INTERN;
    const auto index = static_cast<std::size_t>(rank);
    if (flags_[index] == call_) return MPI_SUCCESS;
    code = PMPI_Irecv(&flags_[index], 1, MPI_INT64_T, rank, first_tag_, communicator_, &receives_[index]);
    if (code != MPI_SUCCESS) return code;
  }
}

int ArrivalFlags::follow(int coordinator) {
  const auto self = static_cast<std::size_t>(rank_);
  flags_[self] = call_;
  int code = PMPI_Isend(&flags_[self], 1, MPI_INT64_T, coordinator, first_tag_, communicator_, sends_.data());
  while (code == MPI_SUCCESS && message_.front() != call_) {
    code = PMPI_Recv(message_.data(), static_cast<int>(message_.size()), MPI_INT64_T, coordinator, first_tag_ + 1,
                     communicator_, MPI_STATUS_IGNORE);
  }
  return code;
}

int ArrivalFlags::finish() {
  // The flags of the late ranks are still to come.
  while (std::any_of(receives_.begin(), receives_.end(), [](MPI_Request r) { return r != MPI_REQUEST_NULL; })) {
    if (const int code = takeFlag(); code != MPI_SUCCESS) return code;
  }
  return PMPI_Waitall(ranks_, sends_.data(), MPI_STATUSES_IGNORE);
}

void ArrivalFlags::abandon() {
  abandonReceives(receives_);
  abandonSends(sends_);
}

}  // namespace starling
