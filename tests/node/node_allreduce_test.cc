#include "node/node_allreduce.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>

#include "thread_ranks.h"

namespace starling {
namespace {

class NodeAllreduceOf : public testing::TestWithParam<std::int32_t> {};

TEST_P(NodeAllreduceOf, givesAllRanksTheSameBits) {
  std::atomic<std::int64_t> wrong{0};
  runRanks(GetParam(), [&](std::int32_t rank, NodeAllreduce& allreduce) {
    std::mt19937 alike(GetParam());
    for (std::uint64_t call = 0; call < 80; ++call) {
      wrong += wrongElements(allreduce, drawCall(alike, GetParam(), 20'000), rank, call);
    }
  });
  EXPECT_EQ(wrong, 0);
}

// Rank `late` comes when the others have been waiting, so that they combine what is there.
TEST_P(NodeAllreduceOf, combinesWhatIsThereWhileOneIsMissing) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int64_t> wrong{0};
  runRanks(ranks, [&](std::int32_t rank, NodeAllreduce& allreduce) {
    for (std::uint64_t call = 0; call < 12; ++call) {
      const auto late = static_cast<std::int32_t>(call % static_cast<std::uint64_t>(ranks));
      if (rank == late) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      DrawnCall drawn;
      drawn.count = 3000;
      drawn.chunk_bytes = 4096;
      if (call % 2 == 0) drawn.late = {late};
      drawn.may_reorder = call % 3 == 0;
      wrong += wrongElements(allreduce, drawn, rank, call);
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(NodeAllreduceOf, takesAllRanksToBeInTimeWhereAllAreLate) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int64_t> wrong{0};
  runRanks(ranks, [&](std::int32_t rank, NodeAllreduce& allreduce) {
    DrawnCall drawn;
    drawn.count = 1000;
    drawn.chunk_bytes = 1024;
    drawn.late.resize(static_cast<std::size_t>(ranks));
    std::iota(drawn.late.begin(), drawn.late.end(), 0);
    wrong += wrongElements(allreduce, drawn, rank, 1);
  });
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, NodeAllreduceOf, testing::Values(2, 3, 4, 5, 7, 8, 9, 16, 17),
                         [](const auto& shown) { return std::to_string(shown.param); });

}  // namespace
}  // namespace starling
