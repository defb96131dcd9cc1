#include "common_time.h"

#include "mpi/machine/clock_domains.h"

namespace starling::bench {

CommonTime::CommonTime(const Clock& clock, const ClockFault& fault) : clock_(clock) {
  const std::uint64_t identity = clockIdentity(fault);
  if (shareOneClock(MPI_COMM_WORLD, identity)) return;
  PMPI_Comm_dup(MPI_COMM_WORLD, &world_);
  world_clock_.open(world_, identity);
  model_ = world_clock_.model();
}

CommonTime::~CommonTime() {
  if (isOneClock()) return;
  world_clock_.finish();
  PMPI_Comm_free(&world_);
}

void CommonTime::synchronise() {
  if (isOneClock()) return;
  world_clock_.synchronise();
  model_ = world_clock_.model();
}

}  // namespace starling::bench
