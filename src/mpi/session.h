// One communicator's tuning: the life of a call (design, section 4).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algos/named_late.h"
#include "base/clock.h"
#include "mpi/agreement.h"
#include "mpi/announcements.h"
#include "mpi/arrival_flags.h"
#include "mpi/call_kind.h"
#include "mpi/executor.h"
#include "mpi/rooted_calls.h"
#include "mpi/schedule_cache.h"
#include "mpi/settings.h"
#include "mpi/topology.h"
#include "tuner/announced_arrivals.h"
#include "tuner/communicator_tuner.h"
#include "tuner/key_table.h"
#include "tuner/site_tracker.h"

namespace starling {

// Where a call comes from, as this rank sees it.
struct CallOrigin {
  std::uint64_t return_address = 0;
  const char* label = nullptr;  // set: takes the place of the address
  SiteId handle = kAnySite;     // set: exact, known to all ranks
};

// What a session needs from the process.
struct SessionServices {
  Settings settings;
  const Clock* clock = nullptr;
  Seconds clock_offset;         // of this process's clock, for tests
  std::string communicator_id;  // unique within the run; used on rank 0
  std::vector<PolicyRecord> policies;
};

// Attached to the user's communicator. THREADS: not thread-safe; MPI forbids concurrent collectives on a communicator.
class Session {
 public:
  Session(MPI_Comm communicator, SessionServices services);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // MPI_Allreduce on the session's communicator; returns an MPI error code.
  int allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                const CallOrigin& origin);

  // tuned_bcast and its like, apart from the rest: they have a private communicator of their own. Made at the first
  // use.
  RootedCalls& rooted();

  // Tells the other ranks when this one expects to make its next call: `fraction` of the computation before it is done,
  // 0 < fraction <= 1. Fraction 0: the computation begins now, not at the latest exit; nobody is told. Never waits. All
  // ranks announce equally often between the same two calls. Nothing happens where calls pass through, nor before the
  // communicator has made enough of them.
  void announce(double fraction);

  // The next site handle; collective.
  SiteId createSite(const char* label);

  // Collective, in two steps so that several sessions can end together without waiting for one another in some order:
  // starts the last agreement, and completes it.
  void startEnd();
  void finishEnd();
  bool hasEnded() const { return has_ended_; }

  // On rank 0, what is new for the database; elsewhere empty.
  Batch drain();
  // Drops what drain() would return, but not the communicator and sites that later records refer to: for as long as
  // there is no way to the database, so that memory stays bounded.
  void forget();
  bool isRoot() const { return rank_ == 0; }
  // Rank 0 has records that have waited longer than the flush interval.
  bool drainIsDue() const;
  bool hasLearned() const { return tuner_ && keys_.size() > 0; }
  // True once after each end of an epoch: the time for what need not be done at every call.
  bool takeEpochEnd() { return std::exchange(epoch_ended_, false); }

  const KeyTable& keys() const { return keys_; }
  // Virtual rank -> rank, of the key's plan, or as the latest call had it where that was one of this key and followed
  // announcements; empty = identity. REQUIRES: 0 <= key < keys().size().
  std::span<const std::int32_t> tableOf(std::int32_t key) const;
  int ranks() const { return ranks_; }
  MPI_Comm communicator() const { return communicator_; }

 private:
  // Of announcements and flags, above those of calls.
  static constexpr int kOwnTags = 3;

  struct Execution {
    PlannedChoice planned;
    std::int32_t key = -1;
    bool has_announced = false;           // table and latenesses are the announced ones
    bool has_named = false;               // ... are those of the ranks that flags named
    std::span<const std::int32_t> table;  // as in KeyPlan, like the next
    std::span<const std::int64_t> lateness_ns;
  };

