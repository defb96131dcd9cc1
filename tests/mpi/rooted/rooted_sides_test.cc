// Rooted collectives between two groups, where a rank with root MPI_PROC_NULL takes no part and its other arguments
// mean nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

constexpr int kCalls = 6;

class RootedSides : public testing::Test {
 protected:
  bool takesNoPart() const { return sides_.isEven() && worldRank() != 0; }
  int root() const {
    if (!sides_.isEven()) return 0;
    return worldRank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
  }
  // No handle of any kind.
  MPI_Datatype datatype() const {
    MPI_Datatype garbage = MPI_INT32_T;
    if (takesNoPart()) std::memset(&garbage, 1, sizeof(garbage));
    return garbage;
  }

  ScopedVariable minimum_{"STARLING_MINIMUM_CALLS", "2"};
  ScopedTwoSides sides_;
};

TEST_F(RootedSides, broadcastsDoNotLookAtArgumentsThatMeanNothing) {
  for (int call = 0; call < kCalls; ++call) {
    std::int32_t value = worldRank() == 0 ? call : -1;
    EXPECT_EQ(tuned_bcast(&value, 1, datatype(), root(), sides_.get()), MPI_SUCCESS);
    EXPECT_EQ(value, takesNoPart() ? -1 : call);
  }
}

TEST_F(RootedSides, reductionsDoNotLookAtArgumentsThatMeanNothing) {
  std::int32_t expected = 0;
  for (int rank = 1; rank < worldSize(); rank += 2) expected += rank;
  for (int call = 0; call < kCalls; ++call) {
    const std::int32_t mine = worldRank();
    std::int32_t sum = -1;
    EXPECT_EQ(tuned_reduce(&mine, &sum, 1, datatype(), MPI_SUM, root(), sides_.get()), MPI_SUCCESS);
    EXPECT_EQ(sum, worldRank() == 0 ? expected : -1);
  }
}

}  // namespace
}  // namespace starling
