#include "tuner/recorded_costs.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

CostModel someModel() {
  CostModel model;
  model.alpha = Seconds{4e-6};
  model.beta = 8e-9;
  model.gamma = 1e-10;
  model.overhead = Seconds{1e-7};
  model.release = Seconds{3e-6};
  model.shared = true;
  model.inner_alpha = Seconds{5e-7};
  model.inner_beta = 2e-10;
  model.node_alpha = Seconds{3e-7};
  model.node_beta = 1.5e-10;
  model.read_alpha = Seconds{4e-6};
  model.read_beta = 2.5e-11;
  return model;
}

CommunicatorRecord communicatorOf(std::int32_t ranks) {
  return {"c", "MPI_COMM_WORLD", ranks, kByPostArrival, std::nullopt};
}

TEST(RecordedCosts, comeBackAsTheyWereProbed) {
  CommunicatorRecord communicator = communicatorOf(5);
  const Topology topology{.nodes = {0, 1, 0, 0, 1}, .shares_memory = true, .reads_memory = true};
  recordCosts(someModel(), topology, communicator);
  EXPECT_EQ(communicator.nodes, "0:1,1:1,0:2,1:1");
  EXPECT_EQ(recordedTopology(communicator), topology);
  const std::optional<CostModel> model = recordedCosts(communicator);
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->alpha, Seconds{4e-6});
  EXPECT_EQ(model->beta, 8e-9);
  EXPECT_EQ(model->gamma, 1e-10);
  EXPECT_EQ(model->overhead, Seconds{1e-7});
  EXPECT_EQ(model->release, Seconds{3e-6});
  EXPECT_TRUE(model->shared);
  EXPECT_EQ(model->inner_alpha, Seconds{5e-7});
  EXPECT_EQ(model->inner_beta, 2e-10);
  EXPECT_EQ(model->node_alpha, Seconds{3e-7});
  EXPECT_EQ(model->node_beta, 1.5e-10);
  EXPECT_EQ(model->read_alpha, Seconds{4e-6});
  EXPECT_EQ(model->read_beta, 2.5e-11);
}

TEST(RecordedCosts, nodesOfOneRankEachTakeNoRoom) {
  CommunicatorRecord communicator = communicatorOf(3);
  recordCosts(someModel(), {.nodes = {0, 1, 2}}, communicator);
  EXPECT_EQ(communicator.nodes, "");
  EXPECT_EQ(recordedTopology(communicator), Topology{});
}

TEST(RecordedCosts, memoryThatIsNotSharedIsNotRecorded) {
  CommunicatorRecord communicator = communicatorOf(2);
  recordCosts(someModel(), {.nodes = {0, 0}}, communicator);
  EXPECT_EQ(recordedTopology(communicator), (Topology{.nodes = {0, 0}}));
  EXPECT_EQ(recordedCosts(communicator)->node_alpha, Seconds{});
  EXPECT_EQ(recordedCosts(communicator)->read_alpha, Seconds{});
}

TEST(RecordedCosts, areUnknownInRecordsOfAnOlderStarling) {
  EXPECT_FALSE(recordedCosts(communicatorOf(4)).has_value());
  EXPECT_FALSE(recordedTopology(communicatorOf(4)).has_value());
}

TEST(RecordedCosts, nodesAreUnknownWhereTheyWouldTakeMuchRoom) {
  CommunicatorRecord communicator = communicatorOf(4000);
  Topology topology;
  for (std::int32_t rank = 0; rank < 4000; ++rank) topology.nodes.push_back(rank % 2);
  recordCosts(someModel(), topology, communicator);
  EXPECT_FALSE(recordedTopology(communicator).has_value());
  EXPECT_TRUE(recordedCosts(communicator).has_value());
}

TEST(RecordedCosts, nodesThatTellOfFewerRanksAreUnknown) {
  CommunicatorRecord communicator = communicatorOf(4);
  for (const char* damaged : {"0:3", "0:2,x:2", "0:2,2", "0:2,-1:2"}) {
    communicator.nodes = damaged;
    EXPECT_FALSE(recordedTopology(communicator).has_value()) << damaged;
  }
}

}  // namespace
}  // namespace starling
