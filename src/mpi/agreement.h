// What the ranks of a communicator tell each other between calls: nonblocking, and an epoch ahead of its use.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace starling {

// At most this many calls of an epoch are stamped.
inline constexpr int kMaxSamples = 32;

// One rank's stamps of an epoch.
struct EpochStamps {
  std::array<double, kMaxSamples> arrivals{};
  std::array<double, kMaxSamples> exits{};
};

// Agreement of one communicator. All ranks call the same functions in the same order; each start...() is finished by
// its finish...() one epoch later. The operations in between are MPI_Iallreduce, MPI_Igather and MPI_Ibcast on the
// private communicator, so they never meet the program's messages. All functions return MPI error codes.
// THREADS: not thread-safe; one per communicator.
class Agreement {
 public:
  // `decision_bytes`: size of the decision message, equal on all ranks.
  Agreement(MPI_Comm private_communicator, int rank, int ranks, std::size_t decision_bytes);

  // What is compared: all ranks learn whether the hashes are equal, and the smallest scratch capacity.
  int startEpoch(std::uint64_t sites_hash, std::int64_t scratch_bytes, const EpochStamps& stamps);
  struct Outcome {
    bool sites_agree = false;
    std::int64_t scratch_bytes = 0;  // a power of two that every rank has, or 0
  };
  int finishEpoch(Outcome& outcome);
  bool epochIsOpen() const { return epoch_open_; }

  // On rank 0, after finishEpoch(): stamps of all ranks, by rank.
  std::span<const EpochStamps> stamps() const { return gathered_; }

  // The message of rank 0 to all; on the others the content of decisionBuffer() is replaced.
  std::span<std::byte> decisionBuffer() { return decisions_; }
  int startDecisions();
  int finishDecisions();
  bool decisionsAreOpen() const { return decisions_open_; }

 private:
  MPI_Comm communicator_;
  std::array<std::uint64_t, 3> compared_in_{};
  std::array<std::uint64_t, 3> compared_out_{};
  EpochStamps own_stamps_;
  std::vector<EpochStamps> gathered_;  // rank 0 only
  std::vector<std::byte> decisions_;
  std::array<MPI_Request, 2> epoch_requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request decisions_request_ = MPI_REQUEST_NULL;
  bool epoch_open_ = false;
  bool decisions_open_ = false;
};

}  // namespace starling
