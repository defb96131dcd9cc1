#include "mpi/execution/planned_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cases.h"
#include "harness.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/plan_schedules.h"
#include "mpi/execution/returned_errors.h"
#include "mpi/machine/topology.h"

namespace starling {
namespace {

constexpr int kOwnTags = 1;

using Nodes = std::vector<std::int32_t>;

// Ranks are told to run on several nodes: pairs, one alone and the others together, or two that take turns.
std::vector<Nodes> layouts(int ranks) {
  Nodes pairs;
  Nodes one_alone;
  Nodes in_turn;
  for (int rank = 0; rank < ranks; ++rank) {
    pairs.push_back(rank / 2 * 2);
    one_alone.push_back(std::min(rank, 1));
    in_turn.push_back(rank % 2);
  }
  return {pairs, one_alone, in_turn};
}

bool hasSeveral(const Nodes& nodes) {
  Nodes sorted = nodes;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

std::string text(const Nodes& nodes) {
  std::string words;
  for (const std::int32_t node : nodes) words += std::to_string(node) + " ";
  return words;
}

// Makes calls on nodes that share memory.
class Caller {
 public:
  explicit Caller(const Nodes& nodes) : channel_(MPI_COMM_WORLD, kOwnTags) {
    EXPECT_TRUE(channel_.open(true, Channel::Creation::kMayBegin));
    topology_.nodes = nodes;
    node_ = shareMemory(channel_.communicator(), channel_.ownTag(0), topology_);
  }

  bool sharesMemory() const { return topology_.shares_memory; }

  template <typename Value>
  int call(const std::string& choice_text, const CallKind& kind, std::span<const std::int32_t> table, const void* send,
           std::vector<Value>& receive) {
    const Choice choice = parseChoice(choice_text).value();
    PlanSchedules::Query query;
    query.choice = choice;
    query.shape = {channel_.ranks(), kind.signature.count, kind.signature.commutative, &topology_};
    query.table = table;
    query.nodes_share_memory = mayHaveShares(topology_, kind.reducer);
    const PreparedSchedule& prepared = schedules_.find(query, channel_.rank());
    EXPECT_EQ(prepared.schedule().shares.empty(), !query.nodes_share_memory || !usesMemoryOfNodes(choice));
    reserve(query, kind);
    return runSchedule(channel_, node_.get(), prepared,
                       {send, receive.data(), kind.signature.count, kind.reducer, choice, table});
  }

  // All messages go to ranks that there are not. Sets whether this rank has any.
  template <typename Value>
  int callNobody(const std::string& choice_text, const CallKind& kind, std::vector<Value>& values, bool& has_messages) {
    const Choice choice = parseChoice(choice_text).value();
    PlanSchedules::Query query;
    query.shape = {channel_.ranks(), kind.signature.count, kind.signature.commutative, &topology_};
    query.choice = choice;
    BuildRequest request;
    request.shape = query.shape;
    request.virtual_rank = channel_.rank();
    request.parameters = choice.parameters;
    request.nodes_share_memory = mayHaveShares(topology_, kind.reducer);
    Schedule schedule = buildSchedule(*findAlgorithm(choice.algorithm), request);
    for (Step& step : schedule.steps) step.peer += channel_.ranks();
    has_messages = !schedule.steps.empty();
    reserve(query, kind);
    return runSchedule(channel_, node_.get(), PreparedSchedule(std::move(schedule)),
                       {MPI_IN_PLACE, values.data(), kind.signature.count, kind.reducer, choice, {}});
  }

 private:
  void reserve(const PlanSchedules::Query& query, const CallKind& kind) {
    const std::int64_t elements = scratchElements(*findAlgorithm(query.choice.algorithm), query.shape);
    EXPECT_TRUE(channel_.executor().reserve(static_cast<std::size_t>(elements) * kind.reducer.element_size));
  }

  Channel channel_;
  Topology topology_;
  std::unique_ptr<NodeChannel> node_;
  PlanSchedules schedules_;
};

constexpr int kSeveralChunks = 100'000;  // of floats, in the memory of a node

template <typename Value>
void check(const Case<Value>& expected, int longest, Watch& watch, const Nodes& nodes, Caller& caller) {
  std::vector<std::int32_t> reversed(nodes.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  for (const std::string choice :
       {"two_level", "two_level:inner=1", "two_level:inner=2,leaders=1", "two_level:inner=5",
        "two_level:inner=5,memory=0", "two_level:memory=0", "two_level:chunks=4",
        "two_level:inner=1,leaders=1,chunks=3", "two_level:inner=5,chunks=5", "two_level:memory=0,chunks=4",
        "two_level:inner=6", "two_level:inner=6,memory=0", "two_level:inner=6,segments=5,chunks=3"}) {
    for (const int count : {1, worldSize() - 1, worldSize() + 1, longest}) {
      const CallKind kind = classifyCall(count, expected.datatype, expected.op);
      for (const auto& table : {std::vector<std::int32_t>{}, reversed}) {
        const std::string where =
            choice + ", " + expected.name + ", count " + std::to_string(count) + ", nodes " + text(nodes);
        watch.phase(where);
        const std::vector<Value> send = expected.inputs(worldRank(), count);
        // Others of its node have nothing from a rank that is late, while those of other nodes wait for these.
        if (count == longest && worldRank() % 3 == 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::vector<Value> receive(send.size());
        EXPECT_EQ(caller.call(choice, kind, table, send.data(), receive), MPI_SUCCESS);
        EXPECT_EQ(expected.wrongElements(receive, worldSize()), 0) << where;
        std::vector<Value> in_place = send;
        EXPECT_EQ(caller.call(choice, kind, table, MPI_IN_PLACE, in_place), MPI_SUCCESS);
        EXPECT_EQ(expected.wrongElements(in_place, worldSize()), 0) << "in place: " << where;
      }
    }
  }
}

TEST(RunSchedule, combinesOnTwoLevelsThroughTheMemoryOfNodes) {
  Watch watch("RunSchedule");
  for (const Nodes& nodes : layouts(worldSize())) {
    Caller caller(nodes);
    EXPECT_EQ(caller.sharesMemory(), hasSeveral(nodes));
    check(sumOf<float>(MPI_FLOAT), kSeveralChunks, watch, nodes, caller);
    check(sumOf<std::int16_t>(MPI_INT16_T), 1000, watch, nodes, caller);
    check(minimumLocationOf<DoubleInt>(MPI_DOUBLE_INT), 20'000, watch, nodes, caller);
    const UserOperations operations;
    check(operations.commutative(), 1000, watch, nodes, caller);
  }
}

// Ranks that own a share have messages, those that own none wait for them through the memory of the node.
TEST(RunSchedule, leavesNobodyWaitingInMemoryWhereMessagesFail) {
  Watch watch("RunSchedule");
  const ReturnedErrors returned(MPI_COMM_WORLD);
  const Case<float> expected = sumOf<float>(MPI_FLOAT);
  for (const Nodes& nodes : layouts(worldSize())) {
    Caller caller(nodes);
    if (!caller.sharesMemory()) continue;
    for (const char* choice : {"two_level:leaders=1", "two_level", "two_level:inner=6,chunks=3"}) {
      watch.phase(std::string(choice) + ", nodes " + text(nodes));
      const CallKind kind = classifyCall(kSeveralChunks, MPI_FLOAT, MPI_SUM);
      std::vector<float> values = expected.inputs(worldRank(), kSeveralChunks);
      bool has_messages = false;
      const int code = caller.callNobody(choice, kind, values, has_messages);
      EXPECT_EQ(code != MPI_SUCCESS, has_messages) << choice;
      values = expected.inputs(worldRank(), kSeveralChunks);
      EXPECT_EQ(caller.call(choice, kind, {}, MPI_IN_PLACE, values), MPI_SUCCESS);
      EXPECT_EQ(expected.wrongElements(values, worldSize()), 0) << "afterwards: " << choice;
    }
  }
}

}  // namespace
}  // namespace starling
