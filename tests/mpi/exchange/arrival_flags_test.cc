#include "mpi/exchange/arrival_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "harness.h"

namespace starling {
namespace {

constexpr int kFlagTag = 7;
constexpr int kTokenTag = 1;

// The given ranks call exchange() when another one has come back from it: so they are late whatever the machine's
// speed.
void callLate(ArrivalFlags& flags, const std::vector<int>& late, int coordinator) {
  const bool is_late = std::find(late.begin(), late.end(), worldRank()) != late.end();
  int token = 0;
  if (is_late) MPI_Recv(&token, 1, MPI_INT, coordinator, kTokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(flags.exchange(coordinator, static_cast<int>(late.size())), MPI_SUCCESS);
  if (worldRank() != coordinator) return;
  for (const int rank : late) MPI_Send(&token, 1, MPI_INT, rank, kTokenTag, MPI_COMM_WORLD);
}

TEST(ArrivalFlags, nameTheRanksThatAreMissingInEveryCall) {
  if (worldSize() < 2) GTEST_SKIP() << "one rank has no others to name";
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  ArrivalFlags flags(duplicate.get(), worldRank(), worldSize(), kFlagTag);
  const Watch watch("ArrivalFlags");
  for (int call = 0; call < 3 * worldSize(); ++call) {
    const int coordinator = call % worldSize();
    for (int count = 1; count < worldSize(); ++count) {
      std::vector<int> late;
      for (int i = 1; i <= count; ++i) late.push_back((coordinator + i) % worldSize());
      std::sort(late.begin(), late.end());
      callLate(flags, late, coordinator);
      EXPECT_THAT(flags.flagged(), testing::ElementsAreArray(late));
      EXPECT_EQ(flags.finish(), MPI_SUCCESS);
    }
  }
}

TEST(ArrivalFlags, nameAsManyAsAskedWhenNobodyIsLate) {
  if (worldSize() < 2) GTEST_SKIP() << "one rank has no others to name";
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  ArrivalFlags flags(duplicate.get(), worldRank(), worldSize(), kFlagTag);
  const Watch watch("ArrivalFlags");
  for (int call = 0; call < 100; ++call) {
    ASSERT_EQ(flags.exchange(0, 1), MPI_SUCCESS);
    ASSERT_EQ(flags.flagged().size(), 1U);
    EXPECT_NE(flags.flagged().front(), 0);
    EXPECT_TRUE(isEqualOnAllRanks(static_cast<std::uint64_t>(flags.flagged().front()), duplicate.get()));
    ASSERT_EQ(flags.finish(), MPI_SUCCESS);
  }
}

}  // namespace
}  // namespace starling
