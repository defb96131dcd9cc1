// What the ranks tell each other of a call that is looked at.
#include "mpi/exchange/call_watch.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "harness.h"

namespace starling {
namespace {

TEST(CallWatch, tellsAllRanksTheShortestTimeAndWhoseItWas) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  CallWatch watch(duplicate.get(), worldRank());
  for (int last = 0; last < worldSize(); ++last) {
    const std::int64_t elapsed_ns = worldRank() == last ? 1000 : 1'000'000 + worldRank();
    ASSERT_EQ(watch.start({.key = last, .changes = 3}, elapsed_ns), MPI_SUCCESS);
    EXPECT_TRUE(watch.isOpen());
    ASSERT_EQ(watch.finish(), MPI_SUCCESS);
    EXPECT_FALSE(watch.isOpen());
    EXPECT_EQ(watch.shortestNs(), 1000);
    EXPECT_EQ(watch.lastRank(), last);
    EXPECT_EQ(watch.call().key, last);
  }
}

TEST(CallWatch, takesACallOfDaysForALongOne) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  CallWatch watch(duplicate.get(), worldRank());
  constexpr std::int64_t kHour = 3'600'000'000'000;
  ASSERT_EQ(watch.start({}, 100 * 24 * kHour), MPI_SUCCESS);
  ASSERT_EQ(watch.finish(), MPI_SUCCESS);
  EXPECT_GE(watch.shortestNs(), kHour);
  EXPECT_EQ(watch.lastRank(), 0);
}

}  // namespace
}  // namespace starling
