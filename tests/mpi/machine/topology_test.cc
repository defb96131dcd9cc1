#include "mpi/machine/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <fstream>

#include "harness.h"
#include "mpi/machine/probe.h"

namespace starling {
namespace {

using testing::IsEmpty;

// A file on rank 0 alone, removed with it.
class RootFile {
 public:
  explicit RootFile(const std::string& text)
      : path_(testing::TempDir() + "starling_links_" + std::to_string(worldSize()) + ".txt") {
    if (worldRank() == 0) std::ofstream(path_) << text;
  }
  ~RootFile() {
    if (worldRank() == 0) std::remove(path_.c_str());
  }
  RootFile(const RootFile&) = delete;
  RootFile& operator=(const RootFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The link of ranks a and b is a + b.
std::string sums(int ranks) {
  std::string text;
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < ranks; ++b) text += std::to_string(a == b ? 0 : a + b) + " ";
    text += "\n";
  }
  return text;
}

std::uint64_t hashOf(const Topology& topology) {
  return hashOfBytes(topology.links.data(), topology.links.size() * sizeof(topology.links[0])) ^
         hashOfBytes(topology.nodes.data(), topology.nodes.size() * sizeof(topology.nodes[0]));
}

TEST(GatherTopology, putsRanksOfOneMachineOnOneNode) {
  const Watch watch("gatherTopology");
  const Topology topology = gatherTopology(MPI_COMM_WORLD, "", MonotonicClock());
  EXPECT_EQ(topology.nodes, std::vector<std::int32_t>(worldSize(), 0));
  EXPECT_THAT(topology.links, IsEmpty());
}

TEST(GatherTopology, measuresEveryLinkAndAllRanksKnowThem) {
  const Watch watch("gatherTopology");
  const Topology topology = gatherTopology(MPI_COMM_WORLD, kMeasuredLinks, MonotonicClock());
  const auto width = static_cast<std::size_t>(worldSize());
  ASSERT_EQ(topology.links.size(), width * width);
  for (std::size_t a = 0; a < width; ++a) {
    EXPECT_EQ(topology.links[a * width + a], 0);
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GT(topology.links[a * width + b], 0) << a << ", " << b;
      EXPECT_EQ(topology.links[a * width + b], topology.links[b * width + a]);
    }
  }
  EXPECT_TRUE(isEqualOnAllRanks(hashOf(topology), MPI_COMM_WORLD));
}

TEST(GatherTopology, takesTheRanksOfTheCommunicatorFromTheFile) {
  const Watch watch("gatherTopology");
  const RootFile file(sums(worldSize()));
  const Topology world = gatherTopology(MPI_COMM_WORLD, file.path(), MonotonicClock());
  const auto width = static_cast<std::size_t>(worldSize());
  ASSERT_EQ(world.links.size(), width * width);
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_EQ(world.links[a * width + b], static_cast<std::int32_t>(a + b));
  }
  // All ranks but the last, in reverse.
  MPI_Comm reverse = MPI_COMM_NULL;
  const bool is_in = worldRank() + 1 < worldSize();
  MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, -worldRank(), &reverse);
  if (!is_in) return;
  const Topology part = gatherTopology(reverse, file.path(), MonotonicClock());
  const int ranks = worldSize() - 1;
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < a; ++b) EXPECT_EQ(part.links[a * ranks + b], 2 * (ranks - 1) - a - b);
  }
  MPI_Comm_free(&reverse);
}

TEST(GatherTopology, knowsNoLinksWhereTheFileIsWrongOrMissing) {
  const Watch watch("gatherTopology");
  const RootFile wrong(sums(worldSize() + 1));
  for (const std::string& path : {wrong.path(), std::string("/nonexistent/links")}) {
    EXPECT_THAT(gatherTopology(MPI_COMM_WORLD, path, MonotonicClock()).links, IsEmpty());
  }
}

// Ranks 1 and 2, 3 and 4, ... share a node; rank 0 is alone on its own.
TEST(ProbeCosts, tellsNodesApartWhereverRankZeroIs) {
  const Watch watch("probeCosts");
  Topology topology;
  for (int rank = 0; rank < worldSize(); ++rank) topology.nodes.push_back((rank + 1) / 2);
  const CostModel model = probeCosts(MPI_COMM_WORLD, topology, MonotonicClock(), nullptr);
  EXPECT_EQ(model.inner_alpha > Seconds{}, worldSize() > 2);
  for (const double cost : {model.alpha.value, model.beta, model.inner_alpha.value, model.inner_beta}) {
    EXPECT_TRUE(isEqualOnAllRanks(std::bit_cast<std::uint64_t>(cost), MPI_COMM_WORLD));
  }
}

// With an odd number of ranks the last one has no partner.
TEST(ProbeCosts, tellsAllRanksTheSame) {
  const Watch watch("probeCosts");
  Topology topology;
  topology.nodes.assign(static_cast<std::size_t>(worldSize()), 0);
  const CostModel model = probeCosts(MPI_COMM_WORLD, topology, MonotonicClock(), nullptr);
  for (const double cost : {model.alpha.value, model.beta, model.overhead.value, model.release.value, model.gamma}) {
    EXPECT_TRUE(isEqualOnAllRanks(std::bit_cast<std::uint64_t>(cost), MPI_COMM_WORLD));
  }
  EXPECT_EQ(model.alpha != CostModel{}.alpha, worldSize() > 1);
  EXPECT_EQ(model.beta != CostModel{}.beta, worldSize() > 1);
}

TEST(ShareMemory, isDoneWhereAllRanksRunOnOneNode) {
  const Watch watch("memory that all ranks share");
  Topology topology;
  topology.nodes.assign(static_cast<std::size_t>(worldSize()), 0);
  EXPECT_EQ(shareMemory(MPI_COMM_WORLD, 1000, topology) != nullptr, worldSize() > 1);
  EXPECT_EQ(topology.shares_memory, worldSize() > 1);
}

// The last rank is alone on its node.
TEST(ShareMemory, isDoneOnEachNodeThatHasSeveralRanks) {
  const Watch watch("ranks of several nodes");
  Topology topology;
  topology.nodes.assign(static_cast<std::size_t>(worldSize()), 0);
  topology.nodes.back() = worldSize() - 1;
  const bool is_alone = worldRank() + 1 == worldSize();
  EXPECT_EQ(shareMemory(MPI_COMM_WORLD, 1000, topology) != nullptr, worldSize() > 2 && !is_alone);
  EXPECT_EQ(topology.shares_memory, worldSize() > 2);
  EXPECT_TRUE(isEqualOnAllRanks(topology.gives_cores ? 1 : 0, MPI_COMM_WORLD));
  if (worldSize() <= 2 || worldSize() - 1 > sysconf(_SC_NPROCESSORS_ONLN)) {
    EXPECT_FALSE(topology.gives_cores);
  }
}

TEST(ShareMemory, isNotDoneWhereARankCarriesNoMessagesThroughIt) {
  const Watch watch("a rank without shared memory");
  const ScopedVariable transports("OMPI_MCA_btl", worldRank() + 1 == worldSize() ? "tcp,self" : "tcp,self,vader");
  Topology topology;
  topology.nodes.assign(static_cast<std::size_t>(worldSize()), 0);
  EXPECT_EQ(shareMemory(MPI_COMM_WORLD, 1000, topology), nullptr);
}

}  // namespace
}  // namespace starling
