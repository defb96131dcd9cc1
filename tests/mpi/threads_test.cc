// Threads of one process on communicators of their own, under MPI_THREAD_MULTIPLE.
#include <gtest/gtest.h>

#include <thread>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

TEST(Threads, mayUseDifferentCommunicatorsAtTheSameTime) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  ASSERT_EQ(provided, MPI_THREAD_MULTIPLE);
  const ScopedDuplicate first(MPI_COMM_WORLD);
  const ScopedDuplicate second(MPI_COMM_WORLD);
  std::thread other([&] { expectSums(150, 300, second.get()); });
  expectSums(150, 300, first.get());
  other.join();
  if (worldSize() == 1) return;
  EXPECT_TRUE(isPlanned(infoOf(first.get(), 0)));
  EXPECT_TRUE(isPlanned(infoOf(second.get(), 0)));
}

// The first call on the world agrees on the options for the whole process; others may be under way just then.
TEST(Threads, mayMakeTheirFirstCallsWhileTheWorldMakesItsOwn) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  std::thread other([&] { expectSums(100, 300, duplicate.get()); });
  expectSums(100, 300, MPI_COMM_WORLD);
  other.join();
  if (worldSize() == 1) return;
  EXPECT_TRUE(isPlanned(infoOf(MPI_COMM_WORLD, 0)));
  EXPECT_TRUE(isPlanned(infoOf(duplicate.get(), 0)));
}

TEST(Threads, mayCreateAndFreeCommunicatorsWhileOthersCall) {
  const ScopedDuplicate first(MPI_COMM_WORLD);
  const ScopedDuplicate second(MPI_COMM_WORLD);
  std::thread other([&] {
    for (int i = 0; i < 10; ++i) {
      const ScopedDuplicate duplicate(second.get());
      expectSums(12, 100, duplicate.get());
    }
  });
  expectSums(150, 100, first.get());
  other.join();
}

}  // namespace
}  // namespace starling
