#include "simulator/fewer_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "simulator/simulated_choice.h"

namespace starling {
namespace {

constexpr Bytes kFloat{4};
// What is probed on a network of 125 MB/s.
constexpr CostModel kNetwork{
    .alpha = {4e-6}, .beta = 8e-9, .ports = 1, .shared = true, .overhead = {1e-7}, .release = {3.9e-6}};

// One call, and what it takes when it is simulated whole and when fewer ranks stand for it.
struct PredictedCall {
  std::int32_t ranks;
  std::int64_t count;
  std::vector<std::int64_t> lateness_ns = {};  // also when the ranks come
  CostModel model = kNetwork;
  Topology topology = {};

  Shape shape() const { return {.ranks = ranks, .count = count, .topology = &topology}; }
  std::vector<Seconds> arrivals() const {
    std::vector<Seconds> arrivals(static_cast<std::size_t>(ranks));
    for (std::size_t rank = 0; rank < lateness_ns.size(); ++rank) arrivals[rank] = fromNanoseconds(lateness_ns[rank]);
    return arrivals;
  }
  Choice choiceOf(std::string_view name) const {
    Choice choice = parseChoice(name).value();
    setStepTime(choice, shape(), kFloat, model);
    setBestSegments(choice, shape(), kFloat, model);
    return choice;
  }
  double simulated(const Choice& choice) const {
    const Result<SimulatedCall> call = simulateChoice(choice, shape(), kFloat, model, arrivals(), lateness_ns);
    EXPECT_TRUE(call.isOk()) << call.status().message();
    return postArrivalTime(call.value(), arrivals()).value;
  }
  double predicted(const Choice& choice) const {
    const std::vector<Seconds> arrivals = this->arrivals();
    const Result<Seconds> time = predictFromFewerRanks({choice, shape(), kFloat, model, arrivals, lateness_ns});
    EXPECT_TRUE(time.isOk()) << time.status().message();
    return time.isOk() ? time.value().value : 0.0;
  }
  double error(std::string_view name) const {
    const Choice choice = choiceOf(name);
    return predicted(choice) / simulated(choice) - 1.0;
  }
};

std::vector<std::int64_t> lastLate(std::int32_t ranks, std::int32_t late, std::int64_t lateness_ns) {
  std::vector<std::int64_t> lateness(static_cast<std::size_t>(ranks));
  std::fill(lateness.end() - late, lateness.end(), lateness_ns);
  return lateness;
}

TEST(FewerRanks, predictsEveryRowWhereNobodyIsLate) {
  for (const std::int32_t ranks : {64, 91}) {
    for (const Algorithm& row : catalogue()) {
      if (row.build == nullptr) continue;
      EXPECT_NEAR((PredictedCall{ranks, 16 * 1024}.error(row.name)), 0.0, 0.17) << row.name << " on " << ranks;
    }
  }
}

TEST(FewerRanks, predictsTheRowsForLateRanks) {
  for (const std::int32_t late : {1, 2, 4}) {
    const PredictedCall call{91, 128 * 1024, lastLate(91, late, 100'000'000)};
    for (const char* name : {"slt", "prr", "ring", "rabenseifner"}) {
      EXPECT_NEAR(call.error(name), 0.0, 0.14) << name << ", " << late << " late";
    }
    // The messages of its last ranks are many; fewer segments stand for them.
    EXPECT_NEAR(call.error("direct"), 0.0, late < 4 ? 0.14 : 0.60) << late << " late";
  }
  EXPECT_NEAR((PredictedCall{91, 128 * 1024, lastLate(91, 1, 100'000'000)}.error("late_join")), 0.0, 0.08);
}

// A rank that is named is not the one that names it, wherever it stands.
TEST(FewerRanks, predictsRowsThatNameTheLateRankWhicheverItIs) {
  for (const char* row : {"late_join:flagged=1", "slt:flagged=1"}) {
    for (const std::int32_t late : {0, 1, 3, 31, 62, 63}) {
      PredictedCall call{64, 1 << 18, std::vector<std::int64_t>(64)};
      call.lateness_ns[late] = 50'000'000;
      EXPECT_NEAR(call.error(row), 0.0, 0.2) << row << ", rank " << late;
    }
  }
}

TEST(FewerRanks, predictsWhatHalfHiddenWorkTakes) {
  // The late rank comes before the others have combined what they have.
  const PredictedCall call{91, 128 * 1024, lastLate(91, 1, 2'000'000)};
  for (const char* name : {"slt", "prr", "ring"}) EXPECT_NEAR(call.error(name), 0.0, 0.08) << name;
}

TEST(FewerRanks, predictsChainsOfManyLateRanks) {
  PredictedCall call{80, 128 * 1024};
  std::mt19937 random(1);
  for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.lateness_ns.push_back(random() % 10'000'000);
  std::ranges::sort(call.lateness_ns);
  for (const char* name : {"slt", "prr", "ring"}) EXPECT_NEAR(call.error(name), 0.0, 0.15) << name;
}

// Nodes whose ranks come shortly after each other take in partial results and final ones at once, as nodes of which one
// stands for several do not.
TEST(FewerRanks, predictsChainsOfManyLateNodes) {
  for (const std::int32_t of_node : {8, 16}) {
    PredictedCall call{64, 1024 * 1024};
    call.model.inner_alpha = {5e-7};
    call.model.inner_beta = 2e-10;
    std::mt19937 random(64);
    for (std::int32_t rank = 0; rank < call.ranks; ++rank) {
      call.topology.nodes.push_back(rank / of_node);
      call.lateness_ns.push_back(random() % 100'000'000);
    }
    std::ranges::sort(call.lateness_ns);
    for (const char* name : {"slt", "two_level:inner=5"}) {
      EXPECT_NEAR(call.error(name), 0.0, 0.09) << name << ", " << of_node << " on each node";
    }
  }
}

TEST(FewerRanks, predictsNodesOfWhichTheLastHasOneRank) {
  PredictedCall call{33, 1024, lastLate(33, 4, 100'000'000)};
  call.model.inner_alpha = {5e-7};
  call.model.inner_beta = 2e-10;
  for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / 8);
  for (const char* name : {"slt", "two_level:inner=5"}) EXPECT_NEAR(call.error(name), 0.0, 0.08) << name;
}

TEST(FewerRanks, predictsALateJoinBetweenNodes) {
  struct Machine {
    std::int32_t nodes;
    std::int32_t of_node;  // ranks
  };
  for (const auto [nodes, of_node] : {Machine{8, 4}, Machine{13, 4}, Machine{32, 4}, Machine{8, 16}, Machine{13, 16}}) {
    for (const std::int64_t count : {1024, 16 * 1024, 128 * 1024}) {
      PredictedCall call{nodes * of_node, count, lastLate(nodes * of_node, 1, 100'000'000)};
      call.model.inner_alpha = {5e-7};
      call.model.inner_beta = 2e-10;
      for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / of_node);
      // A few segments cannot be made fewer evenly.
      EXPECT_NEAR(call.error("two_level:inner=6"), 0.0, count == 1024 ? 0.25 : 0.15)
          << nodes << " nodes of " << of_node << " ranks, " << count << " elements";
    }
  }
}

