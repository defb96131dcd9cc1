#include "algos/reduction_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "schedule/verifier.h"
#include "schedules.h"
#include "simulator/simulator.h"

namespace starling {
namespace {

using Latenesses = std::vector<std::int64_t>;

constexpr LinkCosts kGigabit{.alpha_ns = 4000, .beta_ps = 8000};
constexpr CostModel kGigabitModel{.alpha = {4e-6}, .beta = 8e-9};
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLong = 4 << 20;
constexpr Association kAssociations[] = {Association::kAny, Association::kRankOrder, Association::kFixed};

std::vector<Schedule> reductionSchedules(std::int32_t ranks, std::int64_t count, const ReductionPlan& plan) {
  std::vector<Schedule> schedules;
  for (std::int32_t rank = 0; rank < ranks; ++rank) schedules.push_back(buildReduction(ranks, rank, count, plan));
  return schedules;
}

std::vector<Latenesses> patternsFor(std::int32_t ranks, std::mt19937& random) {
  Latenesses first_late(static_cast<std::size_t>(ranks));
  first_late.front() = 100 * kMs;
  Latenesses last_late(static_cast<std::size_t>(ranks));
  last_late.back() = 100 * kMs;
  return {{}, first_late, last_late, randomLateness(ranks, 50 * kMs, random)};
}

std::set<std::int32_t> rootsFor(std::int32_t ranks) {
  std::set<std::int32_t> roots{0, ranks / 2, ranks - 1};
  for (std::int32_t root = 0; root < ranks && ranks <= 9; ++root) roots.insert(root);
  return roots;
}

TEST(PlanReduction, isAReductionForEveryShapeRootAndPattern) {
  std::mt19937 random(2024);
  for (std::int32_t ranks = 2; ranks <= 64; ++ranks) {
    for (const std::int32_t root : rootsFor(ranks)) {
      for (const Latenesses& pattern : patternsFor(ranks, random)) {
        for (const Association association : kAssociations) {
          for (const std::int64_t bytes : {std::int64_t{8}, kLong}) {
            ReductionPlan plan = planReduction({ranks, root, bytes, association}, pattern, kGigabit);
            for (const std::int32_t segments : {1, 3}) {
              plan.segments = segments;
              const Status status = verify(reductionSchedules(ranks, ranks + 1, plan),
                                           {.keeps_rank_order = association != Association::kAny,
                                            .collective = Collective::kReduce,
                                            .root = root});
              ASSERT_TRUE(status.isOk()) << ranks << " ranks, root " << root << ", " << bytes
                                         << " bytes: " << status.message();
            }
          }
        }
      }
    }
  }
}

TEST(BuildReduction, leavesTheVectorsOfRanksThatOnlySendAlone) {
  constexpr std::int32_t kRoot = 3;
  const ReductionPlan plan = planReduction({8, kRoot, 8, Association::kAny}, {}, kGigabit);
  std::set<std::int32_t> targets;
  for (const Merge& merge : plan.merges) targets.insert(merge.target);
  for (const Schedule& schedule : reductionSchedules(8, 10, plan)) {
    const auto is_send = [](const Step& step) { return step.kind == StepKind::kSend; };
    const bool only_sends = std::all_of(schedule.steps.begin(), schedule.steps.end(), is_send);
    EXPECT_EQ(only_sends, !targets.contains(schedule.virtual_rank)) << "rank " << schedule.virtual_rank;
    if (schedule.virtual_rank == kRoot) {
      EXPECT_TRUE(std::none_of(schedule.steps.begin(), schedule.steps.end(), is_send));
    }
  }
}

TEST(BuildReduction, hasNoMoreSegmentsThanElements) {
  const ReductionPlan plan{{{1, 0}}, 64};
  EXPECT_EQ(buildReduction(2, 0, 3, plan).steps.size(), 3U);
}

// Of merges one after another: on how many others the result waits at most.
std::int32_t depthOf(const ReductionPlan& plan, std::int32_t ranks) {
  return static_cast<std::int32_t>(completionNs({plan.merges, 1}, ranks, {}, 1));
}

TEST(PlanReduction, isABalancedTreeWhenNobodyIsLate) {
  for (std::int32_t ranks = 2; ranks <= 64; ++ranks) {
    for (const std::int32_t root : rootsFor(ranks)) {
      for (const Association association : kAssociations) {
        const ReductionPlan plan = planReduction({ranks, root, 8, association}, {}, kGigabit);
        EXPECT_EQ(depthOf(plan, ranks), std::bit_width(static_cast<std::uint32_t>(ranks - 1)))
            << ranks << " ranks, root " << root;
      }
    }
  }
}

TEST(PlanReduction, endsInTheRootWhichNeverSends) {
  std::mt19937 random(7);
  for (const std::int32_t ranks : {2, 3, 8, 13}) {
    for (std::int32_t root = 0; root < ranks; ++root) {
      const ReductionPlan plan =
          planReduction({ranks, root, 8, Association::kAny}, randomLateness(ranks, 50 * kMs, random), kGigabit);
      EXPECT_EQ(plan.merges.back().target, root);
      for (const Merge& merge : plan.merges) EXPECT_NE(merge.source, root);
    }
  }
}

TEST(PlanReduction, mergesTheLateRankLast) {
  for (const Association association : {Association::kAny, Association::kRankOrder}) {
    for (std::int32_t late = 1; late < 8; ++late) {
      Latenesses pattern(8);
      pattern[static_cast<std::size_t>(late)] = 100 * kMs;
      const ReductionPlan plan = planReduction({8, 0, 8, association}, pattern, kGigabit);
      const std::int64_t after = completionNs(plan, 8, pattern, mergeNs(kGigabit, 8)) - 100 * kMs;
      // In rank order those on either side of it cannot merge without it.
      EXPECT_LE(after, (association == Association::kAny ? 1 : 2) * mergeNs(kGigabit, 8)) << "rank " << late;
    }
  }
}

// One vector's time after the latest rank, where a balanced tree needs log2 P of these; when nobody is late, too.
TEST(PlanReduction, isNearTheTimeOfOneVectorForLongVectors) {
  constexpr std::int32_t kRanks = 48;
  Latenesses one_late(kRanks);
  one_late[7] = 500 * kMs;
  for (const Latenesses& pattern : {Latenesses(kRanks), one_late}) {
    const ReductionPlan plan = planReduction({kRanks, 0, kLong, Association::kAny}, pattern, kGigabit);
    const std::vector<Seconds> arrivals = arrivalsOf(pattern);
    const auto call = simulate(reductionSchedules(kRanks, kLong, plan), {1}, kGigabitModel, arrivals);
    ASSERT_TRUE(call.isOk());
    const Seconds last_arrival = *std::max_element(arrivals.begin(), arrivals.end());
    EXPECT_LT(call.value().exits[0] - last_arrival, 1.2 * Seconds{kLong * kGigabitModel.beta});
  }
}

TEST(CompletionNs, isWhatTheSimulatorSays) {
  std::mt19937 random(3);
  for (const std::int32_t ranks : {2, 5, 8, 16}) {
    for (const Latenesses& pattern : patternsFor(ranks, random)) {
      for (const Association association : kAssociations) {
        for (const std::int64_t bytes : {std::int64_t{8}, kLong}) {
          const ReductionPlan plan = planReduction({ranks, 0, bytes, association}, pattern, kGigabit);
          const std::int64_t segment_ns = mergeNs(kGigabit, (bytes + plan.segments - 1) / plan.segments);
          const Latenesses arrivals = pattern.empty() ? Latenesses(static_cast<std::size_t>(ranks)) : pattern;
          const auto call = simulate(reductionSchedules(ranks, bytes, plan), {1}, kGigabitModel, arrivalsOf(arrivals));
          ASSERT_TRUE(call.isOk());
          const double predicted = 1e-9 * static_cast<double>(completionNs(plan, ranks, pattern, segment_ns));
          EXPECT_NEAR(call.value().exits[0].value, predicted, 0.15 * predicted) << ranks << " ranks, " << bytes;
        }
      }
    }
  }
}

// The same association, whatever the root, the arrivals and the costs.
TEST(PlanReduction, givesTheSameBitsWhenFixed) {
  std::mt19937 random(11);
  for (const std::int32_t ranks : {3, 5, 8, 13}) {
    std::vector<std::vector<double>> inputs;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      inputs.emplace_back();
      for (int i = 0; i < 50; ++i) inputs.back().push_back(std::sin(1.0 + 10.0 * rank + i) * std::pow(10.0, rank % 5));
    }
    std::set<std::vector<double>> fixed;
    std::set<std::vector<double>> free;
    for (std::int32_t root = 0; root < ranks; ++root) {
      for (const Latenesses& pattern : patternsFor(ranks, random)) {
        for (const LinkCosts& costs : {kGigabit, LinkCosts{1, 100'000, 0}, LinkCosts{1'000'000, 1, 1}}) {
          const auto result = [&](Association association) {
            const ReductionPlan plan = planReduction({ranks, root, 400, association}, pattern, costs);
            const auto results = interpret<double>(reductionSchedules(ranks, 50, plan), inputs, std::plus<>());
            return results[static_cast<std::size_t>(root)];
          };
          fixed.insert(result(Association::kFixed));
          free.insert(result(Association::kAny));
        }
      }
    }
    EXPECT_EQ(fixed.size(), 1U) << ranks << " ranks";
    EXPECT_GT(free.size(), 1U) << "else this test says nothing";
  }
}

TEST(PlanReduction, concatenatesInRankOrder) {
  std::mt19937 random(5);
  for (const std::int32_t ranks : {2, 3, 4, 7, 8}) {
    std::vector<std::vector<std::string>> letters;
    std::string whole;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      letters.emplace_back(3, std::string(1, static_cast<char>('a' + rank)));
      whole += letters.back().front();
    }
    for (std::int32_t root = 0; root < ranks; ++root) {
      for (const Latenesses& pattern : patternsFor(ranks, random)) {
        for (const std::int64_t bytes : {std::int64_t{8}, kLong}) {
          const ReductionPlan plan = planReduction({ranks, root, bytes, Association::kRankOrder}, pattern, kGigabit);
          const auto results = interpret<std::string>(reductionSchedules(ranks, 3, plan), letters, std::plus<>());
          EXPECT_THAT(results[static_cast<std::size_t>(root)], testing::Each(whole));
        }
      }
    }
  }
}

}  // namespace
}  // namespace starling
