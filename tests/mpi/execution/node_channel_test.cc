#include "mpi/execution/node_channel.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/processor_places.h"
#include "cases.h"
#include "harness.h"
#include "mpi/execution/call_kind.h"
#include "mpi/execution/common_answers.h"

namespace starling {
namespace {

constexpr int kIdleTag = 1000;  // of no message

cpu_set_t cpuSetOf(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

class NodeChannelRuns : public testing::Test {
 protected:
  static std::unique_ptr<NodeChannel> open() {
    std::shared_ptr<NodeMemory> memory = NodeMemory::open(MPI_COMM_WORLD, true, true);
    return memory ? channelOf(std::move(memory)) : nullptr;
  }
  static std::unique_ptr<NodeChannel> channelOf(std::shared_ptr<NodeMemory> memory) {
    std::vector<std::int32_t> ranks(static_cast<std::size_t>(worldSize()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return std::make_unique<NodeChannel>(std::move(memory), ranks, NodeMemory::Idle{MPI_COMM_WORLD, kIdleTag});
  }

  static void run(NodeChannel& channel, const std::string& choice, const CallKind& kind, const void* send,
                  void* receive) {
    channel.run({send, receive, kind.signature.count, kind.reducer, parseChoice(choice).value()});
  }

  template <typename Value>
  void check(const Case<Value>& expected) {
    const std::unique_ptr<NodeChannel> channel = open();
    ASSERT_NE(channel, nullptr);
    const int ranks = worldSize();
    for (const std::string choice :
         {"node", "node:slots=0", "node:slots=0,chunk=4", "node_read", "node_read:chunk=4"}) {
      for (const int count : {1, ranks - 1, ranks, ranks + 1, 1000, 5000}) {
        watch_.phase(choice + ", " + expected.name + ", count " + std::to_string(count));
        const CallKind kind = classifyCall(count, expected.datatype, expected.op);
        const std::vector<Value> send = expected.inputs(worldRank(), count);
        std::vector<Value> receive(send.size());
        run(*channel, choice, kind, send.data(), receive.data());
        EXPECT_EQ(expected.wrongElements(receive, ranks), 0) << choice << ", " << expected.name << ", " << count;
        std::vector<Value> in_place = send;
        run(*channel, choice, kind, in_place.data(), in_place.data());
        EXPECT_EQ(expected.wrongElements(in_place, ranks), 0) << "in place: " << choice << ", " << expected.name;
      }
    }
  }

  // Rank 0 waits in a call for rank 1, which first wants what rank 0 has begun to send.
  template <typename Begin, typename Meanwhile, typename End>
  void checkThatTheOtherGoesOn(const char* what, const Begin& begin, const Meanwhile& meanwhile, const End& end) {
    const std::unique_ptr<NodeChannel> channel = open();
    ASSERT_NE(channel, nullptr);
    for (const std::string choice : {"node", "node:slots=0", "node_read"}) {
      watch_.phase(std::string(what) + ", " + choice);
      begin();
      if (worldRank() == 1) meanwhile();
      std::vector<double> values(100, 1.0);
      run(*channel, choice, classifyCall(100, MPI_DOUBLE, MPI_SUM), values.data(), values.data());
      EXPECT_EQ(values, std::vector<double>(100, worldSize()));
      end();
    }
  }

  Watch watch_{"NodeChannelRuns"};
};

TEST_F(NodeChannelRuns, combinesWhateverTypesAndOperations) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  check(sumOf<float>(MPI_FLOAT));
  check(sumOf<double>(MPI_DOUBLE));
  check(sumOf<std::int8_t>(MPI_INT8_T));
  check(maximumOf<std::int64_t>(MPI_INT64_T));
  check(minimumLocationOf<DoubleInt>(MPI_DOUBLE_INT));
  check(maximumLocationOf<TwoInt>(MPI_2INT));
  const UserOperations operations;
  check(operations.commutative());
  check(operations.nonCommutative());
}

// The last ranks are late, up to all of them; whole numbers have the same sum in any order.
TEST_F(NodeChannelRuns, addsWhatLateRanksBringAtTheEnd) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  const std::unique_ptr<NodeChannel> channel = open();
  ASSERT_NE(channel, nullptr);
  const auto ranks = static_cast<std::size_t>(worldSize());
  const Case<double> expected = sumOf<double>(MPI_DOUBLE);
  for (std::size_t late = 1; late <= ranks; ++late) {
    std::vector<std::int64_t> lateness_ns(ranks);
    std::fill(lateness_ns.end() - static_cast<std::ptrdiff_t>(late), lateness_ns.end(), 1'000'000);
    for (const int count : {1, worldSize() + 1, 20'000}) {
      watch_.phase(std::to_string(late) + " late ranks, count " + std::to_string(count));
      const CallKind kind = classifyCall(count, expected.datatype, expected.op);
      std::vector<double> values = expected.inputs(worldRank(), count);
      const Choice choice = parseChoice("node:slots=0,chunk=4").value();
      channel->run({values.data(), values.data(), count, kind.reducer, choice, {}, lateness_ns, true});
      EXPECT_EQ(expected.wrongElements(values, worldSize()), 0) << late << " late, count " << count;
    }
  }
}

// A program may keep something of its own where MPI's pairs have gaps, and end its memory where the last member does.
TEST_F(NodeChannelRuns, leavesTheGapsOfPairsAlone) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  struct WithOwn {
    double value;
    int index;
    int own;
  };
  const std::unique_ptr<NodeChannel> channel = open();
  ASSERT_NE(channel, nullptr);
  for (const int count : {1, 100, 1000, 30'000}) {
    const CallKind kind = classifyCall(count, MPI_DOUBLE_INT, MPI_MAXLOC);
    ASSERT_TRUE(NodeChannel::canRun(kind.reducer));
    std::vector<WithOwn> send(static_cast<std::size_t>(count), {worldRank() * 1.0, worldRank(), 11});
    std::vector<WithOwn> receive(send.size(), {0.0, 0, 22});
    for (const char* choice : {"node", "node_read"}) run(*channel, choice, kind, send.data(), receive.data());
    run(*channel, "node", kind, send.data(), send.data());
    for (const auto& [values, own] : {std::pair(&receive, 22), std::pair(&send, 11)}) {
      EXPECT_EQ(values->back().index, worldSize() - 1);
      EXPECT_TRUE(std::ranges::all_of(*values, [own = own](const WithOwn& one) { return one.own == own; })) << count;
    }
  }
  const UserOperations operations;
  EXPECT_FALSE(NodeChannel::canRun(classifyCall(1, MPI_DOUBLE_INT, operations.commutative().op).reducer));
}

TEST_F(NodeChannelRuns, hasNoMemoryWhereARankDoesNotWantTo) {
  for (int unwilling = 0; unwilling < worldSize(); ++unwilling) {
    EXPECT_EQ(NodeMemory::open(MPI_COMM_WORLD, worldRank() != unwilling, true), nullptr) << unwilling;
  }
}

// Three channels take turns, and are given up in another order on each rank.
TEST_F(NodeChannelRuns, sharesTheMemoryOfOthersWithTheSameRanks) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  NodeMemories memories;
  std::vector<std::int32_t> members(static_cast<std::size_t>(worldSize()));
  std::iota(members.begin(), members.end(), 0);
  const auto find = [&] { return memories.findOrOpen(MPI_COMM_WORLD, members, true, true); };
  std::vector<std::unique_ptr<NodeChannel>> channels;
  const std::int64_t token = find()->token();
  EXPECT_NE(find()->token(), token) << "nobody has the first any more";
  std::shared_ptr<NodeMemory> memory = find();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(find(), memory);
    channels.push_back(channelOf(find()));
  }
  constexpr int kCount = 30'000;
  const CallKind kind = classifyCall(kCount, MPI_INT, MPI_SUM);
  const CallKind brief = classifyCall(3, MPI_INT, MPI_SUM);
  for (int i = 0; i < 60; ++i) {
    watch_.phase("call " + std::to_string(i));
    std::vector<int> values(kCount, i);
    NodeChannel& channel = *channels[static_cast<std::size_t>(i % 3)];
    run(channel, i % 2 == 0 ? "node" : "node_read", kind, values.data(), values.data());
    run(channel, "node", brief, values.data(), values.data());
    const int sum = i * worldSize();
    EXPECT_EQ(values.front(), sum * worldSize());
    EXPECT_EQ(values.back(), sum);
  }
  std::swap(members.front(), members.back());
  EXPECT_NE(find(), memory) << "of ranks in another order";
  std::swap(members.front(), members.back());
  // One rank has given up all that the others still have.
  if (worldRank() == worldSize() - 1) {
    channels.clear();
    memory.reset();
  }
  const std::shared_ptr<NodeMemory> next = find();
  ASSERT_NE(next, nullptr);
  EXPECT_NE(next, memory);
  std::vector<int> values(3, 1);
  run(*channelOf(next), "node", brief, values.data(), values.data());
  EXPECT_EQ(values, std::vector<int>(3, worldSize()));
}

// Each has memory of its own.
TEST_F(NodeChannelRuns, keepsManyChannelsApart) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  std::vector<std::unique_ptr<NodeChannel>> channels;
  for (int i = 0; i < 40; ++i) channels.push_back(open());
  const CallKind kind = classifyCall(3, MPI_INT, MPI_SUM);
  for (int i = 0; i < 40; ++i) {
    ASSERT_NE(channels[static_cast<std::size_t>(i)], nullptr);
    std::vector<int> values(3, i);
    run(*channels[static_cast<std::size_t>(i)], "node", kind, values.data(), values.data());
    EXPECT_EQ(values, std::vector<int>(3, i * worldSize()));
  }
}

TEST_F(NodeChannelRuns, letsAMessageOnItsWay) {
  if (worldSize() == 1) GTEST_SKIP() << "nobody sends";
  const ScopedDuplicate others(MPI_COMM_WORLD);
  std::vector<double> message(1 << 20, worldRank());
  MPI_Request request = MPI_REQUEST_NULL;
  const auto send = [&] {
    if (worldRank() != 0) return;
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, 1, 7, others.get(), &request);
  };
  const auto receive = [&] {
    MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, 0, 7, others.get(), MPI_STATUS_IGNORE);
    EXPECT_EQ(message.back(), 0.0);
  };
  const auto wait = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  checkThatTheOtherGoesOn("a message", send, receive, wait);
}

