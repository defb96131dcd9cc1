// What goes between the nodes of `two_level`, and in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/simulated_choice.h"

namespace starling {
namespace {

constexpr Bytes kFloat{4};
constexpr std::int32_t kOfNode = 4;
constexpr std::int64_t kLate = 100'000'000;  // ns
constexpr CostModel kNetwork{.alpha = {4e-6},
                             .beta = 8e-9,
                             .ports = 1,
                             .shared = true,
                             .overhead = {1e-7},
                             .release = {3.9e-6},
                             .inner_alpha = {5e-7},
                             .inner_beta = 2e-10};

// A call in which one rank of each of the last nodes is late. With the table sorted by arrival it is behind all others.
struct Call {
  Call(std::int32_t nodes, std::int32_t late, std::int64_t elements) : count(elements) {
    for (std::int32_t rank = 0; rank < nodes * kOfNode; ++rank) {
      if (rank % kOfNode != kOfNode - 1 || rank / kOfNode < nodes - late) topology.nodes.push_back(rank / kOfNode);
    }
    lateness_ns.resize(topology.nodes.size());
    for (std::int32_t node = nodes - late; node < nodes; ++node) topology.nodes.push_back(node);
    lateness_ns.resize(topology.nodes.size(), kLate);
  }

  Shape shape() const {
    return {.ranks = static_cast<std::int32_t>(topology.nodes.size()), .count = count, .topology = &topology};
  }

  // `is_known`: the plan knows who will be late.
  double postArrival(std::string_view choice, bool is_known = true) const {
    return postArrival(parseChoice(choice).value(), kNetwork, is_known);
  }
  double postArrival(const Choice& choice, const CostModel& model, bool is_known = true) const {
    std::vector<Seconds> arrivals;
    for (const std::int64_t late_ns : lateness_ns) arrivals.push_back(fromNanoseconds(late_ns));
    const auto call =
        simulateChoice(choice, shape(), kFloat, model, arrivals, is_known ? lateness_ns : std::vector<std::int64_t>{});
    EXPECT_TRUE(call.isOk()) << call.status().message();
    return call.isOk() ? postArrivalTime(call.value(), arrivals).value : 0.0;
  }