TEST(FewerRanks, predictsRowsOnNodes) {
  for (const std::int64_t count : {2, 64 * 1024}) {
    PredictedCall call{64, count};
    call.model.inner_alpha = {5e-7};
    call.model.inner_beta = 2e-10;
    for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / 4);
    for (const char* name : {"two_level", "two_level:inner=1", "two_level:inner=2", "ring", "recursive_doubling"}) {
      EXPECT_NEAR(call.error(name), 0.0, 0.10) << name << ", " << count << " elements";
    }
  }
}

// Four ranks of each node stand for all of them, and late ones for themselves.
TEST(FewerRanks, predictsRowsOnNodesOfManyRanks) {
  for (const std::int32_t of_node : {12, 16}) {
    for (const std::int32_t late : {0, 1, 3}) {
      for (const std::int64_t count : {1024, 128 * 1024}) {
        PredictedCall call{8 * of_node, count, lastLate(8 * of_node, late, 100'000'000)};
        call.model.inner_alpha = {5e-7};
        call.model.inner_beta = 2e-10;
        for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / of_node);
        for (const char* name : {"ring", "prr", "rabenseifner", "recursive_doubling", "reduce_bcast", "binary_tree",
                                 "two_level", "two_level:inner=1"}) {
          // How many messages of a node are under way at once is seen of eight ranks alone.
          const double tolerance = parseChoice(name).value().algorithm == findAlgorithm("two_level")->id ? 0.40 : 0.20;
          EXPECT_NEAR(call.error(name), 0.0, tolerance)
              << name << ", " << count << " elements, " << of_node << " on each node, " << late << " late";
        }
      }
    }
  }
}