TEST_F(NodeChannelRuns, letsOneSidedOperationsOnTheirWay) {
  if (worldSize() == 1) GTEST_SKIP() << "nobody gets";
  std::vector<double> offered(1 << 16, worldRank() + 5.0);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(offered.data(), static_cast<MPI_Aint>(offered.size() * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &window);
  const auto nothing = [] {};
  const auto get = [&] {
    std::vector<double> got(offered.size());
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(got.data(), static_cast<int>(got.size()), MPI_DOUBLE, 0, 0, static_cast<int>(got.size()), MPI_DOUBLE,
            window);
    MPI_Win_unlock(0, window);
    EXPECT_EQ(got.back(), 5.0);
  };
  checkThatTheOtherGoesOn("an operation on a window", nothing, get, nothing);
  MPI_Win_free(&window);
}

std::uint64_t mixed(std::uint64_t left, std::uint64_t right) { return (left * 31 + 7) ^ (right * 17 + 3); }

// Says that it commutes, and does not: its result shows in which order operands were combined.
class OrderRevealing {
 public:
  OrderRevealing() { MPI_Op_create(combine, 1, &op_); }
  ~OrderRevealing() { MPI_Op_free(&op_); }
  OrderRevealing(const OrderRevealing&) = delete;
  OrderRevealing& operator=(const OrderRevealing&) = delete;

  MPI_Op get() const { return op_; }

 private:
  static void combine(void* left, void* right, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) {
      std::uint64_t& result = static_cast<std::uint64_t*>(right)[i];
      result = mixed(static_cast<const std::uint64_t*>(left)[i], result);
    }
  }
  MPI_Op op_ = MPI_OP_NULL;
};

