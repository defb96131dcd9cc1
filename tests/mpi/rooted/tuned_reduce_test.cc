// Results of tuned_reduce(), whatever runs below it.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cases.h"
#include "checked_broadcast.h"
#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

constexpr int kCalls = 10;

// One call, checked; on ranks other than the root nothing is written.
template <typename Value>
void expectReducedTo(int root, const Case<Value>& expected, int count, bool in_place, MPI_Comm communicator) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const std::vector<Value> input = expected.inputs(rank, count);
  const std::vector<Value> untouched = expected.inputs(rank + 1, count);
  std::vector<Value> result = in_place && rank == root ? input : untouched;
  const void* sendbuf = in_place && rank == root ? MPI_IN_PLACE : input.data();
  EXPECT_EQ(tuned_reduce(sendbuf, result.data(), count, expected.datatype, expected.op, root, communicator),
            MPI_SUCCESS);
  if (rank == root) {
    EXPECT_EQ(expected.wrongElements(result, ranks), 0)
        << expected.name << ", count " << count << ", root " << root << (in_place ? ", in place" : "");
  } else {
    EXPECT_EQ(result, untouched) << "a rank that is not the root was written to";
  }
  EXPECT_EQ(input, expected.inputs(rank, count)) << "the send buffer was written to";
}

class TunedReduce : public testing::Test {
 protected:
  template <typename Value>
  void check(const Case<Value>& expected) {
    for (const int count : {0, 1, 2, worldSize() + 1, 3000}) {
      watch_.phase(std::string(expected.name) + ", count " + std::to_string(count));
      for (int root = 0; root < worldSize(); ++root) {
        for (const bool in_place : {false, true}) expectReducedTo(root, expected, count, in_place, duplicate_.get());
      }
    }
  }

  ScopedVariable minimum_{"STARLING_MINIMUM_CALLS", "2"};
  ScopedVariable period_{"STARLING_ROOTED_PERIOD", "3"};
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
  UserOperations operations_;
  Watch watch_{"TunedReduce"};
};

TEST_F(TunedReduce, isRightForAllRootsTypesAndCounts) {
  for (int round = 0; round < 3; ++round) {
    check(sumOf<float>(MPI_FLOAT));
    check(sumOf<std::int64_t>(MPI_INT64_T));
    check(maximumOf<double>(MPI_DOUBLE));
    check(minimumLocationOf<DoubleInt>(MPI_DOUBLE_INT));
    check(maximumLocationOf<TwoInt>(MPI_2INT));
    check(operations_.commutative());
    check(operations_.nonCommutative());
  }
}

TEST_F(TunedReduce, isRightForLongVectors) {
  constexpr int kLong = 300'001;
  for (int call = 0; call < kCalls; ++call) {
    watch_.phase("call " + std::to_string(call));
    expectReducedTo(0, sumOf<double>(MPI_DOUBLE), kLong, call % 2 == 0, duplicate_.get());
    expectReducedTo(worldSize() / 2, operations_.nonCommutative(), kLong, call % 2 == 0, duplicate_.get());
  }
}

TEST_F(TunedReduce, isRightWhenCountsChangeInEveryCall) {
  for (int call = 0; call < 150; ++call) {
    expectReducedTo(0, sumOf<float>(MPI_FLOAT), (call * 37) % 300, false, duplicate_.get());
  }
}

TEST_F(TunedReduce, isRightWhileArrivalsChange) {
  for (int call = 0; call < 40; ++call) {
    if (worldRank() == call / 10) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 500, false, duplicate_.get());
    expectReducedTo(worldSize() - 1, operations_.nonCommutative(), 500, true, duplicate_.get());
  }
}

