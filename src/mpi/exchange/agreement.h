// Exchanges what the ranks of a communicator tell each other between calls, without waiting: an exchange starts an
// epoch before it is used.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace starling {

// At most this many calls of an epoch are stamped.
inline constexpr int kMaxSamples = 32;

// The times at which one rank entered and left the stamped calls of an epoch, in nanoseconds of the clock that the
// ranks have in common, and by how much they may be wrong.
struct EpochStamps {
  std::array<std::int64_t, kMaxSamples> arrivals_ns{};
  std::array<std::int64_t, kMaxSamples> exits_ns{};
  std::int64_t clock_error_ns = 0;
};

// The agreement of one communicator. All ranks call the same functions in the same order; each start...() is finished
// by its finish...() one epoch later. The operations in between are MPI_Iallreduce, MPI_Igather and MPI_Ibcast on the
// private communicator, so they never meet the program's messages. Functions that return int return MPI error codes.
// Nothing is allocated after construction. THREADS: not thread-safe; one per communicator.
class Agreement {
 public:
  // `decision_bytes` is the size of the decision message, equal on all ranks.
  Agreement(MPI_Comm private_communicator, int rank, int ranks, std::size_t decision_bytes);
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
  int startEpoch(const Report& report, const EpochStamps& stamps);
  int finishEpoch(Outcome& outcome);
  bool epochIsOpen() const { return epoch_open_; }
  // Returns whether finishEpoch() would not wait. REQUIRES: epochIsOpen().
  bool epochIsComplete();

  // Returns, on rank 0 and after finishEpoch(), the stamps of all ranks, by rank.
  std::span<const EpochStamps> stamps() const { return buffers_->gathered; }

  // Rank 0 sends decisionBuffer() to all; on the others its content is replaced.
  std::span<std::byte> decisionBuffer() { return buffers_->decisions; }
  int startDecisions();
  int finishDecisions();
  bool decisionsAreOpen() const { return decisions_open_; }
  // Returns whether finishDecisions() would not wait. REQUIRES: decisionsAreOpen().
  bool decisionsAreComplete();

 private:
  static constexpr int kCompared = 5;
  using Compared = std::array<std::uint64_t, kCompared>;
  struct Buffers {
    Compared compared_in{};
    Compared compared_out{};
    EpochStamps own_stamps;
    std::vector<EpochStamps> gathered;  // rank 0 only
    std::vector<std::byte> decisions;
  };

  MPI_Comm communicator_;
  std::unique_ptr<Buffers> buffers_;
  std::array<MPI_Request, 2> epoch_requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request decisions_request_ = MPI_REQUEST_NULL;
  bool epoch_open_ = false;
  bool decisions_open_ = false;
};

}  // namespace starling
