#include "tuner/rooted/broadcast_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "simulator/simulator.h"
#include "tuner/virtual_ranks.h"

namespace starling {
namespace {

using Table = std::vector<std::int32_t>;

constexpr std::int64_t kMs = 1'000'000;

Table tableOf(const BroadcastTable& table) { return {table.ranksByPosition().begin(), table.ranksByPosition().end()}; }

TEST(BroadcastTable, beginsWithTheRootAndTheOthersInTheirOrder) {
  EXPECT_EQ(tableOf(BroadcastTable(5, 0)), (Table{0, 1, 2, 3, 4}));
  EXPECT_EQ(tableOf(BroadcastTable(5, 3)), (Table{3, 4, 0, 1, 2}));
  EXPECT_EQ(BroadcastTable(5, 3).positionOf(0), 2);
}

TEST(BroadcastTable, exchangesTheLastLongestWaiterWithTheRankThatItWaitsFor) {
  BroadcastTable table(8, 0);
  // Rank 1, the first receiver, is late: those below it in the tree wait.
  const std::vector<std::int64_t> waits{0, 0, 0, 100 * kMs, 0, 101 * kMs, 0, 99 * kMs};
  EXPECT_TRUE(table.update(waits, BroadcastTree::kBinomial, 0));
  EXPECT_EQ(tableOf(table), (Table{0, 7, 2, 3, 4, 5, 6, 1}));
}

// The root may be held up by the late rank, and then those that it sends to later wait as well.
TEST(BroadcastTable, passesOverRanksThatWaitForTheRoot) {
  BroadcastTable table(5, 0);
  EXPECT_TRUE(
      table.update(std::vector<std::int64_t>{0, 0, 90 * kMs, 100 * kMs, 90 * kMs}, BroadcastTree::kBinomial, 0));
  EXPECT_EQ(tableOf(table), (Table{0, 3, 2, 1, 4}));
}

// Others wait as little as the late rank, and less.
TEST(BroadcastTable, findsTheCauseAmongTheRanksThatTheMessageComesThrough) {
  BroadcastTable table(8, 0);
  const std::vector<std::int64_t> waits{0, 5'000, 1'000, 2'000, 1'000, 1'000, 100 * kMs, 1'000};
  EXPECT_TRUE(table.update(waits, BroadcastTree::kBinomial, 0));  // position 6 receives from 2
  EXPECT_EQ(tableOf(table), (Table{0, 1, 6, 3, 4, 5, 2, 7}));
  BroadcastTable chain(6, 0);
  EXPECT_TRUE(chain.update(std::vector<std::int64_t>{0, 10, 0, 20, 50 * kMs, 50 * kMs}, BroadcastTree::kChain, 0));
  EXPECT_EQ(tableOf(chain), (Table{0, 1, 2, 5, 4, 3}));
}

TEST(BroadcastTable, staysWhenEverybodyWaitsForTheRoot) {
  BroadcastTable table(6, 2);
  const Table before = tableOf(table);
  for (const BroadcastTree tree : {BroadcastTree::kBinomial, BroadcastTree::kChain}) {
    EXPECT_FALSE(table.update(std::vector<std::int64_t>{9 * kMs, 9 * kMs, 0, 9 * kMs, 9 * kMs, 9 * kMs}, tree, 0));
  }
  EXPECT_EQ(tableOf(table), before);
}

TEST(BroadcastTable, staysWhenWaitsDifferByNoMoreThanNoiseOrTheWayOfTheMessage) {
  BroadcastTable table(8, 0);
  const std::vector<std::int64_t> noise{0, 0, 19'000, 0, 19'000, 0, 19'000, 19'000};
  EXPECT_FALSE(table.update(noise, BroadcastTree::kBinomial, 0));
  const std::vector<std::int64_t> depth{0, 1 * kMs, 2 * kMs, 2 * kMs, 3 * kMs, 3 * kMs, 3 * kMs, 3 * kMs};
  EXPECT_FALSE(table.update(depth, BroadcastTree::kBinomial, 3 * kMs));
  EXPECT_EQ(tableOf(table), identityTable(8));
}

TEST(BroadcastTable, doesNotHeedWaitsThatAreSmallBesideThoseOfLately) {
  BroadcastTable table(4, 0);
  EXPECT_TRUE(table.update(std::vector<std::int64_t>{0, 0, 0, 100 * kMs}, BroadcastTree::kBinomial, 0));
  const Table found = tableOf(table);
  const std::vector<std::int64_t> small{0, 1 * kMs, 0, 0};  // of rank 1, which is in position 3 now
  for (int period = 0; period < 10; ++period) EXPECT_FALSE(table.update(small, BroadcastTree::kBinomial, 0));
  EXPECT_EQ(tableOf(table), found);
  int periods = 0;
  while (periods < 100 && !table.update(small, BroadcastTree::kBinomial, 0)) ++periods;
  EXPECT_LT(periods, 50) << "they are heeded in the end";
}

TEST(BroadcastTable, doesNotHeedTheRoot) {
  BroadcastTable table(4, 0);
  EXPECT_FALSE(table.update(std::vector<std::int64_t>{500 * kMs, 0, 0, 0}, BroadcastTree::kBinomial, 0));
}

TEST(BroadcastTable, worksForTwoRanksAndOne) {
  BroadcastTable two(2, 1);
  EXPECT_FALSE(two.update(std::vector<std::int64_t>{7 * kMs, 0}, BroadcastTree::kBinomial, 0));
  BroadcastTable one(1, 0);
  EXPECT_FALSE(one.update(std::vector<std::int64_t>{0}, BroadcastTree::kChain, 0));
}

// Calls on virtual time, one in each period; the waits of the one before are told to the table, as the ranks exchange
// them.
class SimulatedBroadcasts {
 public:
  SimulatedBroadcasts(std::int32_t ranks, std::int64_t bytes, std::vector<Seconds> lateness)
      : ranks_(ranks), bytes_(bytes), lateness_(std::move(lateness)), table_(ranks, 0) {}

