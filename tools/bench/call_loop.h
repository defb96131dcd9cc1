// Calls of MPI_Allreduce right after each other, as suites of benchmarks time them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "flag_rounds.h"
#include "loop_figures.h"
#include "workload.h"

namespace starling::bench {

// Returns whether something stands in front of the MPI library's MPI_Allreduce on every rank, as the preload library
// does. Collective over MPI_COMM_WORLD.
bool isAllreduceWrapped();

// Makes the calls of one count on MPI_COMM_WORLD. All functions are collective. THREADS: not thread-safe.
class CallLoop {
 public:
  // What is called: MPI_Allreduce as the process has it, or the MPI library's own; or nothing, and the vector is copied
  // to where the result goes, or all ranks wait for each other.
  enum class Target : std::uint8_t { kMpi, kPmpi, kCopy, kFlags };

  // Calls come from `sites` places of the program in turn, 1 <= sites <= kMostSites. `flags` may be null where the loop
  // has none.
  CallLoop(const Clock& clock, Workload& workload, std::uint64_t seed, std::int64_t count, std::int32_t sites,
           FlagRounds* flags = nullptr);

  // Makes so many calls, copies or rounds after a barrier, and returns what one took: the mean over calls, and over
  // ranks on rank 0. REQUIRES: calls > 0.
  LoopTime run(Target target, std::int32_t calls);
  // The first MPI error code of all calls.
  int code() const { return code_; }
  // Returns how many elements of the latest result are wrong, over all ranks, on rank 0.
  std::int64_t countWrong();

 private:
  int callOnce(Target target);

  const Clock& clock_;
  Workload& workload_;
  const std::uint64_t seed_;
  const int count_;
  const std::size_t sites_;
  std::size_t next_site_ = 0;
  FlagRounds* const flags_;
  int ranks_ = 1;
  int code_ = MPI_SUCCESS;
  std::vector<std::byte> input_;
  std::vector<std::byte> result_;
};

}  // namespace starling::bench
