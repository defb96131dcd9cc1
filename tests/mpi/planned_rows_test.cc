// That a planned algorithm really makes the calls: the memory that it needs is taken, agreed on and found to be enough,
// whatever the length of the vectors.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "harness.h"
#include "mpi/session.h"

namespace starling {
namespace {

class PlannedRows : public testing::Test {
 protected:
  // How many calls the row made on rank 0, which has all records, of enough for its plan to be in force and its memory
  // to be agreed on.
  std::int64_t callsWith(const Algorithm& row, int count) {
    SessionServices services;
    services.clocks = {.clock = &clock_, .identity = 1};
    services.policies = std::make_shared<const std::vector<PolicyRecord>>(1, policyFor(row, count));
    Session session(duplicate_.get(), services);
    std::vector<double> sums(static_cast<std::size_t>(count));
    for (int call = 0; call < 60; ++call) {
      sums.assign(sums.size(), 1.0);
      EXPECT_EQ(session.allreduce(MPI_IN_PLACE, sums.data(), count, MPI_DOUBLE, MPI_SUM, {}), MPI_SUCCESS);
      EXPECT_EQ(sums, std::vector<double>(sums.size(), worldSize())) << row.name;
    }
    session.advanceEnd(EpochLoop::Wait::kToEnd);
    std::int64_t calls = 0;
    for (const ObservationRecord& seen : session.loop().learner().drain().observations) {
      if (seen.choice.starts_with(row.name)) calls += seen.calls;
    }
    return calls;
  }

 private:
  static PolicyRecord policyFor(const Algorithm& row, int count) {
    PolicyRecord policy;
    policy.site = "any";
    policy.communicator_size = worldSize();
    policy.size_class = sizeClass(count * std::int64_t{sizeof(double)});
    policy.type = "double";
    policy.operation = "sum";
    policy.choice = row.name;
    return policy;
  }

  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  // It stands still, so that no row is slower than another.
  ManualClock clock_;
};

TEST_F(PlannedRows, makeTheirCallsWithVectorsOfAnyLength) {
  for (const int count : {1, 3, 7, 100, 4097}) {
    for (const Algorithm& row : catalogue()) {
      if (row.build == nullptr || !isValid(row, {worldSize(), count})) continue;
      const bool is_tuned = worldSize() > 1;
      const bool has_records = worldRank() == 0;
      EXPECT_EQ(callsWith(row, count) > 0, is_tuned && has_records) << row.name << ", " << count << " doubles";
    }
  }
}

}  // namespace
}  // namespace starling
