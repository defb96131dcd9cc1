// How the trees of reductions follow the arrivals.
#include "mpi/rooted/rooted_reducer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "cases.h"
#include "harness.h"
#include "mpi/rooted/rooted_calls.h"

namespace starling {
namespace {

using Latenesses = std::vector<std::int64_t>;

constexpr std::int64_t kSecond = 1'000'000'000;

class RootedReducerTest : public testing::Test {
 protected:
  void TearDown() override {
    if (calls_) calls_->finish(true);
  }

  void begin(const Clock& clock, std::uint64_t clock_identity = 1) {
    options_.minimum_calls = 1;
    options_.rooted_period = kPeriod;
    calls_ = std::make_unique<RootedCalls>(duplicate_.get(), options_,
                                           ClockKnowledge{.clock = &clock, .identity = clock_identity});
    reduce(1);  // left to MPI
  }

  void reduce(int calls, int root = 0) {
    const Case<double> expected = sumOf<double>(MPI_DOUBLE);
    for (int call = 0; call < calls; ++call) {
      const std::vector<double> input = expected.inputs(worldRank(), 100);
      std::vector<double> result(100);
      EXPECT_EQ(calls_->reducer().reduce(input.data(), result.data(), 100, MPI_DOUBLE, MPI_SUM, root), MPI_SUCCESS);
      if (worldRank() == root) {
        EXPECT_EQ(expected.wrongElements(result, worldSize()), 0);
      }
    }
  }

  Latenesses lateness(int root = 0) const {
    const std::span<const std::int64_t> in_force = calls_->reducer().latenessNs(root, false);
    EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(in_force.data(), in_force.size_bytes()), duplicate_.get()));
    return {in_force.begin(), in_force.end()};
  }

  static Latenesses onlyLast(std::int64_t lateness_ns) {
    Latenesses expected(static_cast<std::size_t>(worldSize()));
    expected.back() = lateness_ns;
    return expected;
  }
  static Latenesses nobody() { return Latenesses(static_cast<std::size_t>(worldSize())); }
  static bool isLast() { return worldRank() == worldSize() - 1; }

  static constexpr int kPeriod = 4;
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  Options options_;
  ManualClock clock_;
  std::unique_ptr<RootedCalls> calls_;
};

TEST_F(RootedReducerTest, heedsArrivalsOnePeriodAfterTheyWereMeasured) {
  begin(clock_);
  if (worldSize() == 1) return;
  if (isLast()) clock_.advance({2.0});
  reduce(2 * kPeriod - 1);
  EXPECT_EQ(lateness(), nobody());
  reduce(1);
  EXPECT_EQ(lateness(), onlyLast(2 * kSecond));
  if (!isLast()) clock_.advance({2.0});
  reduce(2 * kPeriod);
  EXPECT_EQ(lateness(), nobody());
}

TEST_F(RootedReducerTest, learnsOfEachRootApart) {
  begin(clock_);
  if (worldSize() == 1) return;
  reduce(2 * kPeriod, 0);
  if (isLast()) clock_.advance({2.0});
  reduce(2 * kPeriod, 1);
  EXPECT_EQ(lateness(0), nobody());
  EXPECT_EQ(lateness(1), onlyLast(2 * kSecond));
}

TEST_F(RootedReducerTest, countsNobodyAsLateWhereNothingIsKnownOfTheClocks) {
  if (isLast()) clock_.advance({2.0});
  begin(clock_, isLast() ? 2 : 1);
  if (worldSize() == 1) return;
  reduce(3 * kPeriod);
  EXPECT_EQ(lateness(), nobody());
}

TEST_F(RootedReducerTest, learnsNothingWhereItIsToBeReproducible) {
  options_.reproducible = true;
  if (isLast()) clock_.advance({2.0});
  begin(clock_);
  reduce(3 * kPeriod);
  EXPECT_EQ(lateness(), Latenesses{});
}

// On the real clock, with a lateness that no scheduling reaches.
TEST_F(RootedReducerTest, mergesALoadedRankLast) {
  constexpr std::chrono::milliseconds kLoad(200);
  const MonotonicClock clock;
  begin(clock);
  if (worldSize() == 1) return;
  for (int call = 0; call < 2 * kPeriod; ++call) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (isLast()) std::this_thread::sleep_for(kLoad);
    reduce(1);
  }
  const Latenesses found = lateness();
  for (std::size_t rank = 0; rank + 1 < found.size(); ++rank) EXPECT_LT(found[rank], found.back() / 2);
  const ReductionPlan plan = planReduction({worldSize(), 0, 800, Association::kAny}, found, {});
  EXPECT_EQ(plan.merges.back(), (Merge{worldSize() - 1, 0}));
}

}  // namespace
}  // namespace starling
