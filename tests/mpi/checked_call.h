// tuned_allreduce(), with its results compared.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "cases.h"
#include "starling/starling.h"

namespace starling {

// One call, checked. The site is in here: one per type, so it may not be copied into its callers.
template <typename Value>
[[gnu::noinline, gnu::noclone]] void expectReduced(const Case<Value>& expected, int count, bool in_place,
                                                   MPI_Comm communicator) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const std::vector<Value> input = expected.inputs(rank, count);
  std::vector<Value> result = in_place ? input : std::vector<Value>(input.size());
  EXPECT_EQ(tuned_allreduce(in_place ? MPI_IN_PLACE : input.data(), result.data(), count, expected.datatype,
                            expected.op, communicator),
            MPI_SUCCESS);
  EXPECT_EQ(expected.wrongElements(result, ranks), 0)
      << expected.name << ", count " << count << (in_place ? ", in place" : "");
  EXPECT_EQ(input, expected.inputs(rank, count)) << "the send buffer was written to";
}

// As many sums of doubles from one site.
inline void expectSums(int calls, int count, MPI_Comm communicator) {
  for (int call = 0; call < calls; ++call) expectReduced(sumOf<double>(MPI_DOUBLE), count, false, communicator);
}

// Keys of a communicator; -1 when it cannot be asked.
inline int keyCount(MPI_Comm communicator) {
  int keys = -1;
  EXPECT_EQ(starling_key_count(communicator, &keys), STARLING_SUCCESS);
  return keys;
}

// Of one key; all zero when there is none.
// Returns whether the key has been planned: noise may make one that was settled explore again.
inline bool isPlanned(const starling_key_info& info) { return info.settled + info.exploring == 1; }

inline starling_key_info infoOf(MPI_Comm communicator, int index) {
  starling_key_info info{};
  EXPECT_EQ(starling_query(communicator, index, &info), STARLING_SUCCESS) << "key " << index;
  return info;
}

}  // namespace starling