// All sixteen ranks of a node lead it in turn and hide each other's latency, as four of them do not.
TEST(FewerRanks, predictsHowRanksOfANodeThatTakeTurnsHideTheirLatency) {
  for (const std::int32_t nodes : {4, 5}) {
    PredictedCall call{16 * nodes, 1024};
    call.model.inner_alpha = {5e-7};
    call.model.inner_beta = 2e-10;
    for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / 16);
    EXPECT_NEAR(call.error("two_level"), 0.0, 0.10) << nodes << " nodes";
  }
}

// All ranks of a node share its port to the others, in which few of them must not look like so few.
TEST(FewerRanks, knowsWhichRowsAllRanksOfANodeSendFrom) {
  PredictedCall call{4 * 64, 256 * 1024};
  call.model.inner_alpha = {5e-7};
  call.model.inner_beta = 2e-10;
  for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / 64);
  const double vector = 8e-9 * 4 * 256 * 1024;
  EXPECT_NEAR(call.predicted(call.choiceOf("recursive_doubling")) / vector, 2 * 64, 0.05 * 2 * 64)
      << "two rounds of all";
  EXPECT_NEAR(call.predicted(call.choiceOf("ring")) / vector, 2.0, 0.3) << "one rank of each";
}

// Messages within a node take long here.
TEST(FewerRanks, predictsRowsThatGoThroughTheMemoryOfNodes) {
  for (const std::int64_t count : {2, 64 * 1024}) {
    PredictedCall call{64, count};
    call.model.inner_alpha = {1e-3};
    call.model.inner_beta = 1e-6;
    call.model.node_alpha = {1e-6};
    call.model.node_beta = 1e-10;
    call.topology.shares_memory = true;
    for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / 8);
    const double by_messages = call.simulated(call.choiceOf("two_level:memory=0"));
    for (const char* name : {"two_level", "two_level:inner=1"}) {
      EXPECT_NEAR(call.error(name), 0.0, 0.20) << name << ", " << count << " elements";
      EXPECT_LT(call.simulated(call.choiceOf(name)), by_messages / 2) << name << ", " << count << " elements";
    }
    call.topology.nodes.assign(static_cast<std::size_t>(call.ranks), 0);
    EXPECT_NEAR(call.error("node"), 0.0, 0.40) << count << " elements";
    EXPECT_LT(call.simulated(call.choiceOf("node")), 1e-3) << count << " elements";
  }
}

// With vectors of a few bytes, what the rounds cost is all that is left.
TEST(FewerRanks, knowsOfEachRowHowItsRoundsGrowWithTheRanks) {
  for (const Algorithm& row : catalogue()) {
    if (row.build == nullptr) continue;
    double times[3];
    for (int i = 0; i < 3; ++i) {
      PredictedCall call{16 << i, 4096};
      call.model = {.alpha = {1e-6}, .beta = 0.0};
      if (row.suits_topology != nullptr) call.model.inner_alpha = {1e-12};
      for (std::int32_t rank = 0; rank < call.ranks; ++rank) call.topology.nodes.push_back(rank / 2);
      times[i] = call.simulated({row.id, defaultParameters(row)});
    }
    const double growth = (times[2] - times[1]) / (times[1] - times[0]);  // 1 for a logarithm, 2 for a line
    const bool is_chain = row.chains_ranks != nullptr && row.chains_ranks(defaultParameters(row));
    EXPECT_EQ(growth > 1.5, is_chain) << row.name << " grows by " << growth << ": say so in its row";
  }
}