  // Returns the mean exit.
  Seconds call() {
    const LinkCosts costs{.alpha_ns = 4000, .beta_ps = 8000};
    const BroadcastPlan plan = planBroadcast(ranks_, bytes_, costs);
    std::vector<Schedule> schedules;
    std::vector<Seconds> arrivals;
    for (std::int32_t position = 0; position < ranks_; ++position) {
      schedules.push_back(buildBroadcast(ranks_, position, bytes_, plan));
      arrivals.push_back(lateness_[rankAt(position)]);
    }
    const auto call = simulate(schedules, {1}, {.alpha = {4e-6}, .beta = 8e-9}, arrivals);
    std::vector<std::int64_t> waits(lateness_.size(), -1);
    for (const Transfer& transfer : call.value().transfers) {
      std::int64_t& wait = waits[rankAt(transfer.target)];
      if (wait < 0) wait = std::max<std::int64_t>(0, toNanoseconds(transfer.end - arrivals[transfer.target]));
    }
    waits[rankAt(0)] = 0;
    waits.swap(told_);
    if (!waits.empty()) table_.update(waits, plan.tree, plan.reach_ns);
    return call.value().meanExit();
  }

  std::size_t rankAt(std::int32_t position) const {
    return static_cast<std::size_t>(table_.ranksByPosition()[static_cast<std::size_t>(position)]);
  }
  const BroadcastTable& table() const { return table_; }

 private:
  std::int32_t ranks_;
  std::int64_t bytes_;
  std::vector<Seconds> lateness_;
  BroadcastTable table_;
  std::vector<std::int64_t> told_;  // and not yet known
};

TEST(BroadcastTable, makesALoadedFirstReceiverALeafAndThenStays) {
  for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{4} << 20}) {
    for (const std::int32_t ranks : {3, 4, 8, 16, 48}) {
      std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
      lateness[1] = {0.1};
      SimulatedBroadcasts broadcasts(ranks, bytes, lateness);
      const Seconds before = broadcasts.call();
      for (int period = 0; period < 8; ++period) broadcasts.call();
      const Table settled = tableOf(broadcasts.table());
      const Seconds after = broadcasts.call();
      EXPECT_EQ(tableOf(broadcasts.table()), settled);
      EXPECT_TRUE(isPermutation(settled));
      EXPECT_EQ(settled.front(), 0);
      const BroadcastPlan plan = planBroadcast(ranks, bytes, {.alpha_ns = 4000, .beta_ps = 8000});
      const Schedule late = buildBroadcast(ranks, broadcasts.table().positionOf(1), bytes, plan);
      for (const Step& step : late.steps) EXPECT_EQ(step.kind, StepKind::kReceive) << ranks << " ranks";
      if (bytes == 8 && ranks == 8) {
        EXPECT_LT(after, 0.5 * before);
      }
    }
  }
}

// What was measured before a change must not be held against the ranks in their new places.
TEST(BroadcastTable, demotesNoRankThatIsOnTime) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const std::int32_t ranks = 4 + round % 13;
    std::vector<Seconds> lateness(static_cast<std::size_t>(ranks));
    for (const int loaded : {0, 1}) lateness[1 + random() % (lateness.size() - 1)] = {0.1 + 0.03 * loaded};
    SimulatedBroadcasts broadcasts(ranks, round % 2 == 0 ? 8 : 4 << 20, lateness);
    for (int period = 0; period < 12; ++period) {
      const Table before = tableOf(broadcasts.table());
      broadcasts.call();
      const Table after = tableOf(broadcasts.table());
      for (std::size_t position = 0; position < before.size(); ++position) {
        const auto rank = static_cast<std::size_t>(before[position]);
        if (lateness[rank].value > 0) continue;
        EXPECT_LE(broadcasts.table().positionOf(before[position]), static_cast<std::int32_t>(position))
            << "rank " << rank << " of " << ranks << ", period " << period;
      }
    }
  }
}

TEST(BroadcastTable, findsPlacesForSeveralLoadedRanks) {
  std::vector<Seconds> lateness(16);
  for (const std::size_t rank : {1, 2, 3}) lateness[rank] = {0.1};
  SimulatedBroadcasts broadcasts(16, 8, lateness);
  for (int period = 0; period < 16; ++period) broadcasts.call();
  for (const std::int32_t rank : {1, 2, 3}) {
    EXPECT_GE(broadcasts.table().positionOf(rank), 8) << "rank " << rank << " still sends";
  }
}

}  // namespace
}  // namespace starling
