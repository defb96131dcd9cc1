#include "mpi/exchange/announcements.h"

namespace starling {

Announcements::Announcements(MPI_Comm private_communicator, int rank, int ranks, int tag)
    : communicator_(private_communicator), rank_(rank), ranks_(ranks), tag_(tag) {
  for (Round& round : rounds_) {
    round.announced_ns.resize(static_cast<std::size_t>(ranks));
    round.requests.reserve(2 * others());
  }
}

int Announcements::start(std::int64_t announced_ns) {
  if (pending_ == kMaxPending) return MPI_SUCCESS;
  Round& round = rounds_[pending_];
  round.requests.assign(2 * others(), MPI_REQUEST_NULL);
  round.announced_ns[static_cast<std::size_t>(rank_)] = announced_ns;
  ++pending_;
  return exchange(round);
}

// Starts the messages of a round. Every rank begins with its neighbours, so that not all messages go to one rank at a
// time.
int Announcements::exchange(Round& round) {
  std::size_t next = 0;
  for (int distance = 1; distance < ranks_; ++distance) {
    const int source = (rank_ + ranks_ - distance) % ranks_;
    const int code = PMPI_Irecv(&round.announced_ns[static_cast<std::size_t>(source)], 1, MPI_INT64_T, source, tag_,
                                communicator_, &round.requests[next++]);
    if (code != MPI_SUCCESS) return code;
  }
  for (int distance = 1; distance < ranks_; ++distance) {
    const int code = PMPI_Isend(&round.announced_ns[static_cast<std::size_t>(rank_)], 1, MPI_INT64_T,
                                (rank_ + distance) % ranks_, tag_, communicator_, &round.requests[next++]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

bool Announcements::areComplete() {
  for (std::size_t i = 0; i < pending_; ++i) {
    std::vector<MPI_Request>& requests = rounds_[i].requests;
    int complete = 0;
    const int code = PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && complete == 0) return false;
  }
  return true;
}

int Announcements::finish() {
  for (std::size_t i = 0; i < pending_; ++i) {
    std::vector<MPI_Request>& requests = rounds_[i].requests;
    const int code = PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS) continue;
    abandon();
    return code;
  }
  if (pending_ > 0) latest_ = pending_ - 1;
  pending_ = 0;
  return MPI_SUCCESS;
}

void Announcements::abandon() {
  for (std::size_t i = 0; i < pending_; ++i) {
    std::vector<MPI_Request>& requests = rounds_[i].requests;
    for (std::size_t j = 0; j < requests.size(); ++j) {
      if (requests[j] == MPI_REQUEST_NULL) continue;
      if (j >= others()) {
        PMPI_Request_free(&requests[j]);
      } else {
        PMPI_Cancel(&requests[j]);
        PMPI_Wait(&requests[j], MPI_STATUS_IGNORE);
      }
    }
  }
  pending_ = 0;
}

}  // namespace starling