// Of a machine with two packages each rank has a processor of the one or the other, by turns.
TEST_F(NodeChannelRuns, combinesFirstWhatIsNearEachOther) {
  if (worldSize() != 12) GTEST_SKIP() << "for 12 ranks: of 8 or fewer each combines all";
  if (!placeOf(cpuSetOf(0), "pack:1 pu:1")) GTEST_SKIP() << "built without hwloc";
  setenv("HWLOC_SYNTHETIC", "pack:2 core:1 pu:1", 1);
  const cpu_set_t own = cpuSetOf(worldRank() % 2);
  if (!isTrueOnAll(MPI_COMM_WORLD, sched_setaffinity(0, sizeof own, &own) == 0)) GTEST_SKIP() << "one processor";
  const std::unique_ptr<NodeChannel> channel = channelOf(NodeMemory::open(MPI_COMM_WORLD, true, false));
  EXPECT_GT(channel->takeTimeOfLooking(), Seconds{});
  EXPECT_EQ(channel->takeTimeOfLooking(), Seconds{}) << "it is told once";
  const auto six = [](std::uint64_t first) {
    const auto pair = [=](std::uint64_t rank) { return mixed(rank, rank + 2); };
    return mixed(mixed(pair(first), pair(first + 4)), pair(first + 8));
  };
  const OrderRevealing op;
  const CallKind kind = classifyCall(5, MPI_UINT64_T, op.get());
  const Choice choice = parseChoice("node").value();
  for (const bool may_reorder : {false, true}) {
    std::vector<std::uint64_t> values(5, static_cast<std::uint64_t>(worldRank()));
    channel->run({values.data(), values.data(), 5, kind.reducer, choice, {}, {}, may_reorder});
    const bool is_by_place = values == std::vector<std::uint64_t>(5, mixed(six(0), six(1)));
    EXPECT_EQ(is_by_place, may_reorder);
  }
}

