// The builders of the catalogue's rows. Each makes one rank's schedule over virtual ranks, for any number of ranks
// above one and any count above zero; parameters come in the order of the row. Use buildSchedule() of catalogue.h.
#pragma once

#include "algos/catalogue.h"
#include "algos/schedule.h"

namespace starling {

// Reduction and distribution travel in lanes of their own, so that what is complete goes out while the rest is reduced.
inline constexpr std::uint8_t kDistributeLane = 1;

Schedule buildRecursiveDoubling(const BuildRequest& request);
Schedule buildRabenseifner(const BuildRequest& request);
Schedule buildRing(const BuildRequest& request);
Schedule buildRingSegmented(const BuildRequest& request);
Schedule buildSlt(const BuildRequest& request);
Schedule buildPrr(const BuildRequest& request);
Schedule buildReduceBcast(const BuildRequest& request);
Schedule buildLateJoin(const BuildRequest& request);
Schedule buildDirect(const BuildRequest& request);
Schedule buildStaticOptimal(const BuildRequest& request);
Schedule buildLocalRedirect(const BuildRequest& request);
Schedule buildBinaryTree(const BuildRequest& request);
Schedule buildTwoLevel(const BuildRequest& request);
Schedule buildTopologyTree(const BuildRequest& request);

}  // namespace starling