// 2 x 2 matrices of integers, as a type and an operation that the program makes.
struct Matrix {
  std::int64_t entries[4];
  bool operator==(const Matrix&) const = default;
};
Matrix product(const Matrix& a, const Matrix& b) {
  const auto& [p, q, r, s] = a.entries;
  const auto& [t, u, v, w] = b.entries;
  return {{(p * t + q * v) % kPrime, (p * u + q * w) % kPrime, (r * t + s * v) % kPrime, (r * u + s * w) % kPrime}};
}
Matrix matrixOf(int rank, std::int64_t index) { return {{rank + 1, index % 7, 3, rank + index % 5}}; }
void multiplyAll(void* left, void* right, int* count, MPI_Datatype*) {
  const auto* in = static_cast<const Matrix*>(left);
  auto* in_out = static_cast<Matrix*>(right);
  for (int i = 0; i < *count; ++i) in_out[i] = product(in[i], in_out[i]);
}

TEST_F(TunedReduce, passesDerivedTypesThrough) {
  MPI_Datatype matrix = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_INT64_T, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op multiply = MPI_OP_NULL;
  MPI_Op_create(multiplyAll, 0, &multiply);
  const Case<Matrix> expected{"matrix", matrix, multiply, matrixOf, product, false};
  for (int call = 0; call < kCalls; ++call) {
    expectReducedTo(call % worldSize(), expected, 20, call % 2 == 0, duplicate_.get());
    expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 20, false, duplicate_.get());
  }
  MPI_Op_free(&multiply);
  MPI_Type_free(&matrix);
}

TEST_F(TunedReduce, doesNotMixWithOtherCalls) {
  for (int call = 0; call < 60; ++call) {
    expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 100, false, duplicate_.get());
    expectBroadcast(100, 0, call, duplicate_.get());
    expectSums(1, 50, duplicate_.get());
  }
}

TEST_F(TunedReduce, communicatorsMayBeFreedAtAnyPointOfAPeriod) {
  for (int calls = 0; calls < 22; ++calls) {
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    for (int call = 0; call < calls; ++call) {
      const int root = fewRoots()[static_cast<std::size_t>(call % 2)];
      expectReducedTo(root, sumOf<double>(MPI_DOUBLE), 10, false, duplicate.get());
    }
  }
}

TEST_F(TunedReduce, intercommunicatorsPassThrough) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const ScopedTwoSides sides;
  std::int64_t expected = 0;
  for (int rank = 1; rank < worldSize(); rank += 2) expected += rank + 1;
  for (int call = 0; call < kCalls; ++call) {
    const std::int64_t mine = worldRank() + 1;
    std::int64_t result = -1;
    int root = 0;
    if (sides.isEven()) root = worldRank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
    EXPECT_EQ(tuned_reduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM, root, sides.get()), MPI_SUCCESS);
    EXPECT_EQ(result, worldRank() == 0 ? expected : -1);
  }
}

TEST_F(TunedReduce, isRightInEveryMode) {
  for (const char* mode : {"off", "observe", "tune"}) {
    for (const char* reproducible : {"0", "1"}) {
      const ScopedVariable set_mode("STARLING_MODE", mode);
      const ScopedVariable set_reproducible("STARLING_REPRODUCIBLE", reproducible);
      const ScopedDuplicate duplicate(MPI_COMM_WORLD);
      for (int call = 0; call < kCalls; ++call) {
        for (const int root : fewRoots()) {
          expectReducedTo(root, sumOf<double>(MPI_DOUBLE), 500, call % 2 == 0, duplicate.get());
          expectReducedTo(root, operations_.nonCommutative(), 500, call % 2 == 0, duplicate.get());
        }
      }
    }
  }
}

double inexactInput(int rank, int index) { return std::sin(1.0 + 10.0 * rank + index) * std::pow(10.0, rank % 5); }

// Neighbours in pairs, then pairs of these: what is over waits for the next round.
double balancedSum(int ranks, int index) {
  std::vector<double> sums;
  for (int rank = 0; rank < ranks; ++rank) sums.push_back(inexactInput(rank, index));
  while (sums.size() > 1) {
    std::vector<double> next;
    for (std::size_t i = 0; i < sums.size(); i += 2)
      next.push_back(i + 1 < sums.size() ? sums[i] + sums[i + 1] : sums[i]);
    sums = next;
  }
  return sums.front();
}

