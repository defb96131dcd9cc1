#include "mpi/preparation_times.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

constexpr Seconds kPreparing{1e-3};

TEST(PreparationTimes, everythingIsWorthItBeforeOneIsKnown) {
  const PreparationTimes times;
  EXPECT_TRUE(times.isWorthIt(2, Seconds{}));
  EXPECT_TRUE(times.isWorthIt(10'240, Seconds{}));
}

TEST(PreparationTimes, itIsWorthItWhereCallsTookSixTimesAsLong) {
  PreparationTimes times;
  times.note(8, kPreparing, Seconds{});
  EXPECT_FALSE(times.isWorthIt(8, 5.9 * kPreparing));
  EXPECT_TRUE(times.isWorthIt(8, 6.0 * kPreparing));
}

TEST(PreparationTimes, latestOnesCountMost) {
  PreparationTimes times;
  times.note(8, 100.0 * kPreparing, Seconds{});
  for (int i = 0; i < 40; ++i) times.note(8, kPreparing, Seconds{});
  EXPECT_TRUE(times.isWorthIt(8, 6.1 * kPreparing));
  EXPECT_FALSE(times.isWorthIt(8, 5.9 * kPreparing));
}

TEST(PreparationTimes, sizesAreKnownApart) {
  PreparationTimes times;
  times.note(1024, 100.0 * kPreparing, Seconds{});
  times.note(3, kPreparing, Seconds{});
  for (const int ranks : {3, 4, 2}) EXPECT_TRUE(times.isWorthIt(ranks, 6.0 * kPreparing)) << ranks;
  for (const int ranks : {5, 16, 1024, 10'240}) EXPECT_FALSE(times.isWorthIt(ranks, 599.0 * kPreparing)) << ranks;
}

TEST(PreparationTimes, anUnknownSizeCountsAsTheNextLargerOrElseTheNextSmallerOne) {
  PreparationTimes times;
  times.note(16, kPreparing, Seconds{});
  EXPECT_FALSE(times.isWorthIt(2, 5.9 * kPreparing));
  EXPECT_TRUE(times.isWorthIt(2, 6.0 * kPreparing));
  EXPECT_FALSE(times.isWorthIt(2'000'000'000, 5.9 * kPreparing));
  EXPECT_TRUE(times.isWorthIt(2'000'000'000, 6.0 * kPreparing));
}

}  // namespace
}  // namespace starling