TEST_F(NodeChannelRuns, combinesWhereSomeRanksAloneFindThatTheyShareCores) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  std::shared_ptr<NodeMemory> memory = NodeMemory::open(MPI_COMM_WORLD, true, worldRank() % 2 == 0);
  ASSERT_NE(memory, nullptr);
  std::vector<int> values(3, 1);
  run(*channelOf(std::move(memory)), "node", classifyCall(3, MPI_INT, MPI_SUM), values.data(), values.data());
  EXPECT_EQ(values, std::vector<int>(3, worldSize()));
}

long pageFaults() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_minflt;
}

// The first call after the buffers were populated writes no page for the first time.
TEST_F(NodeChannelRuns, findsThePagesOfItsBuffersThereWherePopulated) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  constexpr int kCount = 16'384;
  std::vector<float> values(kCount, 1.0F);
  if (madvise(nullptr, 0, MADV_POPULATE_WRITE) != 0) GTEST_SKIP() << "the kernel is older than Linux 5.14";
  long faults[2];
  for (const bool is_populated : {false, true}) {
    const std::unique_ptr<NodeChannel> channel = open();
    ASSERT_NE(channel, nullptr);
    const CallKind kind = classifyCall(kCount, MPI_FLOAT, MPI_SUM);
    run(*channel, "node", classifyCall(1, MPI_FLOAT, MPI_SUM), values.data(), values.data());
    if (is_populated) channel->populate(kind.signature.bytes());
    MPI_Barrier(MPI_COMM_WORLD);
    const long before = pageFaults();
    run(*channel, "node", kind, values.data(), values.data());
    faults[is_populated ? 1 : 0] = pageFaults() - before;
  }
  EXPECT_LE(faults[1], 2 * worldSize()) << "only what is read of the others, of which the kernel maps several pages";
  EXPECT_GE(faults[0], faults[1] + 8) << "the pages of a vector";
}

// What was measured is of the right size at least: no call takes a second.
TEST_F(NodeChannelRuns, findsWhatItsCallsCost) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank shares nothing";
  const std::unique_ptr<NodeChannel> channel = open();
  CostModel model;
  channel->probe(MonotonicClock(), model);
  EXPECT_GT(model.node_alpha, Seconds{});
  EXPECT_LT(model.node_alpha, Seconds{1.0});
  EXPECT_GE(model.node_beta, 0.0);
  EXPECT_GE(model.read_beta, 0.0);
  EXPECT_LT(model.read_alpha, Seconds{1.0}) << "0 where ranks may not read each other's memory";
}

}  // namespace
}  // namespace starling
