// Ranks that come late to a roll call: they are waited for, named, and nothing is left under way.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "harness.h"
#include "mpi/exchange/roll_call.h"

namespace starling {
namespace {

class RollCallTest : public testing::Test {
 protected:
  // What this rank says while the last one comes so much later than the others.
  std::string saidWhenTheLastIsLateBy(std::chrono::milliseconds late, const RollCall& call) {
    testing::internal::CaptureStderr();
    PMPI_Barrier(duplicate_.get());
    if (worldRank() == worldSize() - 1) std::this_thread::sleep_for(late);
    EXPECT_EQ(awaitAllRanks(duplicate_.get(), call, clock_), MPI_SUCCESS);
    return testing::internal::GetCapturedStderr();
  }

  void expectNothingUnderWay() const {
    PMPI_Barrier(duplicate_.get());
    int found = 0;
    for (int i = 0; i < 100 && found == 0; ++i) {
      PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, duplicate_.get(), &found, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(found, 0);
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  MonotonicClock clock_;
};

TEST_F(RollCallTest, isSilentWhenAllCome) {
  const RollCall call{Seconds{30.0}, true, "a test", {}};
  EXPECT_EQ(saidWhenTheLastIsLateBy(std::chrono::milliseconds(20), call), "");
  expectNothingUnderWay();
}

TEST_F(RollCallTest, namesTheLateRankOnceAndGoesOn) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const RollCall call{Seconds{0.2}, true, "a test", {}};
  const std::string said = saidWhenTheLastIsLateBy(std::chrono::milliseconds(5000), call);
  const std::string expected = "rank " + std::to_string(worldSize() - 1) + " of it has not answered";
  EXPECT_EQ(said.find(expected) != std::string::npos, worldRank() == 0) << said;
  EXPECT_EQ(said.empty(), worldRank() != 0);
  expectNothingUnderWay();
}

// As where Starling is preloaded on some ranks, which come from MPI_Init, and linked on others.
TEST_F(RollCallTest, ranksThatMayAskMeetThoseThatMayNot) {
  const Watch watch("ranks that may ask meet those that may not");
  for (const bool asks : {false, true}) {
    for (const int who : {0, worldSize() - 1}) {
      const RollCall call{Seconds{asks ? 0.1 : 30.0}, worldRank() == who, "a test", {}};
      saidWhenTheLastIsLateBy(std::chrono::milliseconds(asks ? 400 : 0), call);
      int sum = 1;
      PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, duplicate_.get());
      EXPECT_EQ(sum, worldSize()) << "they are at the same operation";
      expectNothingUnderWay();
    }
  }
}

TEST_F(RollCallTest, namesSuspectsWhereNobodyMayBeAsked) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const RollCall call{Seconds{0.2}, false, "a test", {worldSize() - 1}};
  const std::string said = saidWhenTheLastIsLateBy(std::chrono::milliseconds(1000), call);
  const bool speaks = worldRank() < 2 && worldRank() < worldSize() - 1;
  EXPECT_EQ(said.find("its ranks " + std::to_string(worldSize() - 1)) != std::string::npos, speaks) << said;
  EXPECT_EQ(said.empty(), !speaks);
  expectNothingUnderWay();
}

}  // namespace
}  // namespace starling
