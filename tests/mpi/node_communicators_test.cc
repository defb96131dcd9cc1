// Communicators whose calls go through the memory of their node. STARLING_ALGORITHM is node.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

// Counts the memory that this rank shares with others.
int sharedMemories() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:starling") != std::string::npos) ++found;
  }
  return found;
}

bool callsMayOverlap() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

class NodeCommunicators : public testing::Test {
 protected:
  void SetUp() override { EXPECT_EQ(starling_init(), STARLING_SUCCESS); }

  Watch watch_{"NodeCommunicators"};
};

// Some go through slots, some through buffers; communicators are freed and made again in the midst of it, not by all
// ranks in the same order.
TEST_F(NodeCommunicators, ofTheSameRanksShareTheirMemory) {
  constexpr int kCommunicators = 6;
  const int expected = worldSize() == 1 ? 0 : callsMayOverlap() ? kCommunicators : 1;
  std::vector<MPI_Comm> communicators(kCommunicators, MPI_COMM_NULL);
  for (MPI_Comm& communicator : communicators) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  for (int round = 0; round < 8; ++round) {
    watch_.phase("round " + std::to_string(round));
    for (const int count : {0, 1, 3, 1001, 40'000}) {
      for (MPI_Comm communicator : communicators) expectSums(1, count, communicator);
    }
    EXPECT_EQ(sharedMemories(), expected);
    const std::size_t first = static_cast<std::size_t>(round) % kCommunicators;
    const std::size_t second = (first + 1) % kCommunicators;
    MPI_Comm_free(&communicators[worldRank() % 2 == 0 ? first : second]);
    MPI_Comm_free(&communicators[worldRank() % 2 == 0 ? second : first]);
    MPI_Comm_dup(MPI_COMM_WORLD, &communicators[first]);
    MPI_Comm_dup(communicators[first], &communicators[second]);
  }
  for (MPI_Comm& communicator : communicators) MPI_Comm_free(&communicator);
  EXPECT_EQ(sharedMemories(), 0) << "the last one has left it";
}

// The halves are in no step with each other; the whole has memory of its own.
TEST_F(NodeCommunicators, ofOtherRanksHaveTheirOwn) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() % 2, -worldRank(), &half);
  int ranks = 0;
  MPI_Comm_size(half, &ranks);
  const ScopedDuplicate whole(MPI_COMM_WORLD);
  for (int call = 0; call < 10; ++call) {
    expectSums(1 + worldRank() % 2, 500, half);
    expectSums(1, 500, whole.get());
    expectSums(1 + worldRank() % 2, 5000, half);
  }
  EXPECT_EQ(sharedMemories(), (worldSize() > 1 ? 1 : 0) + (ranks > 1 ? 1 : 0));
  MPI_Comm_free(&half);
}

// The same ranks, but each has another place.
TEST_F(NodeCommunicators, ofTheSameRanksInAnotherOrderHaveTheirOwn) {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -worldRank(), &reversed);
  const ScopedDuplicate whole(MPI_COMM_WORLD);
  for (int call = 0; call < 10; ++call) {
    expectSums(1, 300, reversed);
    expectSums(1, 3000, whole.get());
  }
  EXPECT_EQ(sharedMemories(), worldSize() > 1 ? 2 : 0);
  MPI_Comm_free(&reversed);
}

}  // namespace
}  // namespace starling
