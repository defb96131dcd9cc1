// Reductions where a rank has the driver of an accelerator: its vectors may lie where code of the host must not touch
// them, so that all calls are the MPI library's.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.h"
#include "cases.h"
#include "harness.h"
#include "mpi/rooted/rooted_calls.h"

namespace {

int g_native_calls = 0;

}  // namespace

// Takes the place of the MPI library's function, and calls that.
extern "C" int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                           MPI_Comm communicator) {
  static auto* const next = reinterpret_cast<decltype(&PMPI_Reduce)>(dlsym(RTLD_NEXT, "PMPI_Reduce"));
  // There it is asked whether it refuses a call.
  if (communicator != MPI_COMM_SELF) ++g_native_calls;
  return next(sendbuf, recvbuf, count, datatype, op, root, communicator);
}

namespace starling {
namespace {

constexpr int kPeriod = 4;

class DeviceVectors : public testing::Test {
 protected:
  void SetUp() override {
    options_.minimum_calls = 1;
    options_.rooted_period = kPeriod;
    calls_ = std::make_unique<RootedCalls>(duplicate_.get(), options_, ClockKnowledge{.clock = &clock_, .identity = 1});
  }
  void TearDown() override { calls_->finish(true); }

  // Returns how many of the calls were the MPI library's.
  int reduce(int calls) {
    const Case<double> expected = sumOf<double>(MPI_DOUBLE);
    const int before = g_native_calls;
    for (int call = 0; call < calls; ++call) {
      const std::vector<double> input = expected.inputs(worldRank(), 100);
      std::vector<double> result(100);
      EXPECT_EQ(calls_->reducer().reduce(input.data(), result.data(), 100, MPI_DOUBLE, MPI_SUM, 0), MPI_SUCCESS);
      if (worldRank() == 0) {
        EXPECT_EQ(expected.wrongElements(result, worldSize()), 0);
      }
    }
    return g_native_calls - before;
  }

  static void loadDriverOnLastRank() {
    if (worldRank() < worldSize() - 1) return;
    EXPECT_NE(dlopen(STARLING_FAKE_CUDA, RTLD_NOW), nullptr) << dlerror();
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  Options options_;
  ManualClock clock_;
  std::unique_ptr<RootedCalls> calls_;
};

// Nothing unloads the driver again: the first case is the one that begins without.
TEST_F(DeviceVectors, areLeftToTheMpiLibraryFromTwoPeriodsAfterTheDriverWasLoaded) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  EXPECT_LT(reduce(3 * kPeriod), 3 * kPeriod) << "without a driver trees are tried";
  loadDriverOnLastRank();
  reduce(2 * kPeriod);
  EXPECT_EQ(reduce(4 * kPeriod), 4 * kPeriod);
}

TEST_F(DeviceVectors, areLeftToTheMpiLibraryWhereTheDriverIsThereBefore) {
  loadDriverOnLastRank();
  EXPECT_EQ(reduce(6 * kPeriod), 6 * kPeriod);
}

}  // namespace
}  // namespace starling
