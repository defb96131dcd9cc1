// The memory that broadcasts and reductions need is known beforehand, and is enough when there is no more.
#include <gtest/gtest.h>

#include <string>

#include "algos/broadcast.h"
#include "algos/reduction_tree.h"
#include "base/reserve.h"
#include "counting_memory.h"
#include "schedule/prepared_schedule.h"

namespace starling {
namespace {

// Costs with which long vectors are cut into few segments, and into as many as there may be.
constexpr LinkCosts kSlowMessages{20'000, 1'000, 100};
constexpr LinkCosts kFastMessages{10, 10'000, 1'000};
constexpr std::int32_t kRanks[] = {2, 3, 4, 5, 7, 8, 16, 33, 64};
constexpr std::int64_t kBytes[] = {1, 1000, 1 << 16, 1 << 22};

std::int64_t runBytes(const PreparedSchedule& prepared) { return prepared.runBytes(); }

template <typename Check>
void forAllShapes(const Check& check) {
  for (const LinkCosts& costs : {kSlowMessages, kFastMessages}) {
    for (const std::int32_t ranks : kRanks) {
      for (const std::int64_t bytes : kBytes) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(bytes) + " bytes");
        check(ranks, bytes, costs);
      }
    }
  }
}

TEST(BroadcastBytes, boundWhatAnyPositionTakes) {
  forAllShapes([](std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
    const BroadcastPlan plan = planBroadcast(ranks, bytes, costs);
    for (const std::int32_t position : {0, 1, ranks / 2, ranks - 1}) {
      Counting memory;
      const PreparedSchedule prepared(buildBroadcast(ranks, position, bytes, plan, &memory));
      EXPECT_LE(memory.peak + runBytes(prepared), broadcastBytes(ranks, bytes, costs)) << "position " << position;
    }
  });
}

TEST(BroadcastBytes, boundShorterVectorsToo) {
  forAllShapes([](std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
    EXPECT_LE(broadcastBytes(ranks, bytes, costs), broadcastBytes(ranks, 2 * bytes, costs));
    EXPECT_LE(reductionBytes(ranks, bytes, costs), reductionBytes(ranks, 2 * bytes, costs));
  });
}

TEST(ReductionBytes, boundWhatAnyRankTakesWhoeverIsLate) {
  forAllShapes([](std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
    std::vector<std::int64_t> rising;
    for (std::int32_t rank = 0; rank < ranks; ++rank) rising.push_back(std::int64_t{rank} * 50'000'000);
    for (const Association association : {Association::kAny, Association::kRankOrder, Association::kFixed}) {
      for (const bool is_late : {false, true}) {
        const std::span<const std::int64_t> lateness_ns =
            is_late ? std::span<const std::int64_t>(rising) : std::span<const std::int64_t>();
        for (const std::int32_t root : {0, ranks - 1}) {
          Counting memory;
          const ReductionPlan plan = planReduction({ranks, root, bytes, association}, lateness_ns, costs, &memory);
          const PreparedSchedule prepared(buildReduction(ranks, root, bytes, plan, &memory));
          EXPECT_LE(memory.peak + runBytes(prepared), reductionBytes(ranks, bytes, costs)) << "root " << root;
        }
      }
    }
  });
}

TEST(ReductionBytes, areEnoughWhereMemoryEnds) {
  forAllShapes([](std::int32_t ranks, std::int64_t bytes, const LinkCosts& costs) {
    Counting upstream;
    Reserve reserve(&upstream);
    ASSERT_TRUE(reserve.grow(static_cast<std::size_t>(reductionBytes(ranks, bytes, costs))));
    upstream.allocations_left = 0;
    const ReductionPlan plan = planReduction({ranks, 0, bytes, Association::kAny}, {}, costs, &reserve);
    const PreparedSchedule prepared(buildReduction(ranks, 0, bytes, plan, &reserve));
    EXPECT_FALSE(prepared.schedule().steps.empty());
    EXPECT_TRUE(reserve.wasUsed());
  });
}

}  // namespace
}  // namespace starling
