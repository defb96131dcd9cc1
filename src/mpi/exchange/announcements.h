// How the ranks tell each other, in the middle of a computation, when they expect to arrive.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/exchange/announcement_peers.h"
#include "mpi/exchange/announcement_relay.h"
#include "tuner/latest_announcements.h"

namespace starling {

// The announcements of one communicator. All ranks call start() equally often before the same take() or finish().
// Announcements travel as point-to-point messages of 8 bytes, because these leave at once, while a nonblocking
// collective operation may stand still in a rank that computes. Up to 16 ranks tell all others. Of more ranks each
// tells one rank in each of four trees, and take() puts together what these have heard: so a rank sends and receives
// O(log P) messages, and its memory grows as little. A rank that is still computing tells nobody anything but its own
// announcement; three such ranks, whichever they are, keep nothing from the others (announcement_peers.h), and more
// seldom do.
// All functions return MPI error codes. The constructor takes all memory, because a rank that runs short later has
// promised the others a message.
// REQUIRES: finish() has returned, or abandon() has, before the end, and MPI is not finalised then.
// THREADS: not thread-safe; one per communicator.
class Announcements {
 public:
  // At most this many rounds run between two calls; those that follow are ignored, on all ranks alike.
  static constexpr std::size_t kMaxPending = 8;

  // `first_tag` and the tag after it are used for nothing else on the private communicator.
  Announcements(MPI_Comm private_communicator, int rank, int ranks, int first_tag);
  ~Announcements() { abandon(); }
  Announcements(const Announcements&) = delete;
  Announcements& operator=(const Announcements&) = delete;

  // Tells this rank's parents and never waits for them.
  int start(std::int64_t announced_ns);
  bool arePending() const { return pending_ > 0; }
  // finish() would not wait.
  bool areComplete();

  // Makes known what the ranks announced last. It waits for every rank to announce, and for as many ranks to call it as
  // are needed to tell this one.
  int take();
  // Returns what take() made known: the announcements of all ranks. REQUIRES: take() has returned; good until it is
  // called again.
  const LatestAnnouncements& latest() const { return relay_.known(); }

  // Takes the place of take() where nobody wants to know. It waits for the ranks that announce to this one, and for
  // what the latest take() has left under way: messages of ranks that came to it later than this one.
  int finish();

  // Gives up after a fault: it sees to it that no message comes later into memory that is used for something else by
  // then.
  void abandon();

 private:
  // Requests of receives, then of sends.
  class Requests {
   public:
    Requests(std::size_t receives, std::size_t sends) : all_(receives + sends, MPI_REQUEST_NULL), receives_(receives) {}

    std::span<MPI_Request> receives() { return std::span(all_).first(receives_); }
    std::span<MPI_Request> sends() { return std::span(all_).subspan(receives_); }
    bool areComplete();
    int wait();
    void abandon();

   private:
    std::vector<MPI_Request> all_;
    std::size_t receives_;
  };
  struct Round {
    explicit Round(const AnnouncementPeers& peers)
        : heard_ns(peers.leaves.size()), requests(peers.leaves.size(), peers.heeding_parents.size()) {}

    std::int64_t own_ns = 0;
    std::vector<std::int64_t> heard_ns;  // of the leaves
    Requests requests;
  };

  int exchange(Round& round);
  LatestAnnouncements heardOfLeaves() const;
  int relay();
  int receiveTold();
  int tellParent();
  int tellResult();

  const MPI_Comm communicator_;
  const int rank_;
  const int up_tag_;      // from children to their parents
  const int result_tag_;  // from parents to their children
  const AnnouncementPeers peers_;
  std::vector<Round> rounds_;
  std::size_t pending_ = 0;  // rounds that are under way, from the first one on
  std::size_t latest_ = 0;   // the round that counts
  AnnouncementRelay relay_;
  std::vector<LatestAnnouncements> told_;  // by the branches, then by the parents
  LatestAnnouncements told_parent_;        // by this rank
  bool is_receiving_ = false;              // told_, for the next take()
  Requests relayed_;  // receives of told_; then the sends of the result, and that to the own parent
};

}  // namespace starling
