// tuned_bcast(), with what came compared.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "harness.h"
#include "starling/starling.h"

namespace starling {

// Few, so that calls soon leave the first period of each, in which the MPI library has them.
inline std::array<int, 2> fewRoots() { return {0, worldSize() - 1}; }

inline std::int32_t broadcastValue(int root, int call, int index) {
  return 1'000'000 * (root + 1) + 1000 * call + index;
}

inline std::vector<std::int32_t> broadcastValues(int root, int call, int count) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < count; ++i) values.push_back(broadcastValue(root, call, i));
  return values;
}

// One call with plain integers, checked; an element behind them stays as it is.
inline void expectBroadcast(int count, int root, int call, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::vector<std::int32_t> expected = broadcastValues(root, call, count);
  expected.push_back(-7);
  std::vector<std::int32_t> values(expected.size(), -7);
  if (rank == root) values = expected;
  EXPECT_EQ(tuned_bcast(values.data(), count, MPI_INT32_T, root, communicator), MPI_SUCCESS);
  EXPECT_EQ(values, expected) << count << " elements from root " << root << ", call " << call;
}

}  // namespace starling
