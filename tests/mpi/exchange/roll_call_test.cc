#include "mpi/exchange/roll_call.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(FormatRanks, putsNeighboursTogether) {
  EXPECT_EQ(formatRanks({}), "");
  EXPECT_EQ(formatRanks({4}), "4");
  EXPECT_EQ(formatRanks({0, 1}), "0, 1");
  EXPECT_EQ(formatRanks({0, 1, 2, 5, 7, 8, 9}), "0-2, 5, 7-9");
}

}  // namespace
}  // namespace starling
