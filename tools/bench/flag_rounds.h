// The least that ranks take which wait for each other.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starling::bench {

// Each rank of MPI_COMM_WORLD has a flag in memory that all share. All ranks make one, call run() and end it alike.
// THREADS: not thread-safe.
class FlagRounds {
 public:
  FlagRounds();
  ~FlagRounds();
  FlagRounds(const FlagRounds&) = delete;
  FlagRounds& operator=(const FlagRounds&) = delete;

  // Returns whether all ranks run on one node, and share memory.
  bool arePossible() const { return flags_ != nullptr; }
  // Raises this rank's flag and waits until all others are raised; yields where ranks outnumber processors.
  // REQUIRES: arePossible().
  void run();

 private:
  struct alignas(64) Flag {
    std::uint64_t round = 0;
  };

  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  Flag* flags_ = nullptr;  // by rank
  int rank_ = 0;
  int ranks_ = 1;
  bool is_crowded_ = false;
  std::uint64_t round_ = 0;
};

}  // namespace starling::bench
