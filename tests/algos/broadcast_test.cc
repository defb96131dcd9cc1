#include "algos/broadcast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schedule/verifier.h"
#include "schedules.h"
#include "simulator/simulator.h"

namespace starling {
namespace {

constexpr LinkCosts kGigabit{.alpha_ns = 4000, .beta_ps = 8000};
constexpr CostModel kGigabitModel{.alpha = {4e-6}, .beta = 8e-9};

std::vector<Schedule> broadcastSchedules(std::int32_t ranks, std::int64_t count, const BroadcastPlan& plan) {
  std::vector<Schedule> schedules;
  for (std::int32_t position = 0; position < ranks; ++position) {
    schedules.push_back(buildBroadcast(ranks, position, count, plan));
  }
  return schedules;
}

TEST(BuildBroadcast, isABroadcastForEveryNumberOfRanksTreeAndCount) {
  for (std::int32_t ranks = 2; ranks <= 64; ++ranks) {
    for (const BroadcastTree tree : {BroadcastTree::kBinomial, BroadcastTree::kChain}) {
      for (const std::int32_t segments : {1, 2, 7}) {
        for (const std::int64_t count : {std::int64_t{1}, std::int64_t{6}, ranks + std::int64_t{1}}) {
          const Status status = verify(broadcastSchedules(ranks, count, {.tree = tree, .segments = segments}),
                                       {.collective = Collective::kBroadcast});
          ASSERT_TRUE(status.isOk()) << ranks << " ranks, " << segments << " segments of " << count
                                     << " elements: " << status.message();
        }
      }
    }
  }
}

TEST(BuildBroadcast, lowerPositionsReceiveEarlierAndSendNoLess) {
  for (const std::int32_t ranks : {2, 3, 8, 13, 64}) {
    for (const BroadcastTree tree : {BroadcastTree::kBinomial, BroadcastTree::kChain}) {
      const std::vector<Schedule> schedules = broadcastSchedules(ranks, 1, {.tree = tree});
      const auto call = simulate(schedules, {1}, {.alpha = {0.0}, .beta = 1.0}, std::vector<Seconds>(ranks));
      ASSERT_TRUE(call.isOk());
      std::vector<Seconds> receipts(static_cast<std::size_t>(ranks));
      for (const Transfer& transfer : call.value().transfers) receipts[transfer.target] = transfer.end;
      EXPECT_TRUE(std::is_sorted(receipts.begin(), receipts.end())) << ranks << " ranks";
      for (std::size_t position = 1; position < schedules.size(); ++position) {
        EXPECT_LE(schedules[position].steps.size(), schedules[position - 1].steps.size() + (position == 1 ? 1 : 0));
      }
      EXPECT_EQ(schedules.back().steps.size(), 1U) << "the last position is a leaf";
    }
  }
}

TEST(PlanBroadcast, takesTheBinomialTreeForShortMessagesAndTheChainForLongOnes) {
  EXPECT_EQ(planBroadcast(48, 8, kGigabit).tree, BroadcastTree::kBinomial);
  EXPECT_EQ(planBroadcast(48, 8, kGigabit).segments, 1);
  EXPECT_EQ(planBroadcast(48, 4 << 20, kGigabit).tree, BroadcastTree::kChain);
  EXPECT_EQ(planBroadcast(2, 4 << 20, kGigabit).tree, BroadcastTree::kBinomial) << "there is one link only";
}

TEST(PlanBroadcast, sendsToAllChildrenAtOnceWhereTheWireIsNotWhatTakesTime) {
  EXPECT_EQ(planBroadcast(8, 8, kGigabit).pacing, 3);
  EXPECT_EQ(planBroadcast(8, 4096, kGigabit).pacing, 1);
}

// A chain needs the time of one vector and not much more, where the binomial tree needs log2 P.
TEST(PlanBroadcast, isNearTheTimeOfOneVectorForLongMessages) {
  constexpr std::int32_t kRanks = 48;
  constexpr std::int64_t kBytes = 4 << 20;
  const auto schedules = broadcastSchedules(kRanks, kBytes, planBroadcast(kRanks, kBytes, kGigabit));
  const auto call = simulate(schedules, {1}, kGigabitModel, std::vector<Seconds>(kRanks));
  ASSERT_TRUE(call.isOk());
  EXPECT_LT(call.value().lastExit(), 1.2 * Seconds{kBytes * kGigabitModel.beta});
}

TEST(PlanBroadcast, isValidForAnySizeAndCosts) {
  for (const std::int64_t bytes :
       {std::int64_t{1}, std::int64_t{3}, std::int64_t{1} << 20, (std::int64_t{1} << 31) - 1}) {
    for (const LinkCosts& costs :
         {LinkCosts{0, 0, 0}, kGigabit, LinkCosts{1'000'000'000, 1, 0}, LinkCosts{1, 1'000'000'000, 0}}) {
      for (const std::int32_t ranks : {2, 3, 1024}) {
        const BroadcastPlan plan = planBroadcast(ranks, bytes, costs);
        EXPECT_GE(plan.segments, 1);
        EXPECT_LE(plan.segments, std::min(bytes, kMaxSegments));
        EXPECT_GE(plan.reach_ns, 0);
      }
    }
  }
}

TEST(ParentOf, isLowerInBothTrees) {
  for (const BroadcastTree tree : {BroadcastTree::kBinomial, BroadcastTree::kChain}) {
    for (std::int32_t position = 1; position < 100; ++position) {
      EXPECT_LT(parentOf(tree, position), position);
      EXPECT_GE(parentOf(tree, position), 0);
    }
  }
  EXPECT_EQ(parentOf(BroadcastTree::kBinomial, 7), 3);
  EXPECT_EQ(parentOf(BroadcastTree::kChain, 7), 6);
}

}  // namespace
}  // namespace starling
