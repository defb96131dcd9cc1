#include "mpi/exchange/announcement_relay.h"

namespace starling {

AnnouncementRelay::AnnouncementRelay(int ranks, const AnnouncementPeers& peers)
    : ranks_(ranks), branches_(peers.branches.size()), has_parent_(peers.own_parent.has_value()) {}

void AnnouncementRelay::begin(const LatestAnnouncements& heard) {
  known_ = heard;
  awaited_branches_ = branches_;
  owes_parent_ = has_parent_;
  if (isOver()) known_.dropOnTime();
}

void AnnouncementRelay::hear(const LatestAnnouncements& told) {
  if (told.ranks() == ranks_) {
    known_ = told;
  } else {
    known_.add(told);
    --awaited_branches_;
    if (isOver()) known_.dropOnTime();
  }
}

}  // namespace starling
