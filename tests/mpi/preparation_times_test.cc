#include "mpi/preparation_times.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

constexpr Seconds kPreparing{1e-3};

TEST(PreparationTimes, itIsGuessedByTheRanksBeforeOneIsKnown) {
  const PreparationTimes times;
  EXPECT_FALSE(times.isWorthIt(2, Seconds{0.059}));
  EXPECT_TRUE(times.isWorthIt(2, Seconds{0.061}));
  EXPECT_FALSE(times.isWorthIt(1024, Seconds{0.59}));
  EXPECT_TRUE(times.isWorthIt(1024, Seconds{0.61}));
}

TEST(PreparationTimes, itIsWorthItWhereCallsTookSixTimesAsLong) {
  PreparationTimes times;
  times.note(8, kPreparing, Seconds{});
  EXPECT_FALSE(times.isWorthIt(8, 5.9 * kPreparing));
  EXPECT_TRUE(times.isWorthIt(8, 6.0 * kPreparing));
}

TEST(PreparationTimes, agreementsAreAddedAndMakeNothingLessWorthIt) {
  PreparationTimes times;
  times.note(8, kPreparing, Seconds{});
  times.noteAgreeing(2.0 * kPreparing);
  EXPECT_DOUBLE_EQ(times.inAll().value, 3e-3);
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
  for (const int ranks : {3, 4}) EXPECT_TRUE(times.isWorthIt(ranks, 6.0 * kPreparing)) << ranks;
  for (const int ranks : {513, 1024}) {
    EXPECT_FALSE(times.isWorthIt(ranks, 599.0 * kPreparing)) << ranks;
    EXPECT_TRUE(times.isWorthIt(ranks, 601.0 * kPreparing)) << ranks;
  }
}

TEST(PreparationTimes, anUnknownSizeIsGuessedThoughOthersAreKnown) {
  PreparationTimes times;
  times.note(16, kPreparing, Seconds{});
  for (const int ranks : {2, 2'000'000'000}) EXPECT_FALSE(times.isWorthIt(ranks, Seconds{0.059})) << ranks;
  EXPECT_TRUE(times.isWorthIt(2, Seconds{0.061}));
  EXPECT_TRUE(times.isWorthIt(2'000'000'000, Seconds{31 * 0.061}));
}

}  // namespace
}  // namespace starling
