// Holds a private communicator beside one of the program's, and all that schedules need to run on it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory_resource>

#include "mpi/execution/agreed_memory.h"
#include "mpi/execution/executor.h"

namespace starling {

// All ranks of the original communicator call open(), leastOfAll() and run() alike, in the order of the program's
// calls. The messages of different calls never match: calls take turns in the tags, even after a fault. THREADS: not
// thread-safe; one per user of a communicator.
class Channel {
 public:
  // `own_tags` tags above those of calls are left for the owner's messages (ownTag()). It is local.
  // Runs take their memory, but for the scratch, from `memory`, which outlives the channel.
  explicit Channel(MPI_Comm original, int own_tags = 0,
                   std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  // It is local where nothing was started on the private communicator that is not complete. REQUIRES: MPI is not
  // finalised, unless the channel was never opened.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Whether the program creates communicators now (Creations) the ranks have asked each other, or are still to ask.
  enum class Creation : std::uint8_t { kIsToBeAsked, kMayBegin };
  // Makes the private communicator where all ranks have the memory for that and for what is to follow, and none of them
  // is creating one; its errors are returned and never end the program. Returns false when a rank refuses, or MPI could
  // not, which holds on all ranks; the channel is then broken. Waits for all of them.
  bool open(bool has_memory, Creation creation);
  bool isOpen() const { return private_ != MPI_COMM_NULL; }

  // Notes that something failed between the ranks: the channel is not used any more.
  void breakDown() { broken_ = true; }
  bool isBroken() const { return broken_; }
  // Returns false where there is nothing to tune between the ranks: one alone, or two groups.
  bool isTunable() const { return ranks_ > 1 && !is_intercommunicator_; }

  // Returns the least of the ranks' values. Waits for all of them. REQUIRES: isOpen().
  std::int64_t leastOfAll(std::int64_t value) const;

  // Takes part in open() for a rank that has no memory for a channel, or for what needs one: then there is none on any
  // rank. It takes no memory but what MPI takes for a short MPI_Allreduce. Waits for all ranks.
  static void refuse(MPI_Comm original);
  // Says that this rank has kept the others from what follows.
  static void logShortage();

  // Returns whether all ranks have so much memory. Where they are not known to have it, each tries to get it at once,
  // which waits for all of them.
  bool ensureMemory(std::int64_t bytes, AgreedMemory& memory) const;

  // Returns whether there are enough tags for the schedule, which all ranks find alike.
  bool hasTagsFor(const Schedule& schedule) const { return schedule.tag_span - 1 <= tag_limit_; }
  // Runs one call's schedule; sets the communicator and the tags of `call`. Returns an MPI error code, of which the
  // program is still to be told (native_call.h). REQUIRES: what Executor::run() requires, and isOpen().
  int run(const PreparedSchedule& prepared, Executor::Call call);

  Executor& executor() { return executor_; }
  const Executor& executor() const { return executor_; }

  MPI_Comm original() const { return original_; }
  MPI_Comm communicator() const { return private_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  // REQUIRES: 0 <= index < own_tags.
  int ownTag(int index) const { return tag_limit_ + 1 + index; }

 private:
  const MPI_Comm original_;
  MPI_Comm private_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  int tag_limit_;  // calls use the tags up to this one
  bool is_intercommunicator_ = false;
  bool broken_ = false;
  std::int64_t executed_calls_ = 0;
  Executor executor_;
};

}  // namespace starling
