// Exchanges what the ranks of a communicator tell each other between calls, without waiting: an exchange starts some
// calls before it is used.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/exchange/pending_allreduce.h"
#include "tuner/call_summary.h"
#include "tuner/epoch_messages.h"

namespace starling {

// Makes what all agreements of the process need, at the first call. The first agreement does so, too, but it may be
// that memory is short then.
void prepareAgreements();
// Frees it, when no communicator agrees on anything any more.
void endAgreements();

// The agreement of one communicator. All ranks call the same functions in the same order; each start...() is finished
// by its finish...() one call later, or more. The operations in between are MPI_Iallreduce, MPI_Ireduce and MPI_Ibcast
// on the private communicator, so they never meet the program's messages. Functions that return int return MPI error
// codes. Nothing is allocated after construction. THREADS: not thread-safe; one per communicator.
class Agreement {
 public:
  // More bytes than this count as this many.
  static constexpr std::int64_t kMaxCapacity = std::int64_t{1} << 30;
  // The ranks combine these bit by bit.
  using Compared = std::array<std::uint64_t, 3>;
  static_assert(sizeof(Compared) == kComparedBytes);

  Agreement(MPI_Comm private_communicator, int ranks);
  // The memory of operations that are still open is never freed, since MPI may write to it.
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  // A rank says this of itself at the end of an epoch.
  struct Report {
    std::uint64_t sites_hash = 0;
    std::int64_t scratch_bytes = 0;   // that it has, for calls
    std::int64_t schedule_bytes = 0;  // likewise
    bool has_room = true;             // for what the epoch teaches
    bool has_device_driver = false;
  };
  // This is what the reports of all ranks come to, and it is equal on all ranks.
  struct Outcome {
    bool sites_agree = false;         // all hashes are equal
    std::int64_t scratch_bytes = 0;   // a power of two that every rank has, or 0
    std::int64_t schedule_bytes = 0;  // likewise
    bool has_room = false;            // on every rank
    bool has_device_driver = false;   // on some rank
  };
  // `samples` has what this rank knows of the calls of the epoch that were stamped, as many on all ranks, and at most
  // samplesPerEpoch().
  int startEpoch(const Report& report, std::span<const CallSummary> samples);
  // Is called after each call of the program, and never waits for a late rank.
  int advanceEpoch() { return compared_.advance(); }
  int finishEpoch(Outcome& outcome);
  // Returns whether finishEpoch() waits for nothing but messages that are on their way, which is equal on all ranks.
  // REQUIRES: epochIsOpen().
  bool epochIsDue() const { return compared_.isDue(); }
  bool epochIsOpen() const { return epoch_open_; }
  // Returns whether finishEpoch() would not wait. REQUIRES: epochIsOpen().
  bool epochIsComplete();

  // Returns, on rank 0 and after finishEpoch(), what all ranks know of these calls. A summary says of how many ranks it
  // is, which is all of them, or it is not to be used.
  std::span<const CallSummary> samples() const { return std::span(buffers_->samples_out).first(buffers_->samples); }

  // Rank 0 sends decisionBuffer() to all; on the others its content is replaced.
  std::span<std::byte> decisionBuffer() { return buffers_->decisions; }
  int startDecisions();
  int finishDecisions();
  bool decisionsAreOpen() const { return decisions_open_; }
  // Returns whether finishDecisions() would not wait. REQUIRES: decisionsAreOpen().
  bool decisionsAreComplete();

 private:
  struct Buffers {
    Compared compared_in{};
    Compared compared_out{};
    std::size_t samples = 0;
    std::vector<CallSummary> samples_in;
    std::vector<CallSummary> samples_out;
    std::vector<std::byte> decisions;
  };

  MPI_Comm communicator_;
  std::unique_ptr<Buffers> buffers_;
  PendingAllreduce compared_;
  MPI_Request samples_request_ = MPI_REQUEST_NULL;
  MPI_Request decisions_request_ = MPI_REQUEST_NULL;
  bool epoch_open_ = false;
  bool decisions_open_ = false;
};

}  // namespace starling
