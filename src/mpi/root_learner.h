// Rank 0's part of the epochs of a communicator: it learns from the stamps of all ranks, and has the records for the
// database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "base/own_floating_point.h"
#include "mpi/epoch_calls.h"
#include "mpi/execution/channel.h"
#include "mpi/machine/call_sites.h"
#include "mpi/rest/rest_ledger.h"
#include "mpi/session_services.h"
#include "tuner/communicator_tuner.h"
#include "tuner/key_table.h"
#include "tuner/site_tracker.h"

namespace starling {

// Its functions are local. They do nothing on other ranks, nor where learning has failed for want of memory, which
// leaves the plans in force on all ranks. THREADS: not thread-safe; one per communicator.
class RootLearner {
 public:
  // All outlive it.
  RootLearner(const SessionServices& services, const Channel& channel, const KeyTable& keys, const SiteTracker& tracker,
              CallSites& sites);

  // Begins to learn, on rank 0; `has_clock` tells whether stamps of different ranks compare.
  void open(const CostModel& model, bool has_clock, const Topology& topology);
  bool isLearning() const { return tuner_ != nullptr; }
  // Gives up what has been learned and not yet handed over.
  void shed() { tuner_.reset(); }

  // Tell the tuner of the table's new keys, in the table's order; the first one has the key's first call, and what is
  // known of the latter.
  void addKey(const Key& key, const SiteTracker::Call& call, const EpochCall& report);
  void addSpecialKey(std::int32_t usual);
  // Returns what CommunicatorTuner foretells by this run and by the policies. Without learning that is nothing.
  Decisions foretell();
  // These do what the functions of CommunicatorTuner do.
  void noteForetoldStop(const Key& key, const Choice& choice, Seconds shortest);
  void noteStop(std::int32_t key, const Choice& choice, Seconds shortest);
  // Learns from an epoch, and from the calls that rested after it; of what calls took that were not stamped the first
  // sample tells.
  void digest(const EpochReport& report);
  // Decides what is to be broadcast: see CommunicatorTuner. Without learning there is nothing.
  Decisions decide(std::size_t limit);
  void postpone(const Decisions& decisions, std::size_t sent);
  void tookForce();

  // Counts a call at rest, until its epoch is digested or forgotten.
  void countAtRest(const RestingCall& call, const CallOrigin& origin) {
    if (isLearning()) at_rest_.count(call, origin);
  }
  void forgetAtRest() { at_rest_.clear(); }
  bool asksForEndOfRest() { return isLearning() && at_rest_.asksForEnd(); }

  // Returns the records that are new for the database.
  Batch drain();
  // Drops what drain() would return, but not the communicator and sites that later records refer to. It keeps memory
  // bounded for as long as there is no way to the database.
  void forget();
  bool drainIsDue() const {
    return tuner_ && services_.clocks.clock->now() - last_drain_ >= services_.settings.options.flush_interval;
  }

 private:
  template <typename Work>
  void whileLearning(const Work& work) {
    if (!tuner_) return;
    const OwnFloatingPoint own_arithmetic;
    try {
      work();
    } catch (const std::exception& fault) {
      endLearning(fault);
    }
  }
  std::vector<EarlierPolicy> earlierPolicies() const;
  static KeyOrigin originOf(const Key& key, const SiteRecord& site);
  void endLearning(const std::exception& fault);
  void noteClockError(std::int64_t error_ns);

  const SessionServices& services_;
  const Channel& channel_;
  const SiteTracker& tracker_;
  CallSites& sites_;
  std::unique_ptr<CommunicatorTuner> tuner_;
  RestLedger at_rest_;
  bool has_clock_ = false;
  CommunicatorRecord communicator_;
  std::vector<int> world_ranks_;  // by rank
  Batch introductions_;           // communicator and sites that the database has not heard of
  Seconds last_drain_;
};

}  // namespace starling
