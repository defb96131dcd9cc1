// How the ranks tell each other, in the middle of a computation, when they expect to arrive.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starling {

// The announcements of one communicator. All ranks call start() equally often between two finish(). Announcements
// travel as point-to-point messages of 8 bytes, because these leave at once, while a nonblocking collective operation
// may stand still in a rank that computes. Messages of one source match in their order, so no round can meet another's.
// All functions return MPI error codes. The constructor takes all memory, because a rank that runs short later has
// promised the others a message.
// REQUIRES: nothing is pending at the end.
// THREADS: not thread-safe; one per communicator.
class Announcements {
 public:
  // At most this many rounds run between two finish(); those that follow are ignored, on all ranks alike.
  static constexpr std::size_t kMaxPending = 8;

  // `tag` is used for nothing else on the private communicator.
  Announcements(MPI_Comm private_communicator, int rank, int ranks, int tag);

  // Tells all other ranks and never waits for them.
  int start(std::int64_t announced_ns);
  bool arePending() const { return pending_ > 0; }
  // finish() would not wait.
  bool areComplete();

  // Completes what is pending: every rank has announced when this returns.
  int finish();
  // Returns what the ranks announced last, by rank. REQUIRES: finish() has returned.
  std::span<const std::int64_t> latest() const { return rounds_[latest_].announced_ns; }

  // Gives up after a fault: it sees to it that no message comes later into memory that is used for something else by
  // then.
  void abandon();

 private:
  // A round's requests are its receives, then as many sends, each for all other ranks.
  struct Round {
    std::vector<std::int64_t> announced_ns;  // by rank
    std::vector<MPI_Request> requests;
  };

  std::size_t others() const { return static_cast<std::size_t>(ranks_) - 1; }
  int exchange(Round& round);

  MPI_Comm communicator_;
  int rank_;
  int ranks_;
  int tag_;
  std::array<Round, kMaxPending> rounds_;
  std::size_t pending_ = 0;  // rounds that are under way, from the first one on
  std::size_t latest_ = 0;
};

}  // namespace starling
