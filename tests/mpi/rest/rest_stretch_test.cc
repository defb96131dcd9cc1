#include "mpi/rest/rest_stretch.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace starling {
namespace {

RestingCall resting(int count) {
  RestingCall call;
  call.reducer.element_size = static_cast<std::size_t>(count);
  return call;
}

TEST(RestStretch, hasAsManyCallsAsWerePlanned) {
  RestStretch rest;
  rest.begin();
  EXPECT_FALSE(rest.isOn()) << "none was planned";
  rest.plan(2);
  EXPECT_TRUE(rest.isPlanned());
  EXPECT_FALSE(rest.isOn());
  rest.begin();
  EXPECT_FALSE(rest.isPlanned());
  EXPECT_TRUE(rest.isOn());
  EXPECT_TRUE(rest.count());
  EXPECT_TRUE(rest.isOn());
  EXPECT_FALSE(rest.count());
  EXPECT_FALSE(rest.isOn());
  EXPECT_FALSE(rest.hasMoreParts());
  rest.goOn();
  EXPECT_FALSE(rest.isOn());
}

TEST(RestStretch, partsGrowToTheLongest) {
  RestStretch rest;
  rest.plan(9000);
  rest.begin();
  std::vector<int> parts;
  while (rest.isOn()) {
    parts.push_back(1);
    while (rest.count()) ++parts.back();
    parts.size() % 2 == 1 ? rest.goOnBriefly() : rest.goOn();
  }
  EXPECT_EQ(parts, (std::vector<int>{256, 1, 771, 1, 2048, 1, 2048, 1, 2048, 1, 1824}));
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0), 9000);
}

TEST(RestStretch, endsBeforeItsTimeAndLeavesTheNextOneAlone) {
  RestStretch rest;
  rest.plan(5);
  rest.end();
  EXPECT_TRUE(rest.isPlanned());
  rest.begin();
  rest.end();
  EXPECT_FALSE(rest.isOn());
}

TEST(RestStretch, remembersTheLatestArguments) {
  RestStretch rest;
  rest.plan(1);
  EXPECT_FALSE(rest.find(0, MPI_DATATYPE_NULL, MPI_OP_NULL));
  for (int count = 1; count <= 9; ++count) rest.remember(count, MPI_INT, MPI_SUM, resting(count));
  EXPECT_FALSE(rest.find(1, MPI_INT, MPI_SUM)) << "the oldest of nine";
  for (int count = 2; count <= 9; ++count)
    EXPECT_EQ(rest.find(count, MPI_INT, MPI_SUM)->reducer.element_size, static_cast<std::size_t>(count));
  EXPECT_FALSE(rest.find(9, MPI_INT, MPI_MAX));
  EXPECT_FALSE(rest.find(9, MPI_DOUBLE, MPI_SUM));
  rest.plan(1);
  EXPECT_FALSE(rest.find(9, MPI_INT, MPI_SUM)) << "what may rest is another matter in the next epoch";
}

}  // namespace
}  // namespace starling
