// What the ranks of a communicator agree on.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "harness.h"
#include "mpi/exchange/agreement.h"

namespace starling {
namespace {

class AgreementTest : public testing::Test {
 protected:
  Agreement::Outcome outcomeOf(const Agreement::Report& report) {
    Agreement::Outcome outcome;
    EXPECT_EQ(agreement_.startEpoch(report, {}), MPI_SUCCESS);
    EXPECT_EQ(agreement_.finishEpoch(outcome), MPI_SUCCESS);
    return outcome;
  }
  static bool isLast() { return worldRank() == worldSize() - 1; }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  Agreement agreement_{duplicate_.get(), worldSize()};
};

TEST_F(AgreementTest, tellsTheLeastCapacityOfEachKind) {
  for (const std::int64_t least : {std::int64_t{0}, std::int64_t{1}, std::int64_t{8}, std::int64_t{16},
                                   std::int64_t{4096}, Agreement::kMaxCapacity}) {
    const Agreement::Outcome scratch =
        outcomeOf({.scratch_bytes = isLast() ? least : Agreement::kMaxCapacity, .schedule_bytes = 64});
    EXPECT_EQ(scratch.scratch_bytes, least);
    EXPECT_EQ(scratch.schedule_bytes, 64);
    const Agreement::Outcome schedules =
        outcomeOf({.scratch_bytes = 64, .schedule_bytes = isLast() ? least : Agreement::kMaxCapacity});
    EXPECT_EQ(schedules.scratch_bytes, 64);
    EXPECT_EQ(schedules.schedule_bytes, least);
  }
}

TEST_F(AgreementTest, tellsWhetherAllSitesAreEqual) {
  for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_TRUE(outcomeOf({.sites_hash = hash}).sites_agree);
    EXPECT_EQ(outcomeOf({.sites_hash = isLast() ? hash ^ 2 : hash}).sites_agree, worldSize() == 1);
  }
}

TEST_F(AgreementTest, tellsOfOneRankThatHasNoRoomOrADriver) {
  EXPECT_TRUE(outcomeOf({.has_room = true}).has_room);
  EXPECT_FALSE(outcomeOf({.has_room = !isLast()}).has_room);
  EXPECT_FALSE(outcomeOf({.has_device_driver = false}).has_device_driver);
  EXPECT_TRUE(outcomeOf({.has_device_driver = isLast()}).has_device_driver);
}

// Every summary says of how many ranks it is.
TEST_F(AgreementTest, addsUpWhatAllRanksKnowOfACall) {
  const CallSummary of_this_rank(worldRank(), 1000 + 100 * worldRank(), 2000, 0);
  const std::array<CallSummary, 2> summaries{of_this_rank, of_this_rank};
  Agreement::Outcome outcome;
  ASSERT_EQ(agreement_.startEpoch({}, summaries), MPI_SUCCESS);
  ASSERT_EQ(agreement_.finishEpoch(outcome), MPI_SUCCESS);
  if (worldRank() != 0) return;
  ASSERT_EQ(agreement_.samples().size(), 2U);
  for (const CallSummary& sample : agreement_.samples()) {
    EXPECT_EQ(sample.ranks(), worldSize());
    EXPECT_EQ(sample.latestNs(), 1000 + 100 * (worldSize() - 1));
    EXPECT_EQ(sample.named().front().rank, worldSize() - 1);
  }
}

}  // namespace
}  // namespace starling
