// Results of tuned_allreduce(), whatever runs below it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithm_settings.h"
#include "cases.h"
#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

// With STARLING_ALGORITHM set; empty: tuned.
class TunedAllreduceWith : public testing::TestWithParam<std::string> {
 protected:
  template <typename Value>
  void check(const Case<Value>& expected) {
    const int ranks = worldSize();
    for (const int count : {0, 1, ranks - 1, ranks, ranks + 1, 5000}) {
      watch_.phase(GetParam() + ", " + expected.name + ", count " + std::to_string(count));
      for (const bool in_place : {false, true}) expectReduced(expected, count, in_place, duplicate_.get());
    }
  }

  ScopedVariable algorithm_{"STARLING_ALGORITHM", GetParam()};
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  UserOperations operations_;
  Watch watch_{GetParam()};
};

TEST_P(TunedAllreduceWith, isRightForAllTypesAndCounts) {
  check(sumOf<float>(MPI_FLOAT));
  check(sumOf<double>(MPI_DOUBLE));
  check(maximumOf<double>(MPI_DOUBLE));
  check(sumOf<std::int32_t>(MPI_INT));
  check(sumOf<std::int64_t>(MPI_INT64_T));
  check(sumOf<std::int8_t>(MPI_CHAR));
  check(maximumOf<std::int8_t>(MPI_CHAR));
  check(minimumLocationOf<DoubleInt>(MPI_DOUBLE_INT));
  check(maximumLocationOf<TwoInt>(MPI_2INT));
  check(operations_.commutative());
  check(operations_.nonCommutative());
}

TEST_P(TunedAllreduceWith, isRightInEveryCallWhileItLearnsAndAfterwards) {
  for (int call = 0; call < 60; ++call) {
    watch_.phase(GetParam() + ", call " + std::to_string(call));
    expectReduced(sumOf<double>(MPI_DOUBLE), 3000 + call % 3, call % 2 == 0, duplicate_.get());
  }
  starling_key_info info;
  if (worldSize() == 1) {
    EXPECT_EQ(starling_query(duplicate_.get(), 0, &info), STARLING_ERROR_ARGUMENT);  // nothing to be tuned
    return;
  }
  ASSERT_EQ(starling_query(duplicate_.get(), 0, &info), STARLING_SUCCESS);
  EXPECT_TRUE(isPlanned(info));
  if (!GetParam().empty()) {
    EXPECT_EQ(info.settled, 1);
    // With the time of a step, which is measured, where the algorithm wants to know it.
    EXPECT_EQ(std::string(info.algorithm).substr(0, GetParam().size()), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, TunedAllreduceWith,
                         testing::ValuesIn(algorithmSettings({"slt:segments=7,window=2", "prr:tau_ns=1000",
                                                              "late_join:flagged=1",
                                                              "direct:segments=3,tau_ns=1000,flagged=2"})),
                         settingName);

TEST(TunedAllreduce, fallsBackToNativeWhenTheAlgorithmIsUnknown) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", "no_such_algorithm");
  const ScopedVariable verbosity("STARLING_VERBOSITY", "silent");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 30; ++call) expectReduced(sumOf<double>(MPI_DOUBLE), 100, false, duplicate.get());
  if (worldSize() == 1) return;
  starling_key_info info;
  ASSERT_EQ(starling_query(duplicate.get(), 0, &info), STARLING_SUCCESS);
  EXPECT_STREQ(info.algorithm, "native");
}

TEST(TunedAllreduce, passesDerivedTypesThrough) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT64_T, &derived);
  MPI_Type_commit(&derived);
  const UserOperations operations;
  Case<std::int64_t> expected = operations.nonCommutative();
  expected.datatype = derived;
  for (int call = 0; call < 30; ++call) expectReduced(expected, 10, call % 2 == 0, duplicate.get());
  MPI_Type_free(&derived);
  if (worldSize() == 1) return;
  starling_key_info info;
  ASSERT_EQ(starling_query(duplicate.get(), 0, &info), STARLING_SUCCESS);
  EXPECT_STREQ(info.algorithm, "native");
  EXPECT_EQ(info.settled, 0);
  EXPECT_EQ(info.exploring, 0);
}

// Each two numbers are a value and where it is: the pair of the greatest value is kept.
void combinePairs(void* left, void* right, int* count, MPI_Datatype*) {
  const auto* in = static_cast<const std::int32_t*>(left);
  auto* in_out = static_cast<std::int32_t*>(right);
  for (int i = 0; i + 1 < *count; i += 2) {
    if (in[i] > in_out[i] || (in[i] == in_out[i] && in[i + 1] < in_out[i + 1])) std::copy_n(in + i, 2, in_out + i);
  }
}

