// Ranks that stand for several of their node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "algos/catalogue.h"
#include "simulator/simulated_choice.h"
#include "simulator/simulator.h"

namespace starling {
namespace {

constexpr Bytes kByte{1};
// Two nodes of two ranks.
const Topology kNodes{.nodes = {0, 0, 1, 1}};

// Recursive doubling: the first exchange stays within the nodes, the second goes through their ports, one message after
// the other.
std::vector<double> exitsOf(const CostModel& model, const SimulationScope& scope) {
  const Choice choice = parseChoice("recursive_doubling").value();
  const Shape shape{.ranks = 4, .count = 1, .topology = &kNodes};
  const std::vector<Seconds> arrivals(4);
  const Result<SimulatedCall> call = simulateChoice(choice, shape, kByte, model, arrivals, {}, scope);
  EXPECT_TRUE(call.isOk()) << call.status().message();
  std::vector<double> exits;
  for (const Seconds exit : call.isOk() ? call.value().exits : std::vector<Seconds>{}) exits.push_back(exit.value);
  return exits;
}

StandIn forSeveral(double bytes, double overhead) {
  StandIn stand_in;
  stand_in.bytes.fill(bytes);
  stand_in.overhead.fill(overhead);
  return stand_in;
}

TEST(StandIn, makesWhatLeavesTheNodeTakeLonger) {
  const CostModel model{.alpha = {0.5}, .beta = 1.0, .overhead = {0.25}, .inner_alpha = {0.25}, .inner_beta = 0.25};
  // 0.5 within the node; then overhead and bytes, 1.25, one after the other, and 0.25 on the way.
  EXPECT_THAT(exitsOf(model, {}), testing::ElementsAre(2.0, 3.25, 2.0, 3.25));
  const std::vector<StandIn> twice_the_bytes(4, forSeveral(2.0, 1.0));
  EXPECT_THAT(exitsOf(model, {.stand_ins = twice_the_bytes}), testing::ElementsAre(3.0, 5.25, 3.0, 5.25));
  const std::vector<StandIn> twice_the_messages(4, forSeveral(1.0, 2.0));
  EXPECT_THAT(exitsOf(model, {.stand_ins = twice_the_messages}), testing::ElementsAre(2.25, 3.75, 2.25, 3.75));
  const std::vector<StandIn> one_each(4, forSeveral(1.0, 1.0));
  EXPECT_EQ(exitsOf(model, {.stand_ins = one_each}), exitsOf(model, {}));
}

TEST(StandIn, countsInTheMeanLikeThoseThatItStandsFor) {
  const CostModel model{.alpha = {0.5}, .beta = 1.0, .overhead = {0.25}, .inner_alpha = {0.25}, .inner_beta = 0.25};
  const std::vector<Seconds> arrivals(4);
  std::vector<StandIn> stand_ins(4, forSeveral(1.0, 1.0));
  stand_ins[1].ranks = 3.0;
  const auto upTo = [&](double mean_exit) {
    return simulateChoice(parseChoice("recursive_doubling").value(), {.ranks = 4, .count = 1, .topology = &kNodes},
                          kByte, model, arrivals, {}, {.stand_ins = stand_ins, .most_mean_exit = {mean_exit}})
        .value();
  };
  // 2.0 of two ranks, 3.25 of four.
  EXPECT_DOUBLE_EQ(postArrivalTime(upTo(10.0), arrivals, stand_ins).value, 17.0 / 6.0);
  EXPECT_DOUBLE_EQ(postArrivalTime(upTo(10.0), arrivals).value, 10.5 / 4.0);
  EXPECT_EQ(upTo(2.9).exits, upTo(10.0).exits) << "no more than it may";
  EXPECT_LT(upTo(2.65).lastExit().value, 3.25) << "given up by the same mean";
}

TEST(StandIn, goesByItsLaneAlone) {
  const CostModel model{.alpha = {0.5}, .beta = 1.0, .inner_alpha = {0.25}, .inner_beta = 0.25};
  std::vector<StandIn> other_lanes(4, forSeveral(8.0, 1.0));
  for (StandIn& stand_in : other_lanes) stand_in.bytes[kReduceLane] = 1.0;
  EXPECT_EQ(exitsOf(model, {.stand_ins = other_lanes}), exitsOf(model, {}));
}

// Rank 1 is named as the late one, so that the chain is 0, 2, 3, 1 and back to 0: rank 3 sends to the other node, and
// rank 1 does not.
TEST(StandIn, staysWithItsRankWhereLateRanksAreNamed) {
  const auto exits = [](std::size_t slow_rank) {
    std::vector<StandIn> stand_ins(4, forSeveral(1.0, 1.0));
    if (slow_rank < stand_ins.size()) stand_ins[slow_rank] = forSeveral(8.0, 1.0);
    const CostModel model{.alpha = {0.5}, .beta = 1.0, .inner_alpha = {0.25}, .inner_beta = 0.25};
    const Shape shape{.ranks = 4, .count = 1, .topology = &kNodes};
    const std::vector<Seconds> arrivals{{0.0}, {9.0}, {0.0}, {0.0}};
    const auto call = simulateChoice(parseChoice("slt:segments=1,flagged=1").value(), shape, kByte, model, arrivals, {},
                                     {.stand_ins = stand_ins});
    EXPECT_TRUE(call.isOk()) << call.status().message();
    return call.isOk() ? call.value().exits : std::vector<Seconds>{};
  };
  const std::size_t nobody = 4;
  EXPECT_NE(exits(3), exits(nobody));
  EXPECT_EQ(exits(1), exits(nobody));
}

TEST(StandIn, messagesWithinANodeMayHaveCostsOfTheirOwn) {
  const Topology one_node{.nodes = {0, 0}};
  const auto exits = [&](Seconds overhead, const SimulationScope& scope) {
    const CostModel model{.alpha = {0.5}, .beta = 1.0, .overhead = overhead, .inner_alpha = {0.5}, .inner_beta = 1.0};
    const Shape shape{.ranks = 2, .count = 4, .topology = &one_node};
    // One message follows the other.
    return simulateChoice(parseChoice("slt:segments=4").value(), shape, kByte, model, std::vector<Seconds>(2), {},
                          scope)
        .value()
        .exits;
  };
  EXPECT_NE(exits({0.25}, {}), exits({0.0}, {}));
  EXPECT_EQ(exits({0.25}, {.inner_overhead = Seconds{0.0}}), exits({0.0}, {}));
  EXPECT_EQ(exits({0.0}, {.inner_overhead = Seconds{0.25}}), exits({0.25}, {}));
}

TEST(StandIn, thereIsOneForEachRank) {
  const std::vector<StandIn> three(3, forSeveral(1.0, 1.0));
  const Choice choice = parseChoice("ring").value();
  const Shape shape{.ranks = 4, .count = 1, .topology = &kNodes};
  const auto call =
      simulateChoice(choice, shape, kByte, {.alpha = {1.0}}, std::vector<Seconds>(4), {}, {.stand_ins = three});
  EXPECT_THAT(call.status().message(), testing::HasSubstr("4 schedules and 3 stand-ins"));
}

}  // namespace
}  // namespace starling
