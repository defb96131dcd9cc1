#include "flag_rounds.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>

namespace starling::bench {

FlagRounds::FlagRounds() {
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
  PMPI_Comm_rank(node_, &rank_);
  int ranks_here = 0;
  PMPI_Comm_size(node_, &ranks_here);
  is_crowded_ = ranks_here > sysconf(_SC_NPROCESSORS_ONLN);
  if (ranks_here != ranks_) return;
  Flag* own = nullptr;
  PMPI_Win_allocate_shared(sizeof(Flag), 1, MPI_INFO_NULL, node_, static_cast<void*>(&own), &window_);
  *own = {};
  MPI_Aint bytes = 0;
  int unit = 0;
  PMPI_Win_shared_query(window_, 0, &bytes, &unit, static_cast<void*>(&flags_));
  PMPI_Barrier(node_);
}

FlagRounds::~FlagRounds() {
  if (window_ != MPI_WIN_NULL) PMPI_Win_free(&window_);
  PMPI_Comm_free(&node_);
}

void FlagRounds::run() {
  ++round_;
  std::atomic_ref(flags_[rank_].round).store(round_, std::memory_order_release);
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::atomic_ref other(flags_[rank].round);
    while (other.load(std::memory_order_acquire) < round_) {
      if (is_crowded_) sched_yield();
    }
  }
}

}  // namespace starling::bench