  bool passesThrough() const {
    return ranks_ <= 1 || is_intercommunicator_ || broken_ || services_.settings.options.mode == Mode::kOff;
  }
  bool hasFixedChoice() const;
  LocalSite localSite(const CallOrigin& origin);
  Execution plan(const CallKind& kind, SiteId site);
  Choice fixedChoice(const Shape& shape, const KeyPlan* plan) const;
  bool isExecutable(const Choice& choice, const Shape& shape, const CallKind& kind);
  // Completes the announcements of all ranks.
  void takeAnnouncements();
  // Says who takes which position, and how late.
  void arrange(Execution& execution, const CallKind& kind, bool has_announced) const;
  // The same by flags, where the choice wants late ranks to be named. Waits for the other ranks to arrive. Returns an
  // MPI error code.
  int nameLate(Execution& execution, const CallKind& kind);
  bool keepsRankOrder(const CallKind& kind) const;
  // Calls use the tags up to tag_limit_.
  int announcementTag() const { return tag_limit_ + 1; }
  int firstFlagTag() const { return tag_limit_ + 2; }
  // This rank's schedule; null where the choice has none, or there are not enough tags for it, which all ranks find
  // alike. In reproducible mode it is then that of a row that needs few.
  const PreparedSchedule* findSchedule(Execution& execution, const CallKind& kind);
  const PreparedSchedule* scheduleWithinTags(const Execution& execution, const CallKind& kind);
  int execute(const Execution& execution, const PreparedSchedule& prepared, const void* sendbuf, void* recvbuf,
              const CallKind& kind);
  struct Stamps {
    Seconds arrival;
    Seconds exit;
  };
  void note(const CallKind& kind, const Execution& execution, LocalSite local, SiteId predicted,
            const std::optional<Stamps>& stamps);
  bool isSampled() const;

  void prepare();
  void agreeOnScratch(std::int64_t bytes);
  void endEpoch();
  void applyDecisions();
  void takeEpoch();
  void meetKey(const SiteTracker::Call& call, EpochCall& report);
  void reserveScratch(const Key& key);
  void digestEpoch();
  void whileLearning(const std::function<void()>& work);
  void startDecisions();
  void closeEpoch();
  SiteRecord describeSite(SiteId site) const;
  void breakDown(int code);

  MPI_Comm communicator_;
  SessionServices services_;
  int rank_ = 0;
  int ranks_ = 1;
  bool is_intercommunicator_ = false;
  bool has_ended_ = false;
  bool broken_ = false;  // an agreement failed: everything passes through from then on

  std::unordered_map<LocalSite, std::string> labels_;
  std::vector<std::string> handle_labels_;
  SiteTracker tracker_;
  KeyTable keys_;

  MPI_Comm private_ = MPI_COMM_NULL;
  std::unique_ptr<Agreement> agreement_;
  std::unique_ptr<CommunicatorTuner> tuner_;  // rank 0 only
  Executor executor_;
  ScheduleCache schedules_;
  std::int64_t agreed_scratch_ = 0;  // bytes that every rank has
  // So many some rank could not get, and is not asked for again.
  std::int64_t refused_scratch_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t executed_calls_ = 0;
  int tag_limit_ = 32767 - kOwnTags;
  Topology topology_;  // by rank; gathered with the private communicator

  std::unique_ptr<Announcements> announcements_;  // made with the private communicator
  bool has_edges_ = false;                        // the program announces: every exit is stamped
  AnnouncedArrivals announced_;                   // the latest
  std::int32_t announced_key_ = -1;               // of the latest call, if that followed announcements
  std::unique_ptr<ArrivalFlags> flags_;           // made with the private communicator
  NamedArrangement named_;                        // the latest
  std::optional<Seconds> computing_since_;        // announced, or the latest exit, if that was stamped

  std::unique_ptr<RootedCalls> rooted_;

  std::int64_t epoch_ = 0;
  std::int32_t epoch_length_;
  std::vector<EpochCall> open_calls_;    // of the running epoch
  std::vector<EpochCall> closed_calls_;  // of the one before
  EpochStamps stamps_;
  std::int32_t samples_ = 0;
  bool epoch_ended_ = false;
  Batch introductions_;  // communicator and sites that the database has not heard of
  Seconds last_drain_;
};

}  // namespace starling