  std::int64_t count;
  Topology topology;
  std::vector<std::int64_t> lateness_ns{};
};

TEST(TwoLevel, chainBetweenNodesTakesLittleMoreThanOnePassAfterALateRank) {
  for (const std::int32_t nodes : {4, 8, 16}) {
    const Call call(nodes, 1, 1 << 20);
    const double pass = kNetwork.beta * 4 * (1 << 20);
    EXPECT_LT(call.postArrival("two_level:inner=5"), 1.15 * pass) << nodes << " nodes";
    EXPECT_GT(call.postArrival("two_level"), 1.5 * pass) << nodes << " nodes";
  }
}

TEST(TwoLevel, chainBetweenNodesIsFasterThanTheRingWhereSeveralNodesAreLate) {
  for (const std::int64_t count : {1 << 14, 1 << 20}) {
    const Call call(16, 2, count);
    EXPECT_LT(call.postArrival("two_level:inner=5"), 0.8 * call.postArrival("two_level")) << count;
  }
}

TEST(TwoLevel, lateJoinBetweenManyNodesTakesLessThanAChainAfterALateRank) {
  const auto post_arrival = [](const Call& call, std::string_view text) {
    Choice choice = parseChoice(text).value();
    setBestSegments(choice, call.shape(), kFloat, kNetwork);
    return call.postArrival(choice, kNetwork);
  };
  const Call brief(64, 1, 1 << 10);
  EXPECT_LT(post_arrival(brief, "two_level:inner=6"), 0.6 * post_arrival(brief, "two_level:inner=5"));
  for (const std::int32_t nodes : {8, 32}) {
    const Call call(nodes, 1, 1 << 20);
    const double pass = kNetwork.beta * 4 * (1 << 20);
    EXPECT_LT(post_arrival(call, "two_level:inner=6"), 1.10 * pass) << nodes << " nodes";
  }
}

TEST(TwoLevel, segmentsBetweenNodesAreThoseOfTheRowThatRunsThere) {
  const Call call(64, 1, 1 << 10);
  for (const auto& [inner, row] : {std::pair{"two_level:inner=5", "slt"}, {"two_level:inner=6", "late_join"}}) {
    Choice nodes = parseChoice(row).value();
    setBestSegments(nodes, {.ranks = 64, .count = 1 << 10}, kFloat, kNetwork);
    Choice choice = parseChoice(inner).value();
    setBestSegments(choice, call.shape(), kFloat, kNetwork);
    const auto segments = [](const Choice& one) {
      return one.parameters[*findParameter(*findAlgorithm(one.algorithm), kSegmentsParameter)];
    };
    EXPECT_EQ(segments(choice), segments(nodes)) << row;
    EXPECT_LT(call.postArrival(choice, kNetwork), 0.8 * call.postArrival(inner)) << row;
  }
  Choice ring = parseChoice("two_level").value();
  setBestSegments(ring, call.shape(), kFloat, kNetwork);
  EXPECT_EQ(ring, parseChoice("two_level").value());
}

TEST(TwoLevel, chainSendsPartialResultsBeforeFinalOnesWhereSomebodyIsLate) {
  const Call call(8, 2, 1 << 20);
  EXPECT_LT(call.postArrival("two_level:inner=5"), 0.8 * call.postArrival("two_level:inner=5", false));
}

// A network that is about as fast as memory, which a rank of a node hands to all others at once.
constexpr CostModel kFastNetwork{.alpha = {2e-6},
                                 .beta = 1e-10,
                                 .gamma = 5e-11,
                                 .ports = 1,
                                 .shared = true,
                                 .node_alpha = {1e-6},
                                 .node_beta = 1e-10};

std::int64_t bestChunks(const Call& call, std::string_view text, const CostModel& model) {
  Choice choice = parseChoice(text).value();
  setBestChunks(choice, call.shape(), kFloat, model);
  return choice.parameters[*findParameter(*findAlgorithm(choice.algorithm), kChunksParameter)];
}

Choice inChunks(std::string_view text, std::int64_t chunks) {
  Choice choice = parseChoice(text).value();
  choice.parameters[*findParameter(*findAlgorithm(choice.algorithm), kChunksParameter)] = chunks;
  return choice;
}

TEST(TwoLevel, goesInAsManyChunksAsHideTheMemoryOfNodesBehindAFastNetwork) {
  for (const std::int32_t nodes : {2, 4, 8, 16}) {
    for (const std::int64_t count : {1 << 10, 1 << 16, 1 << 18, 1 << 20, 1 << 22}) {
      for (const std::string_view text : {"two_level", "two_level:inner=1", "two_level:inner=5", "two_level:inner=6"}) {
        SCOPED_TRACE(testing::Message() << nodes << " nodes, " << count << " floats, " << text);
        Call call(nodes, 0, count);
        call.topology.shares_memory = call.topology.gives_cores = true;
        const auto in_chunks = [&](std::int64_t chunks) {
          return call.postArrival(inChunks(text, chunks), kFastNetwork);
        };
        const double chosen = in_chunks(bestChunks(call, text, kFastNetwork));
        for (const std::int64_t chunks : {1, 2, 4, 8, 16}) EXPECT_LT(chosen, 1.25 * in_chunks(chunks)) << chunks;
        if (count >= 1 << 20 && text != "two_level:inner=6") {
          EXPECT_LT(chosen, in_chunks(1) / 1.15);
        }
      }
    }
  }
}

TEST(TwoLevel, isLeftWholeWhereTheNetworkTakesFarLonger) {
  Call call(4, 0, 1 << 20);
  call.topology.shares_memory = call.topology.gives_cores = true;
  EXPECT_GT(bestChunks(call, "two_level", kFastNetwork), 1);
  EXPECT_EQ(bestChunks(call, "two_level:memory=0", kFastNetwork), 1);
  CostModel slow = kFastNetwork;
  slow.beta = 2e-8;
  slow.alpha = {5e-5};
  EXPECT_EQ(bestChunks(call, "two_level", slow), 1);
}

TEST(TwoLevel, isLeftWholeWhereNoMemoryIsSharedOrCoresAre) {
  Call call(4, 0, 1 << 20);
  call.topology.gives_cores = true;
  EXPECT_EQ(bestChunks(call, "two_level", kFastNetwork), 1);
  call.topology = {.nodes = call.topology.nodes, .shares_memory = true};
  EXPECT_EQ(bestChunks(call, "two_level", kFastNetwork), 1);
}

// What is final of a chunk is handed out before the steps of the next ones are done.
TEST(TwoLevel, goesThroughItsShareChunkByChunkWhereNodesShareMemory) {
  Call call(3, 0, 1003);
  call.topology.nodes.pop_back();
  call.topology.shares_memory = true;
  for (const std::int64_t inner : {1, 2, 3, 4, 5, 6}) {
    for (const std::int64_t chunks : {1, 3, 4}) {
      for (std::int32_t rank = 0; rank < call.shape().ranks; ++rank) {
        const Choice choice = inChunks("two_level:inner=" + std::to_string(inner), chunks);
        BuildRequest request;
        request.shape = call.shape();
        request.virtual_rank = rank;
        request.parameters = choice.parameters;
        request.nodes_share_memory = true;
        const Schedule schedule = buildSchedule(*findAlgorithm(choice.algorithm), request);
        std::int64_t shared = 0;
        Block own;
        for (const OwnedBlock& share : schedule.shares) {
          EXPECT_EQ(share.block.offset, shared);
          shared += share.block.count;
          if (share.owner == rank) own = share.block;
        }
        EXPECT_EQ(shared, 1003);
        std::int64_t chunk = 0;
        for (const Step& step : schedule.steps) {
          EXPECT_NE(step.kind, StepKind::kCombine);
          const std::int64_t first = (step.block.offset - own.offset) / schedule.share_chunk;
          const std::int64_t last = (step.block.offset + step.block.count - 1 - own.offset) / schedule.share_chunk;
          EXPECT_GE(step.block.offset, own.offset);
          EXPECT_LE(step.block.offset + step.block.count, own.offset + own.count);
          EXPECT_EQ(first, last);
          EXPECT_GE(first, chunk);
          chunk = first;
        }
        EXPECT_EQ(chunk, schedule.steps.empty() ? 0 : chunks - 1);
      }
    }
  }
}

}  // namespace
}  // namespace starling
