// A job of whose ranks the last one runs another build of Starling than the others.
#include "mpi/one_build.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/build_identity.h"
#include "base/log.h"
#include "harness.h"
#include "mpi/runtime.h"

namespace starling {

// Takes the place of the library's.
std::uint64_t buildIdentity() { return worldRank() == worldSize() - 1 ? 2 : 1; }

namespace {

std::vector<std::string>& warnings() {
  static std::vector<std::string> told;
  return told;
}

bool isOne() { return worldSize() == 1; }

TEST(OneBuild, isAskedOfEachCommunicatorAndMissedByItsFirstRank) {
  setLogSink([](LogLevel, std::string_view message) { warnings().emplace_back(message); });
  EXPECT_EQ(areOneBuild(MPI_COMM_WORLD), isOne());
  EXPECT_EQ(warnings().size(), isOne() || worldRank() > 0 ? 0U : 1U);
  MPI_Comm like_this = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(buildIdentity()), 0, &like_this);
  EXPECT_TRUE(areOneBuild(like_this));
  MPI_Comm_free(&like_this);
}

TEST(OneBuild, isWhatTuningNeeds) {
  Runtime::get().start(false);
  EXPECT_EQ(Runtime::get().options().mode, isOne() ? Mode::kTune : Mode::kOff);
}

}  // namespace
}  // namespace starling
