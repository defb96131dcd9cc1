// Arranges one call by what is known of its arrivals beyond the plan: the program announces them, or flags find them in
// the call itself.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "algos/flagged.h"
#include "base/clock.h"
#include "mpi/exchange/announcements.h"
#include "mpi/exchange/arrival_flags.h"
#include "mpi/execution/channel.h"
#include "tuner/announced_arrivals.h"
#include "tuner/plan.h"

namespace starling {

// Tells who takes which position in a call, and how late each is expected. Spans are good until the next call.
struct Arrangement {
  std::span<const std::int32_t> table;  // virtual rank -> rank; empty = identity
  std::span<const std::int64_t> lateness_ns;
  bool is_announced = false;
  bool is_flagged = false;
};

// All ranks call the same functions in the order of the program's calls. Functions that communicate return MPI error
// codes. Nothing is allocated after construction. THREADS: not thread-safe; one per communicator.
class ArrivalArrangement {
 public:
  // It takes so many of the channel's own tags.
  static constexpr int kTags = 4;

  // The tables of so many plans are kept at a time.
  static constexpr std::size_t kExpanded = 4;

  // REQUIRES: the channel is open, and outlives it.
  ArrivalArrangement(Channel& channel, const Clock& clock);

  // Tells the other ranks when this one expects to arrive: `fraction` of the computation is done, 0 < fraction <= 1.
  // Never waits. With fraction 0 the computation begins now, and nobody is told.
  int announce(double fraction);
  bool isAnnounced() const { return announcements_.arePending(); }
  // Makes the announcements of all ranks known, which from now on say who comes when. It waits for all to announce, and
  // not for those that are late.
  int takeAnnouncements();
  // Takes its place on all ranks in a call that wants to know nothing.
  int dropAnnouncements() { return announcements_.finish(); }

  // These return the arrangement of the latest announcements, and that of a key's plan. `plans` tells the plan from
  // others that the key has had.
  Arrangement announced(bool keeps_rank_order) const;
  Arrangement planned(std::int32_t key, std::int32_t plans, const KeyPlan& plan);
  // Lets flags name the `late` last ranks and arranges the call by them. Waits for the other ranks to arrive.
  int flag(std::int32_t late, bool keeps_rank_order, Arrangement& arrangement);

  // Notes that a call has ended with this MPI error code, at `exit_ns` where that was stamped: the next computation
  // begins.
  void endCall(const Arrangement& arrangement, int code, const std::optional<std::int64_t>& exit_ns);
  // Returns whether exits are to be stamped, since the program announces.
  bool wantsExits() const { return has_edges_; }
  // Returns whether the program has told the ranks of each other's arrivals, and may do so again.
  bool hasAnnounced() const { return has_announced_; }
  // Notes that calls follow whose exits nobody looks at.
  void forgetExit() { computing_since_.reset(); }
  // Returns virtual rank -> rank, as announced.
  std::span<const std::int32_t> announcedTable() const { return announced_.table(); }

  // Ends the latest announcements, which no call follows; returns true when they are complete. It is local, and waits
  // for them only with `may_wait`.
  bool finish(bool may_wait);
  // Gives up after a fault: nothing comes into this memory any more. It is not used again then.
  void abandon();

 private:
  // Plans are expanded once for as long as a program's calls are those of few keys.
  struct Expanded {
    std::int32_t key = -1;
    std::int32_t plans = 0;
    ExpandedPlacement placement;
  };

  const Clock& clock_;
  const int ranks_;
  std::array<Expanded, kExpanded> expanded_;
  std::size_t next_expanded_ = 0;
  Announcements announcements_;
  AnnouncedArrivals announced_;  // the latest
  ArrivalFlags flags_;
  FlaggedArrangement flagged_;              // of the latest call that flags arranged
  std::optional<Seconds> computing_since_;  // announced, or the latest exit, if that was stamped
  bool has_edges_ = false;                  // the program announces
  bool has_announced_ = false;              // and ranks have heard of it
};

}  // namespace starling