TEST(FewerRanks, predictsFromFewerSegmentsWhereThereAreTooMany) {
  const PredictedCall call{1024, 1 << 26, lastLate(1024, 1, 10'000'000'000)};
  const double vector = 8e-9 * 4 * (1 << 26);
  EXPECT_GT(call.choiceOf("slt").parameters[0], 10'000);
  for (const char* name : {"slt", "late_join", "direct"}) {
    EXPECT_GT(call.predicted(call.choiceOf(name)), vector) << name;
    EXPECT_LT(call.predicted(call.choiceOf(name)), 1.5 * vector) << name;
  }
}

TEST(FewerRanks, predictsExactlyUpToALimit) {
  for (const std::int32_t ranks : {8, 96}) {
    for (const std::int32_t late : {0, 1, ranks / 2}) {
      const PredictedCall call{ranks, 65'536, lastLate(ranks, late, 10'000'000)};
      const std::vector<Seconds> arrivals = call.arrivals();
      for (const Algorithm& row : catalogue()) {
        if (row.build == nullptr || !isValid(row, call.shape())) continue;
        CallToPredict asked{call.choiceOf(row.name), call.shape(), kFloat, call.model, arrivals, call.lateness_ns};
        const Seconds time = predictPostArrivalTime(asked).value();
        asked.limit = 1.01 * time;
        EXPECT_EQ(predictPostArrivalTime(asked).value(), time) << row.name << ", " << ranks << ", " << late << " late";
        asked.limit = 0.5 * time;
        EXPECT_GT(predictPostArrivalTime(asked).value(), asked.limit) << row.name << ", " << ranks << ", " << late;
      }
    }
  }
}

TEST(FewerRanks, predictsRoughlyFromATimeOn) {
  for (const std::int32_t late : {0, 1, 4}) {
    const PredictedCall call{96, 65'536, lastLate(96, late, 10'000'000)};
    const std::vector<Seconds> arrivals = call.arrivals();
    for (const char* name : {"ring", "slt", "prr", "ring_segmented"}) {
      CallToPredict asked{call.choiceOf(name), call.shape(), kFloat, call.model, arrivals, call.lateness_ns};
      const Seconds time = predictPostArrivalTime(asked).value();
      asked.roughly_from = 1.01 * time;
      EXPECT_EQ(predictPostArrivalTime(asked).value(), time) << name << ", " << late << " late";
      asked.roughly_from = 0.5 * time;
      const double ratio = predictPostArrivalTime(asked).value() / time;
      EXPECT_GT(ratio, 0.9) << name << ", " << late << " late";
      EXPECT_LT(ratio, 1.5) << name << ", " << late << " late";
    }
  }
}

TEST(FewerRanks, predictsAnyNumberOfRanks) {
  for (const std::int32_t ranks : {16, 17, 33, 92, 97, 257, 1000, 10'240}) {
    for (const std::int32_t late : {0, 1, 5, ranks / 2}) {
      const PredictedCall call{ranks, 65'536, lastLate(ranks, late, 1'000'000)};
      for (const Algorithm& row : catalogue()) {
        if (row.build == nullptr || !isValid(row, call.shape())) continue;
        EXPECT_GT(call.predicted(call.choiceOf(row.name)), 0.0) << row.name << ", " << ranks << " ranks, " << late;
      }
    }
  }
}

TEST(FewerRanks, predictsThatNothingTakesNoTime) {
  for (const Algorithm& row : catalogue()) {
    const PredictedCall call{64, 0};
    if (row.build == nullptr) continue;
    EXPECT_EQ(call.predicted({row.id, defaultParameters(row)}), 0.0) << row.name;
  }
}

TEST(FewerRanks, predictsAnyNumberOfNodes) {
  for (const std::int32_t per_node : {2, 8, 16, 24, 48}) {
    for (const std::int32_t late : {0, 1, 4, 96}) {
      PredictedCall call{96, 65'536, lastLate(96, late, 1'000'000)};
      call.model.inner_alpha = {5e-7};
      for (std::int32_t rank = 0; rank < 96; ++rank) call.topology.nodes.push_back(rank % (96 / per_node));
      for (const Algorithm& row : catalogue()) {
        if (row.build == nullptr) continue;
        EXPECT_GT(call.predicted(call.choiceOf(row.name)), 0.0) << row.name << ", " << per_node << " on each node";
      }
    }
  }
}

}  // namespace
}  // namespace starling
