// This part of a session prepares tuning: it takes memory, and finds out with the other ranks what they run on, and
// what is known of such calls.
#include <algorithm>
#include <memory>
#include <new>

#include "base/address_space.h"
#include "mpi/execution/device_memory.h"
#include "mpi/machine/probe.h"
#include "mpi/machine/probed_costs.h"
#include "mpi/machine/stamp_clock.h"
#include "mpi/machine/topology.h"
#include "mpi/session.h"

namespace starling {

// Where memory is short on one rank, all calls pass through on all ranks: none could take part in what follows without
// it.
void Session::prepare(Channel::Creation creation) {
  const Clock& clock = *services_.clocks.clock;
  const Seconds begin = clock.now();
  if (!channel_.open(hasHeap(kProbeMemory), creation)) return;
  refreshDeviceDrivers();
  const std::int64_t state = !takeMemory() ? kShortOfMemory : hasDeviceDriver() ? kHasDriver : kHasNoDriver;
  const std::int64_t least = channel_.leastOfAll(state);
  if (least == kShortOfMemory) {
    channel_.breakDown();
    if (state == kShortOfMemory) Channel::logShortage();
    return;
  }
  const StampClock stamps = agreeOnStamps(channel_.communicator(), services_.clocks);
  topology_ = gatherTopology(channel_.communicator(), options().links, clock, services_.world_nodes);
  if (options().mode == Mode::kTune) {
    node_ = shareMemory(channel_.communicator(), channel_.ownTag(kIdleTag), topology_, services_.world_nodes,
                        services_.node_memories);
  }
  const SharedCosts costs = findCosts();
  memory_.setMachine(costs.model, topology_, node_.get());
  const bool may_foretell = options().mode == Mode::kTune && !hasFixedChoice();
  loop_.open(costs.model, stamps, topology_, least == kHasDriver, costs.was_known);
  if (may_foretell && (costs.was_known || knowsEarlierRuns())) {
    if (const int fault = loop_.foretell(); fault != MPI_SUCCESS) return breakDown(fault);
  }
  if (services_.preparations == nullptr) return;
  const Seconds looked_for = node_ ? node_->takeTimeOfLooking() : Seconds{};
  services_.preparations->note(ranks(), clock.now() - begin, costs.probed_for + looked_for);
}

// Earlier runs had as many ranks, placed alike on nodes, in MPI_COMM_WORLD; a smaller communicator may have had other
// ranks there. A rank that was short of memory may lack the policies, and then nobody is told of them.
bool Session::knowsEarlierRuns() {
  int world_ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  if (!services_.is_within_world || ranks() != world_ranks) return false;
  const auto& policies = services_.policies;
  const bool knows = policies && std::ranges::any_of(*policies, [this](const PolicyRecord& policy) {
                       return policy.communicator_size == ranks();
                     });
  return channel_.leastOfAll(knows ? 1 : 0) == 1;
}

SharedCosts Session::findCosts() const {
  const Clock& clock = *services_.clocks.clock;
  if (services_.probed_costs == nullptr)
    return {probeCosts(channel_.communicator(), topology_, clock, node_.get()), {}, false};
  return knownOrProbedCosts(channel_.communicator(), topology_, clock, *services_.probed_costs, node_.get());
}

// Takes all memory that tuning takes beforehand, and looks whether there is enough for the buffers of the probe.
bool Session::takeMemory() {
  if (!memory_.mayTake(kProbeMemory)) return false;
  try {
    arrivals_ = std::make_unique<ArrivalArrangement>(channel_, *services_.clocks.clock);
    return loop_.hasNotedAll() && loop_.reserve() && hasHeap(kProbeMemory);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace starling
