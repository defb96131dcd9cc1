// Communicators that ranks free in different orders, and before other ranks have come: MPI_Comm_free waits for nobody.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

constexpr int kTag = 7;
constexpr int kCalls = 40;

// Pages of this process that are in memory.
long residentPages() {
  std::ifstream statistics("/proc/self/statm");
  long total = 0;
  long resident = 0;
  statistics >> total >> resident;
  return resident;
}

TEST(ParkedSessions, mayBeFreedInDifferentOrders) {
  Watch watch("free in different orders");
  for (int calls = 1; calls < kCalls; calls += 3) {
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    expectSums(calls, 100, first);
    expectSums(calls, 100, second);
    watch.phase("free after " + std::to_string(calls) + " calls");
    MPI_Comm_free(worldRank() % 2 == 0 ? &first : &second);
    MPI_Comm_free(worldRank() % 2 == 0 ? &second : &first);
  }
}

TEST(ParkedSessions, mayBeFreedByOneRankBeforeItSendsWhatTheOthersWaitFor) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  Watch watch("free, then send");
  for (int calls = 1; calls < kCalls; calls += 3) {
    MPI_Comm communicator = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    expectSums(calls, 100, communicator);
    watch.phase("free after " + std::to_string(calls) + " calls");
    int token = calls;
    if (worldRank() > 0) {
      MPI_Recv(&token, 1, MPI_INT, worldRank() - 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(token, calls);
    }
    MPI_Comm_free(&communicator);
    if (worldRank() + 1 < worldSize()) MPI_Send(&token, 1, MPI_INT, worldRank() + 1, kTag, MPI_COMM_WORLD);
  }
}

TEST(ParkedSessions, mayBeFreedWithAnnouncementsAndRootedCallsUnderWay) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  Watch watch("free with announcements under way");
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  for (MPI_Comm communicator : {first, second}) {
    expectSums(kCalls, 100, communicator);
    double value = 1.0;
    for (int call = 0; call < 17; ++call) tuned_bcast(&value, 1, MPI_DOUBLE, 0, communicator);
    EXPECT_EQ(starling_edge(communicator, 0.5), STARLING_SUCCESS);
  }
  watch.phase("free");
  MPI_Comm_free(worldRank() == 0 ? &first : &second);
  int token = 0;
  if (worldRank() == 0) {
    for (int rank = 1; rank < worldSize(); ++rank) MPI_Send(&token, 1, MPI_INT, rank, kTag, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(worldRank() == 0 ? &second : &first);
}

// Parts of the world that free before, between and after the calls of others.
TEST(ParkedSessions, doNotHoldUpCommunicatorsThatLive) {
  Watch watch("calls on after frees");
  const ScopedDuplicate whole(MPI_COMM_WORLD);
  for (int round = 0; round < 10; ++round) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, (worldRank() + round) % 2, worldRank(), &part);
    expectSums(5 + round, 100, part);
    if (worldRank() % 2 == 0) MPI_Comm_free(&part);
    expectSums(9, 100, whole.get());
    if (worldRank() % 2 == 1) MPI_Comm_free(&part);
  }
}

TEST(ParkedSessions, takeNoMoreMemoryTheMoreThereHaveBeen) {
  constexpr int kRounds = 1000;
  const auto make_and_free = [](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const ScopedDuplicate duplicate(MPI_COMM_WORLD);
      expectSums(5, 10, duplicate.get());
    }
  };
  make_and_free(kRounds / 10);
  const long before = residentPages();
  make_and_free(kRounds);
  const long grown = residentPages() - before;
  // Each session has more than ten pages of its own; the records of each communicator on rank 0 are written meanwhile.
  EXPECT_LT(grown, 4 * kRounds) << "pages per communicator: " << static_cast<double>(grown) / kRounds;
}

}  // namespace
}  // namespace starling
