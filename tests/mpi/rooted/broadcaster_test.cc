// How the virtual-rank tables of broadcasts follow the waiting times.
#include "mpi/rooted/broadcaster.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "harness.h"
#include "mpi/rooted/rooted_calls.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

using Table = std::vector<std::int32_t>;

// Moves on by the same at each reading: a call reads it when it comes and when its first message has come, so this is
// what the rank seems to wait.
class WaitingClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override {
    clock_.advance(wait_);
    return clock_.nanoseconds();
  }
  void setWait(Seconds wait) { wait_ = wait; }

 private:
  mutable ManualClock clock_;
  Seconds wait_;
};

// Shows no time until it is started: what messages cost is then measured as nothing, whatever else the machine does.
class LateClock final : public Clock {
 public:
  std::int64_t nanoseconds() const override { return started_ ? clock_.nanoseconds() : 0; }
  void start() { started_ = true; }

 private:
  MonotonicClock clock_;
  bool started_ = false;
};

class BroadcasterTest : public testing::Test {
 protected:
  void TearDown() override {
    if (calls_) calls_->finish(true);
  }

  void begin(const Clock& clock, int period = kPeriod) {
    options_.minimum_calls = 1;
    options_.rooted_period = period;
    calls_ = std::make_unique<RootedCalls>(duplicate_.get(), options_, ClockKnowledge{.clock = &clock, .identity = 1});
    send(1);  // left to MPI
  }

  void send(int calls, int root = 0) {
    for (int call = 0; call < calls; ++call) {
      std::vector<int> values(100, worldRank() == root ? ++sent_ : -1);
      EXPECT_EQ(calls_->broadcaster().broadcast(values.data(), 100, MPI_INT, root), MPI_SUCCESS);
      if (worldRank() == root) continue;
      EXPECT_EQ(values, std::vector<int>(100, values.front()));
      EXPECT_GT(values.front(), 0);
    }
  }

  Table table(int root = 0) const {
    const std::span<const std::int32_t> in_force = calls_->broadcaster().table(root, BroadcastTree::kBinomial);
    EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(in_force.data(), in_force.size_bytes()), duplicate_.get()));
    return {in_force.begin(), in_force.end()};
  }

  static constexpr int kPeriod = 4;
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  Options options_;
  WaitingClock clock_;
  std::unique_ptr<RootedCalls> calls_;
  int sent_ = 0;
};

TEST_F(BroadcasterTest, exchangesWaitersOnePeriodAfterTheyWereMeasured) {
  begin(clock_);
  if (worldSize() < 4) return;  // nobody receives by way of another
  // All that receive by way of rank 1.
  clock_.setWait({worldRank() > 1 && worldRank() % 2 == 1 ? 10.0 : 0.0});
  send(3 * kPeriod - 1);  // the first period is left to MPI
  EXPECT_EQ(table(), identityTable(worldSize()));
  send(1);
  const int last_waiter = worldSize() - 1 - worldSize() % 2;
  Table expected = identityTable(worldSize());
  std::swap(expected[1], expected[static_cast<std::size_t>(last_waiter)]);
  EXPECT_EQ(table(), expected);
}

TEST_F(BroadcasterTest, keepsATableForEachRoot) {
  begin(clock_);
  if (worldSize() < 4) return;
  clock_.setWait({worldRank() == 3 ? 10.0 : 0.0});
  send(3 * kPeriod, 0);
  send(3 * kPeriod, 1);
  EXPECT_EQ(table(0)[1], 3);
  EXPECT_EQ(table(0)[3], 1);
  EXPECT_EQ(table(1).front(), 1);
  EXPECT_NE(table(0), table(1));
  EXPECT_EQ(table(2), Table{}) << "this root has sent nothing";
}

TEST_F(BroadcasterTest, leavesTheTableWhenNobodyWaits) {
  begin(clock_);
  send(6 * kPeriod);
  if (worldSize() > 1) {
    EXPECT_EQ(table(), identityTable(worldSize()));
  }
}

TEST_F(BroadcasterTest, leavesTheFirstCallsToMpiInReproducibleModeToo) {
  options_.reproducible = true;
  begin(clock_);
  EXPECT_EQ(table(), Table{});
  send(1);
  EXPECT_EQ(table().size(), worldSize() == 1 ? 0U : static_cast<std::size_t>(worldSize()));
}

TEST_F(BroadcasterTest, measuresNothingWhereCallsPassThrough) {
  options_.mode = Mode::kObserve;
  begin(clock_);
  send(6 * kPeriod);
  EXPECT_EQ(table(), Table{});
}

// On the real clock, with a lateness that no scheduling reaches: the first receiver is loaded.
TEST_F(BroadcasterTest, makesALoadedRankALeaf) {
  constexpr std::chrono::milliseconds kLoad(200);
  LateClock clock;
  begin(clock, 2);
  if (worldSize() < 4) return;
  send(2);
  clock.start();
  for (int call = 0; call < 18; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (worldRank() == 1) std::this_thread::sleep_for(kLoad);
    send(1);
  }
  const Table settled = table();
  const auto position = static_cast<std::int32_t>(std::find(settled.begin(), settled.end(), 1) - settled.begin());
  const Schedule loaded = buildBroadcast(worldSize(), position, 1, {});
  EXPECT_EQ(loaded.steps.size(), 1U) << "rank 1 sends from position " << position;
}

}  // namespace
}  // namespace starling
