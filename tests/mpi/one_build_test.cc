// A job of whose ranks the last one runs another build of Starling than the others.
#include "mpi/one_build.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../kept_messages.h"
#include "base/build_identity.h"
#include "harness.h"
#include "mpi/runtime.h"

namespace starling {

// Takes the place of the library's.
std::uint64_t buildIdentity() { return worldRank() == worldSize() - 1 ? 2 : 1; }

namespace {

bool isOne() { return worldSize() == 1; }

// The ranks of one build.
MPI_Comm withoutLast() {
  MPI_Comm like_this = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(buildIdentity()), 0, &like_this);
  return like_this;
}

TEST(OneBuild, isAskedOfEachCommunicatorAndMissedByItsFirstRank) {
  const KeptMessages warnings;
  EXPECT_EQ(areOneBuild(MPI_COMM_WORLD), isOne());
  EXPECT_EQ(warnings.all().size(), isOne() || worldRank() > 0 ? 0U : 1U);
  MPI_Comm like_this = withoutLast();
  EXPECT_TRUE(areOneBuild(like_this));
  MPI_Comm_free(&like_this);
}

void expectSumsOf(MPI_Comm communicator) {
  Watch watch("calls of ranks of two builds");
  int ranks = 0;
  MPI_Comm_size(communicator, &ranks);
  Session* const session = Runtime::get().session(communicator);
  EXPECT_TRUE(session != nullptr || isOne()) << "a rank alone has nothing to tune";
  if (session == nullptr) return;
  for (int call = 0; call < 50; ++call) {
    const int one = 1;
    int sum = 0;
    EXPECT_EQ(session->allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, {}), MPI_SUCCESS);
    EXPECT_EQ(sum, ranks);
  }
  EXPECT_EQ(session->keys().size(), 0) << "no call is tuned";
}

TEST(OneBuild, isWhatTuningNeeds) {
  const ScopedDuplicate before(MPI_COMM_WORLD);
  expectSumsOf(before.get());
  Runtime::get().start(false);
  EXPECT_EQ(Runtime::get().options().mode, isOne() ? Mode::kTune : Mode::kOff);
  const ScopedDuplicate after(MPI_COMM_WORLD);
  MPI_Comm like_this = withoutLast();
  for (MPI_Comm later : {after.get(), like_this}) EXPECT_EQ(Runtime::get().session(later), nullptr) << "all is off";
  MPI_Comm_free(&like_this);
}

}  // namespace
}  // namespace starling