// From the first call on, for short vectors and long ones, to every root, whoever is late.
TEST_F(TunedReduce, reproducibleBitsDependOnRankAndCountAlone) {
  const ScopedVariable reproducible("STARLING_REPRODUCIBLE", "1");
  for (const int late : {-1, 0, worldSize() - 1}) {
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    for (const int count : {1, 50, 40'000}) {
      std::vector<double> input;
      std::vector<double> expected;
      for (int i = 0; i < count; ++i) {
        input.push_back(inexactInput(worldRank(), i));
        expected.push_back(balancedSum(worldSize(), i));
      }
      for (int call = 0; call < kCalls; ++call) {
        if (worldRank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const int root = call % worldSize();
        std::vector<double> result(input.size());
        EXPECT_EQ(tuned_reduce(input.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, root, duplicate.get()),
                  MPI_SUCCESS);
        if (worldRank() != root) continue;
        EXPECT_EQ(std::memcmp(result.data(), expected.data(), input.size() * sizeof(double)), 0)
            << "count " << count << ", call " << call;
      }
    }
  }
}

TEST_F(TunedReduce, refusesOneBufferForBothInReproducibleModeAsWell) {
  const ScopedVariable reproducible("STARLING_REPRODUCIBLE", "1");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises it, whatever the communicator
  for (const int root : fewRoots()) {
    std::vector<double> values(50, 1.0);
    if (worldRank() == root) {
      EXPECT_NE(tuned_reduce(values.data(), values.data(), 50, MPI_DOUBLE, MPI_SUM, root, duplicate.get()),
                MPI_SUCCESS);
    }
    MPI_Barrier(duplicate.get());  // it had to wait for nobody
    expectReducedTo(root, sumOf<double>(MPI_DOUBLE), 50, false, duplicate.get());
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// What MPI refuses is refused by MPI.
TEST_F(TunedReduce, raisesMpisErrorsWhenArgumentsAreWrong) {
  MPI_Comm_set_errhandler(duplicate_.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  for (const int calls : {0, 20}) {
    for (int call = 0; call < calls; ++call) {
      expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 50, false, duplicate_.get());
    }
    double in = 1.0;
    DoubleInt pair{1.0, 2};
    DoubleInt out{};
    const auto expect_same_error = [&](void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                       int root) {
      const int expected = PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, duplicate_.get());
      EXPECT_NE(expected, MPI_SUCCESS);
      EXPECT_EQ(tuned_reduce(sendbuf, recvbuf, count, datatype, op, root, duplicate_.get()), expected);
    };
    expect_same_error(&pair, &out, 1, MPI_DOUBLE_INT, MPI_SUM, 0);
    expect_same_error(&in, &out, 1, MPI_DOUBLE, MPI_OP_NULL, 0);
    expect_same_error(&in, &out, 1, MPI_DATATYPE_NULL, MPI_SUM, 0);
    expect_same_error(&in, &out, -1, MPI_DOUBLE, MPI_SUM, 0);
    expect_same_error(&in, &out, 1, MPI_DOUBLE, MPI_SUM, -1);
    expect_same_error(&in, &out, 1, MPI_DOUBLE, MPI_SUM, worldSize());
    // Each rank hears of its own mistake.
    if (worldRank() == 0) {
      expect_same_error(&in, MPI_IN_PLACE, 50, MPI_DOUBLE, MPI_SUM, 0);
    } else {
      expect_same_error(MPI_IN_PLACE, &in, 50, MPI_DOUBLE, MPI_SUM, 0);
    }
  }
  EXPECT_NE(tuned_reduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_NULL), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Vectors that hold nothing may have no address.
TEST_F(TunedReduce, combinesNothingInTheFirstCallsToo) {
  for (const char* word : {"0", "1"}) {
    const ScopedVariable reproducible("STARLING_REPRODUCIBLE", word);
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    const Watch watch("calls that combine nothing");
    for (int call = 0; call < 4; ++call) {
      EXPECT_EQ(tuned_reduce(nullptr, nullptr, 0, MPI_DOUBLE, MPI_SUM, 0, duplicate.get()), MPI_SUCCESS);
      expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 10, false, duplicate.get());
    }
  }
}

TEST_F(TunedReduce, isTheIdentityOnCommunicatorsOfOneRank) {
  for (int call = 0; call < kCalls; ++call) {
    expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 100, call % 2 == 0, MPI_COMM_SELF);
  }
}

// Nobody has to free a communicator: MPI_Finalize, which the harness watches, has to end this one.
TEST_F(TunedReduce, mayBeUnderWayAtFinalize) {
  MPI_Comm left = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &left);
  for (int call = 0; call < 8; ++call) expectReducedTo(0, sumOf<double>(MPI_DOUBLE), 10, false, left);
}

// The root's first try has one buffer for both, which MPI refuses.
TEST_F(TunedReduce, callsThatMpiRefusesOnTheRootDoNotCount) {
  MPI_Comm_set_errhandler(duplicate_.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  watch_.phase("calls after refusals");
  for (int call = 0; call < 100; ++call) {
    std::vector<int> values(100, worldRank() + call);
    if (worldRank() == 0 && call % 5 == 0) {
      EXPECT_NE(tuned_reduce(values.data(), values.data(), 100, MPI_INT, MPI_SUM, 0, duplicate_.get()), MPI_SUCCESS);
    }
    if (call % 5 == 0) MPI_Barrier(duplicate_.get());  // it had to wait for nobody
    const void* sendbuf = worldRank() == 0 ? MPI_IN_PLACE : values.data();
    EXPECT_EQ(tuned_reduce(sendbuf, values.data(), 100, MPI_INT, MPI_SUM, 0, duplicate_.get()), MPI_SUCCESS);
    if (worldRank() != 0) continue;
    EXPECT_EQ(values, std::vector<int>(100, worldSize() * (worldSize() - 1) / 2 + worldSize() * call)) << call;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// A rank that is not the root has no call with MPI_IN_PLACE.
TEST_F(TunedReduce, callsThatMpiRefusesOnAnotherRankDoNotCount) {
  MPI_Comm_set_errhandler(duplicate_.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  watch_.phase("calls after refusals on another rank");
  const bool errs = worldSize() > 1 && worldRank() == worldSize() - 1;
  for (int call = 0; call < 40; ++call) {
    std::vector<int> values(100, worldRank() + call);
    std::vector<int> sums(100);
    if (errs && call % 5 == 2) {
      EXPECT_NE(tuned_reduce(MPI_IN_PLACE, sums.data(), 100, MPI_INT, MPI_SUM, 0, duplicate_.get()), MPI_SUCCESS);
    }
    EXPECT_EQ(tuned_reduce(values.data(), sums.data(), 100, MPI_INT, MPI_SUM, 0, duplicate_.get()), MPI_SUCCESS);
    if (worldRank() != 0) continue;
    EXPECT_EQ(sums, std::vector<int>(100, worldSize() * (worldSize() - 1) / 2 + worldSize() * call)) << call;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_F(TunedReduce, callsThatMpiRefusesOnOneRankByAHandlerThatThrowsDoNotCount) {
  const ThrowingHandler handler(duplicate_.get());
  watch_.phase("calls after refusals that throw");
  for (int call = 0; call < 40; ++call) {
    const int mine = worldRank() + call;
    int sum = 0;
    if (worldRank() == call % worldSize()) {
      EXPECT_THROW(tuned_reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, -5, duplicate_.get()), ThrowingHandler::Error);
    }
    EXPECT_EQ(tuned_reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, duplicate_.get()), MPI_SUCCESS);
    if (worldRank() == 0) {
      EXPECT_EQ(sum, worldSize() * (worldSize() - 1) / 2 + worldSize() * call);
    }
  }
}

}  // namespace
}  // namespace starling
