#include "mpi/machine/stamp_clock.h"

#include "mpi/machine/clock_domains.h"
#include "mpi/machine/world_ranks.h"

namespace starling {
namespace {

StampClock withinWorld(MPI_Comm communicator, const ClockKnowledge& knowledge) {
  if (knowledge.is_one_in_world) return StampClock::shared();
  if (knowledge.world == nullptr) return {};
  return knowledge.world->isOneClock(worldRanksOf(communicator)) ? StampClock::shared()
                                                                 : StampClock::of(*knowledge.world);
}

}  // namespace

StampClock agreeOnStamps(MPI_Comm communicator, const ClockKnowledge& knowledge) {
  if (knowledge.is_agreed) return withinWorld(communicator, knowledge);
  if (shareOneClock(communicator, knowledge.identity)) return StampClock::shared();
  const bool has_world_clock = knowledge.world != nullptr && isWithinWorld(communicator);
  int everywhere = has_world_clock ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_MIN, communicator);
  return everywhere != 0 ? withinWorld(communicator, knowledge) : StampClock();
}

}  // namespace starling
