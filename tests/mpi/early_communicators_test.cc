// Communicators whose calls are left to the MPI library until they are worth preparing. Which moment that is depends on
// how long calls take, so the tests wait for it.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

constexpr int kMinimum = 4;  // STARLING_MINIMUM_CALLS

class EarlyCommunicators : public testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(starling_init(), STARLING_SUCCESS);
    expectSums(3 * kMinimum, 100, MPI_COMM_WORLD);  // how long preparing takes is known from here on
  }

  // Returns after how many calls, for which rank 0 comes late, the communicator has keys; 0: it never has.
  static int callsUntilKeys(MPI_Comm communicator) {
    constexpr int kMostCalls = 3000;
    for (int call = 1; call <= kMostCalls; ++call) {
      if (worldRank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      expectSums(1, 100, communicator);
      if (keyCount(communicator) > 0) return call;
    }
    return 0;
  }
};

TEST_F(EarlyCommunicators, theWorldIsPreparedAfterItsFirstCalls) {
  EXPECT_EQ(keyCount(MPI_COMM_WORLD), worldSize() > 1 ? 1 : 0);
}

TEST_F(EarlyCommunicators, areNotPreparedBeforeTheMinimumOfCalls) {
  const Watch watch("few calls");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 1; call < kMinimum; ++call) {
    if (worldRank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    expectSums(1, 100, duplicate.get());
  }
  EXPECT_EQ(keyCount(duplicate.get()), 0);
}

TEST_F(EarlyCommunicators, arePreparedOnAllRanksWhenCallsHaveTakenLongEnough) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const Watch watch("calls with a late rank");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  const int calls = callsUntilKeys(duplicate.get());
  EXPECT_GT(calls, kMinimum);
  EXPECT_TRUE(isEqualOnAllRanks(static_cast<std::uint64_t>(calls), duplicate.get()));
  expectSums(40, 100, duplicate.get());
}

TEST_F(EarlyCommunicators, partsArePreparedApart) {
  Watch watch("halves");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() % 2, -worldRank(), &half);
  int ranks = 0;
  MPI_Comm_size(half, &ranks);
  expectSums(100 * ranks, 200, half);
  MPI_Comm_free(&half);
}

TEST_F(EarlyCommunicators, mayBeFreedAtAnyPoint) {
  Watch watch("free");
  for (int calls = 0; calls < 20; ++calls) {
    watch.phase("free after " + std::to_string(calls) + " calls");
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    expectSums(calls, 400, first);
    expectSums(calls, 400, second);
    MPI_Comm_free(worldRank() % 2 == 0 ? &first : &second);
    MPI_Comm_free(worldRank() % 2 == 0 ? &second : &first);
  }
}

TEST_F(EarlyCommunicators, callsThatMpiRefusesOnOneRankDoNotCount) {
  Watch watch("calls after refusals");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  const double values[2] = {1.0, 2.0};
  double results[2] = {};
  for (int round = 0; round < 20; ++round) {
    if (worldRank() == 0) {
      EXPECT_NE(tuned_allreduce(values, results, 1, MPI_DOUBLE, MPI_MAXLOC, duplicate.get()), MPI_SUCCESS);
    }
    expectSums(3, 100, duplicate.get());
  }
}

TEST_F(EarlyCommunicators, haveSitesBroadcastsAndAnnouncements) {
  Watch watch("other functions");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  starling_site site = nullptr;
  EXPECT_EQ(starling_site_create(duplicate.get(), "a site", &site), STARLING_SUCCESS);
  for (int call = 0; call < 40; ++call) {
    EXPECT_EQ(starling_edge(duplicate.get(), 0.5), STARLING_SUCCESS);
    double value = worldRank() == 0 ? 7.0 : 0.0;
    EXPECT_EQ(tuned_bcast(&value, 1, MPI_DOUBLE, 0, duplicate.get()), MPI_SUCCESS);
    EXPECT_EQ(value, 7.0);
    const double one = 1.0;
    EXPECT_EQ(tuned_allreduce_site(site, &one, &value, 1, MPI_DOUBLE, MPI_SUM), MPI_SUCCESS);
    EXPECT_EQ(value, worldSize());
    expectSums(1, 100, duplicate.get());
  }
  EXPECT_EQ(starling_site_free(&site), STARLING_SUCCESS);
}

TEST_F(EarlyCommunicators, ofOneRankAndWithTwoSidesAreLeftToTheMpiLibrary) {
  expectSums(40, 100, MPI_COMM_SELF);
  EXPECT_EQ(keyCount(MPI_COMM_SELF), 0);
  if (worldSize() == 1) return;
  const ScopedTwoSides sides;
  for (int call = 0; call < 10; ++call) {
    const int mine = 1;
    int result = 0;
    EXPECT_EQ(tuned_allreduce(&mine, &result, 1, MPI_INT, MPI_SUM, sides.get()), MPI_SUCCESS);
    EXPECT_EQ(result, sides.isEven() ? worldSize() / 2 : (worldSize() + 1) / 2);
  }
  EXPECT_EQ(keyCount(sides.get()), 0);
}

// Nobody has to free a communicator.
TEST_F(EarlyCommunicators, mayBeLeftForFinalize) {
  for (const int calls : {1, kMinimum, 40}) {
    MPI_Comm left = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    expectSums(calls, 100, left);
  }
}

}  // namespace
}  // namespace starling