// MPI does not allow that, but its libraries run it rightly as long as they do not split the vector.
TEST(TunedAllreduce, leavesShortVectorsWholeThatOperationsOfTheProgramCombine) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(combinePairs, 1, &op);
  constexpr int kPairs = 9;
  for (int call = 0; call < 200; ++call) {
    std::vector<std::int32_t> pairs;
    for (int i = 0; i < kPairs; ++i) pairs.insert(pairs.end(), {(worldRank() + i) % worldSize(), worldRank()});
    tuned_allreduce(MPI_IN_PLACE, pairs.data(), 2 * kPairs, MPI_INT, op, duplicate.get());
    for (int i = 0; i < kPairs; ++i) {
      const std::vector<std::int32_t> pair(pairs.begin() + 2 * i, pairs.begin() + 2 * i + 2);
      ASSERT_EQ(pair, (std::vector{worldSize() - 1, (2 * worldSize() - 1 - i % worldSize()) % worldSize()}))
          << "call " << call << ", pair " << i;
    }
  }
  MPI_Op_free(&op);
  const UserOperations operations;
  for (int call = 0; call < 60; ++call) expectReduced(operations.commutative(), 1025, false, duplicate.get());
  if (worldSize() == 1) return;
  starling_key_info info;
  ASSERT_EQ(starling_query(duplicate.get(), 0, &info), STARLING_SUCCESS);
  EXPECT_STREQ(info.algorithm, "native");
  EXPECT_EQ(info.settled + info.exploring, 0);
  ASSERT_EQ(starling_query(duplicate.get(), 1, &info), STARLING_SUCCESS);
  EXPECT_TRUE(isPlanned(info)) << "longer ones are tuned";
}

// What MPI refuses is refused by MPI, before a schedule runs.
TEST(TunedAllreduce, raisesMpisErrorsWhenArgumentsAreWrong) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", "ring");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  for (const int calls : {0, 40}) {
    for (int call = 0; call < calls; ++call) expectReduced(sumOf<double>(MPI_DOUBLE), 50, false, duplicate.get());
    double in = 1.0;
    DoubleInt pair{1.0, 2};
    const auto expect_same_error = [&](void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op) {
      const int expected = PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, duplicate.get());
      EXPECT_NE(expected, MPI_SUCCESS);
      EXPECT_EQ(tuned_allreduce(sendbuf, recvbuf, count, datatype, op, duplicate.get()), expected);
    };
    DoubleInt out{};
    expect_same_error(&pair, &out, 1, MPI_DOUBLE_INT, MPI_SUM);
    expect_same_error(&in, &out, 1, MPI_DOUBLE, MPI_OP_NULL);
    expect_same_error(&in, &out, 1, MPI_DATATYPE_NULL, MPI_SUM);
    expect_same_error(&in, &out, -1, MPI_DOUBLE, MPI_SUM);
    expect_same_error(&in, MPI_IN_PLACE, 50, MPI_DOUBLE, MPI_SUM);
  }
  EXPECT_NE(tuned_allreduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, MPI_COMM_NULL), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Ranks wait for each other in the first call on a communicator, but not for one that MPI refuses at once.
TEST(TunedAllreduce, ofCallsThatMpiRefusesOnOneRankTheOthersNeedNotKnow) {
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &derived);
  MPI_Type_commit(&derived);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  for (const int calls : {0, 20}) {
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
    for (int call = 0; call < calls; ++call) expectReduced(sumOf<double>(MPI_DOUBLE), 50, false, duplicate.get());
    Watch watch("a call that MPI refuses on one rank, after " + std::to_string(calls));
    if (worldRank() == worldSize() - 1) {
      std::vector<int> values(2);
      std::vector<int> sums(2);
      EXPECT_NE(tuned_allreduce(values.data(), sums.data(), 1, derived, MPI_SUM, duplicate.get()), MPI_SUCCESS);
      EXPECT_NE(tuned_allreduce(values.data(), values.data(), 2, MPI_INT, MPI_SUM, duplicate.get()), MPI_SUCCESS);
      EXPECT_EQ(tuned_allreduce(sums.data(), sums.data(), 0, MPI_INT, MPI_SUM, duplicate.get()), MPI_SUCCESS);
    }
    MPI_Barrier(duplicate.get());
    expectReduced(sumOf<double>(MPI_DOUBLE), 50, false, duplicate.get());
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&derived);
}

TEST(TunedAllreduce, isTheIdentityOnCommunicatorsOfOneRank) {
  for (int call = 0; call < 30; ++call) expectReduced(sumOf<double>(MPI_DOUBLE), 100, call % 2 == 0, MPI_COMM_SELF);
  int keys = -1;
  EXPECT_EQ(starling_key_count(MPI_COMM_SELF, &keys), STARLING_SUCCESS);
  EXPECT_EQ(keys, 0);
}

TEST(TunedAllreduce, isRightWhenCountsChangeInEveryCall) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 200; ++call) {
    expectReduced(sumOf<float>(MPI_FLOAT), (call * 37) % 300, false, duplicate.get());
  }
}

}  // namespace
}  // namespace starling
