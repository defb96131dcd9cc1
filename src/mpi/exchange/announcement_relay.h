// One rank's part in telling all ranks what each has announced: pure logic, which says what is to be sent when.
#pragma once

#include <cstddef>

#include "mpi/exchange/announcement_peers.h"
#include "tuner/latest_announcements.h"

namespace starling {

// In each call a rank sends one message to its own parent, and one to each rank of results_to. So a receiver knows how
// many messages come from whom, and those of two calls cannot be mixed up, whichever way the result took. What is put
// together from all ranks is the same on each of these ways, so that no two ranks can arrange the call differently.
// THREADS: one.
class AnnouncementRelay {
 public:
  AnnouncementRelay(int ranks, const AnnouncementPeers& peers);

  // Begins a call. `heard` has what this rank and its leaves announce, with nobody dropped.
  void begin(const LatestAnnouncements& heard);
  // Takes in what a branch or a parent has told. REQUIRES: !isOver().
  void hear(const LatestAnnouncements& told);

  // Returns whether the own parent is to be told what is known now: all below this rank have told it, or all is known.
  bool tellsParent() const { return owes_parent_ && (awaited_branches_ == 0 || isOver()); }
  void noteParentTold() { owes_parent_ = false; }
  // Returns whether the announcements of all ranks are known: results_to are to be told.
  bool isOver() const { return known_.ranks() == ranks_; }
  // Where it is over, names only those that are late.
  const LatestAnnouncements& known() const { return known_; }

 private:
  int ranks_;
  std::size_t branches_;
  bool has_parent_;
  LatestAnnouncements known_;
  std::size_t awaited_branches_ = 0;
  bool owes_parent_ = false;
};

}  // namespace starling
