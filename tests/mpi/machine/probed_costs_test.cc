#include "mpi/machine/probed_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "harness.h"
#include "mpi/machine/topology.h"

namespace starling {
namespace {

using Nodes = std::vector<std::int32_t>;

CostModel modelOf(double alpha) {
  CostModel model;
  model.alpha = Seconds{alpha};
  return model;
}

std::uint64_t alphaOf(const SharedCosts& costs) { return std::bit_cast<std::uint64_t>(costs.model.alpha.value); }

TEST(ProbedCosts, shapesAreToldApart) {
  ProbedCosts known;
  EXPECT_FALSE(known.find(Nodes{0, 0}, false));
  known.add(Nodes{0, 0}, false, modelOf(1.0));
  known.add(Nodes{0, 1}, false, modelOf(2.0));
  EXPECT_EQ(known.find(Nodes{0, 0}, false)->alpha, Seconds{1.0});
  EXPECT_EQ(known.find(Nodes{0, 1}, false)->alpha, Seconds{2.0});
  EXPECT_FALSE(known.find(Nodes{0, 1}, true)) << "nothing is known of memory that is shared";
  for (const Nodes& other : {Nodes{0, 0, 0}, Nodes{0, 0, 2}, Nodes{0, 1, 0}, Nodes{0}})
    EXPECT_FALSE(known.find(other, false));
}

TEST(ProbedCosts, oldestShapeIsForgottenFirst) {
  ProbedCosts known;
  for (std::size_t ranks = 1; ranks <= ProbedCosts::kMaxShapes + 1; ++ranks)
    known.add(Nodes(ranks), false, modelOf(1.0));
  EXPECT_FALSE(known.find(Nodes(1), false));
  for (std::size_t ranks = 2; ranks <= ProbedCosts::kMaxShapes + 1; ++ranks)
    EXPECT_TRUE(known.find(Nodes(ranks), false));
}

TEST(KnownOrProbedCosts, linksOfOneShapeAreProbedOnce) {
  const Watch watch("knownOrProbedCosts");
  const MonotonicClock clock;
  ProbedCosts known;
  const Topology topology = gatherTopology(MPI_COMM_WORLD, "", clock);
  const SharedCosts probed = knownOrProbedCosts(MPI_COMM_WORLD, topology, clock, known, nullptr);
  EXPECT_GT(probed.probed_for, Seconds{});
  EXPECT_FALSE(probed.was_known);
  const SharedCosts again = knownOrProbedCosts(MPI_COMM_WORLD, topology, clock, known, nullptr);
  EXPECT_EQ(again.probed_for, Seconds{});
  EXPECT_TRUE(again.was_known);
  EXPECT_TRUE(isEqualOnAllRanks(alphaOf(again), MPI_COMM_WORLD));
  EXPECT_EQ(alphaOf(again), alphaOf(probed)) << "whichever rank tells the others what is known";
}

// Ranks may have been in communicators of a shape without the others.
TEST(KnownOrProbedCosts, allDoAsTheFirstRank) {
  const Watch watch("knownOrProbedCosts");
  const MonotonicClock clock;
  const Topology topology = gatherTopology(MPI_COMM_WORLD, "", clock);
  for (const bool first_knows : {false, true}) {
    ProbedCosts known;
    if ((worldRank() == 0) == first_knows) known.add(topology.nodes, false, modelOf(1.0 + worldRank()));
    const SharedCosts costs = knownOrProbedCosts(MPI_COMM_WORLD, topology, clock, known, nullptr);
    EXPECT_EQ(costs.probed_for == Seconds{}, first_knows);
    EXPECT_EQ(costs.model.alpha == Seconds{1.0}, first_knows);
    EXPECT_TRUE(known.find(topology.nodes, false));
  }
}

TEST(GatherTopology, ofPartsFollowsFromTheNodesOfTheWorld) {
  const Watch watch("gatherTopology");
  Nodes world_nodes(static_cast<std::size_t>(worldSize()));
  std::iota(world_nodes.begin(), world_nodes.end(), 0);
  for (std::int32_t& node : world_nodes) node -= node % 3;  // three ranks on each node
  MPI_Comm reverse = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -worldRank(), &reverse);
  const Topology topology = gatherTopology(reverse, "", MonotonicClock(), world_nodes);
  Nodes expected;
  for (int rank = 0; rank < worldSize(); ++rank) {
    const int last_of_node = std::min((worldSize() - 1 - rank) / 3 * 3 + 2, worldSize() - 1);
    expected.push_back(worldSize() - 1 - last_of_node);
  }
  EXPECT_EQ(topology.nodes, expected);
  MPI_Comm_free(&reverse);
}

}  // namespace
}  // namespace starling
