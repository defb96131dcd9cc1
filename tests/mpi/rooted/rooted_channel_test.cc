// Which calls the rooted collectives take, and what the ranks agree on before.
#include "mpi/rooted/rooted_channel.h"

#include <gtest/gtest.h>

#include "harness.h"

namespace starling {
namespace {

using Start = RootedCounter::Start;

class RootedChannelTest : public testing::Test {
 protected:
  // Ranks have equal answers.
  bool admits(std::int64_t bytes, Start start = Start::kWhenWorthIt, int root = 0) {
    const bool is_admitted = channel_.admits({bytes, root, start}, memory_, [] { return MPI_SUCCESS; });
    EXPECT_TRUE(isEqualOnAllRanks(is_admitted ? 1 : 2, duplicate_.get()));
    return is_admitted;
  }
  bool findsMemory(std::int64_t bytes) {
    const bool is_found = channel_.ensureMemory(bytes, memory_);
    EXPECT_TRUE(isEqualOnAllRanks(is_found ? 1 : 2, duplicate_.get()));
    return is_found;
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  Options options_ = [] {
    Options options;
    options.minimum_calls = 2;
    return options;
  }();
  ManualClock clock_;
  RootedChannel channel_{duplicate_.get(), options_, {.clock = &clock_, .identity = 1}};
  std::size_t limit_ = AgreedMemory::kMax;  // of this rank's memory
  AgreedMemory memory_{"calls", [this](std::size_t bytes) { return bytes <= limit_ && channel_.growVector(bytes); }};
};

TEST_F(RootedChannelTest, leavesTheFirstCallsAloneUnlessItIsToStartAtOnce) {
  EXPECT_FALSE(admits(100));
  EXPECT_EQ(admits(100, Start::kAtOnce), worldSize() > 1);
  EXPECT_EQ(admits(100), worldSize() > 1);
}

TEST_F(RootedChannelTest, takesNeitherEmptyCallsNorThoseOfWrongRoots) {
  for (const int root : {-1, worldSize()}) EXPECT_FALSE(admits(100, Start::kAtOnce, root));
  EXPECT_FALSE(admits(0, Start::kAtOnce));
}

TEST_F(RootedChannelTest, forgetsCallsThatAreTooLarge) {
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(admits(AgreedMemory::kMax + AgreedMemory::kMax / 2, Start::kAtOnce));
    EXPECT_FALSE(admits(AgreedMemory::kMax + 1, Start::kAtOnce));
  }
  if (worldSize() == 1) return;
  EXPECT_FALSE(admits(1000)) << "they do not count as the first calls either";
  EXPECT_FALSE(admits(3000));
  EXPECT_TRUE(admits(1000));
  EXPECT_TRUE(memory_.has(3000));
  EXPECT_EQ(memory_.reserve(), 4096);
}

TEST_F(RootedChannelTest, findsMemoryForSmallCallsWhateverWasRefusedBefore) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  if (worldRank() == worldSize() - 1) limit_ = 10'000;
  EXPECT_TRUE(admits(1'000'000, Start::kAtOnce));
  EXPECT_FALSE(findsMemory(1'000'000));
  EXPECT_TRUE(admits(3000, Start::kAtOnce));
  EXPECT_TRUE(findsMemory(3000));
  EXPECT_TRUE(findsMemory(8000));
  EXPECT_FALSE(findsMemory(20'000));
}

// As those of a communicator on which something failed are: MPI still reads and writes their vectors.
TEST_F(RootedChannelTest, exchangesThatNobodyWaitsForKeepTheirVectors) {
  const bool is_first = worldRank() == 0;
  if (is_first) {
    PeriodExchange left(0, worldSize());
    EXPECT_EQ(left.start(duplicate_.get(), {.value = 7, .duration_ns = 1, .capacity = 5}), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_first) {
    PeriodExchange exchange(worldRank(), worldSize());
    EXPECT_EQ(exchange.start(duplicate_.get(), {.value = worldRank(), .duration_ns = 1, .capacity = 9}), MPI_SUCCESS);
    EXPECT_EQ(exchange.finish(), MPI_SUCCESS);
    EXPECT_EQ(exchange.values()[0], 7);
    EXPECT_EQ(exchange.durationNs(), worldSize());
    EXPECT_EQ(exchange.capacity(), 5);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace starling
