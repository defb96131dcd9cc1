#include "mpi/exchange/announcements.h"

#include "mpi/execution/abandoned_requests.h"
#include "mpi/execution/wait_any.h"

namespace starling {

bool Announcements::Requests::areComplete() {
  int complete = 0;
  const int code = PMPI_Testall(static_cast<int>(all_.size()), all_.data(), &complete, MPI_STATUSES_IGNORE);
  return code != MPI_SUCCESS || complete != 0;
}

int Announcements::Requests::wait() {
  return PMPI_Waitall(static_cast<int>(all_.size()), all_.data(), MPI_STATUSES_IGNORE);
}

void Announcements::Requests::abandon() {
  abandonReceives(receives());
  abandonSends(sends());
}

Announcements::Announcements(MPI_Comm private_communicator, int rank, int ranks, int first_tag)
    : communicator_(private_communicator),
      rank_(rank),
      up_tag_(first_tag),
      result_tag_(first_tag + 1),
      peers_(announcementPeers(ranks, rank)),
      rounds_(kMaxPending, Round(peers_)),
      relay_(ranks, peers_),
      told_(peers_.branches.size() + peers_.results_from.size()),
      relayed_(told_.size(), peers_.results_to.size() + 1) {}

int Announcements::start(std::int64_t announced_ns) {
  if (pending_ == kMaxPending) return MPI_SUCCESS;
  // Receives first: what is told to a late rank is there when it comes. But what the latest call has left under way is
  // not waited for here.
  if (!is_receiving_ && relayed_.areComplete()) {
    if (const int code = receiveTold(); code != MPI_SUCCESS) return code;
  }
  Round& round = rounds_[pending_++];
  round.own_ns = announced_ns;
  return exchange(round);
}

// Starts the messages of a round.
int Announcements::exchange(Round& round) {
  for (std::size_t i = 0; i < peers_.leaves.size(); ++i) {
    const int code = PMPI_Irecv(&round.heard_ns[i], 1, MPI_INT64_T, peers_.leaves[i], up_tag_, communicator_,
                                &round.requests.receives()[i]);
    if (code != MPI_SUCCESS) return code;
  }
  for (std::size_t i = 0; i < peers_.heeding_parents.size(); ++i) {
    const int code = PMPI_Isend(&round.own_ns, 1, MPI_INT64_T, peers_.heeding_parents[i], up_tag_, communicator_,
                                &round.requests.sends()[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

bool Announcements::areComplete() {
  for (std::size_t i = 0; i < pending_; ++i) {
    if (!rounds_[i].requests.areComplete()) return false;
  }
  return is_receiving_ || relayed_.areComplete();
}

int Announcements::finish() {
  int code = is_receiving_ ? MPI_SUCCESS : relayed_.wait();
  for (std::size_t i = 0; i < pending_ && code == MPI_SUCCESS; ++i) code = rounds_[i].requests.wait();
  if (code != MPI_SUCCESS) {
    abandon();
    return code;
  }
  if (pending_ > 0) latest_ = pending_ - 1;
  pending_ = 0;
  return MPI_SUCCESS;
}

int Announcements::take() {
  // To wait for the leaves first delays nothing: what all ranks announce is known only when they have sent it to all
  // their parents.
  if (const int code = finish(); code != MPI_SUCCESS) return code;
  const int code = relay();
  if (code != MPI_SUCCESS) abandon();
  return code;
}

LatestAnnouncements Announcements::heardOfLeaves() const {
  const Round& round = rounds_[latest_];
  LatestAnnouncements heard(rank_, round.own_ns);
  for (std::size_t i = 0; i < peers_.leaves.size(); ++i) heard.add({peers_.leaves[i], round.heard_ns[i]});
  return heard;
}

int Announcements::relay() {
  relay_.begin(heardOfLeaves());
  int code = is_receiving_ ? MPI_SUCCESS : receiveTold();
  is_receiving_ = false;
  while (code == MPI_SUCCESS) {
    if (relay_.tellsParent()) code = tellParent();
    if (code != MPI_SUCCESS || relay_.isOver()) break;
    int index = MPI_UNDEFINED;
    code = waitAny(static_cast<int>(told_.size()), relayed_.receives().data(), &index);
    if (code != MPI_SUCCESS) break;
    if (index == MPI_UNDEFINED) return MPI_ERR_INTERN;
    relay_.hear(told_[static_cast<std::size_t>(index)]);
  }
  return code != MPI_SUCCESS ? code : tellResult();
}

int Announcements::receiveTold() {
  is_receiving_ = true;
  for (std::size_t i = 0; i < told_.size(); ++i) {
    const bool is_branch = i < peers_.branches.size();
    const int source = is_branch ? peers_.branches[i] : peers_.results_from[i - peers_.branches.size()];
    const int code = PMPI_Irecv(&told_[i], sizeof told_[i], MPI_BYTE, source, is_branch ? up_tag_ : result_tag_,
                                communicator_, &relayed_.receives()[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Announcements::tellParent() {
  told_parent_ = relay_.known();  // what is known may grow while this is under way
  relay_.noteParentTold();
  return PMPI_Isend(&told_parent_, static_cast<int>(told_parent_.usedBytes()), MPI_BYTE, *peers_.own_parent, up_tag_,
                    communicator_, &relayed_.sends().back());
}

int Announcements::tellResult() {
  const LatestAnnouncements& result = relay_.known();
  for (std::size_t i = 0; i < peers_.results_to.size(); ++i) {
    const int code = PMPI_Isend(&result, static_cast<int>(result.usedBytes()), MPI_BYTE, peers_.results_to[i],
                                result_tag_, communicator_, &relayed_.sends()[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

void Announcements::abandon() {
  for (std::size_t i = 0; i < pending_; ++i) rounds_[i].requests.abandon();
  relayed_.abandon();
  pending_ = 0;
  is_receiving_ = false;
}

}  // namespace starling
