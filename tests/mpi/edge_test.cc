// starling_edge(): whatever is announced, results are right and nothing hangs. What calls make of announcements is in
// session_edge_test.cc, by a clock that is set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "algorithm_settings.h"
#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

// Some announcements, which differ from rank to rank.
void announce(int times, MPI_Comm communicator) {
  for (int i = 0; i < times; ++i) {
    const double fraction = 1.0 / (1.0 + (worldRank() + i) % 4);
    EXPECT_EQ(starling_edge(communicator, fraction), STARLING_SUCCESS);
  }
}

TEST(Edge, refusesBadArguments) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  expectSums(10, 100, duplicate.get());
  EXPECT_EQ(starling_edge(MPI_COMM_NULL, 0.5), STARLING_ERROR_ARGUMENT);
  for (const double fraction :
       {-1e-9, -0.5, 1.0000001, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(starling_edge(duplicate.get(), fraction), STARLING_ERROR_ARGUMENT) << fraction;
  }
  for (const double fraction : {0.0, 1.0, 0.5, std::numeric_limits<double>::denorm_min()}) {
    EXPECT_EQ(starling_edge(duplicate.get(), fraction), STARLING_SUCCESS) << fraction;
  }
  expectSums(10, 100, duplicate.get());
}

TEST(Edge, doesNothingBeforeTheFirstCalls) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 12; ++call) {
    announce(2, duplicate.get());
    expectSums(1, 100, duplicate.get());
  }
}

// A rank that makes another try must not miss what the others have announced for the call.
TEST(Edge, announcementsOutlastACallThatMpiRefuses) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", "ring");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  expectSums(10, 100, duplicate.get());
  const double value = 1.0;
  double result = 0.0;
  for (int call = 0; call < 5; ++call) {
    announce(1, duplicate.get());
    if (worldRank() == 0) {
      EXPECT_NE(tuned_allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAXLOC, duplicate.get()), MPI_SUCCESS);
    }
    expectSums(1, 100, duplicate.get());
  }
}

TEST(Edge, doesNothingWhereNothingIsTuned) {
  for (const char* word : {"off", "observe"}) {
    const ScopedVariable mode("STARLING_MODE", word);
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    expectSums(10, 100, duplicate.get());
    // Only one rank: had the announcements been sent, the others would miss theirs.
    if (worldRank() == 0) announce(3, duplicate.get());
    expectSums(10, 100, duplicate.get());
  }
  expectReduced(sumOf<double>(MPI_DOUBLE), 100, false, MPI_COMM_SELF);
  announce(3, MPI_COMM_SELF);
}

// With STARLING_ALGORITHM set; empty: tuned.
class EdgeWith : public testing::TestWithParam<std::string> {};

TEST_P(EdgeWith, resultsAreRightWhateverIsAnnounced) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", GetParam());
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  const UserOperations operations;
  const std::vector<int> counts{0, 1, worldSize() - 1, worldSize(), worldSize() + 1, 777, 5000};
  Watch watch(GetParam());
  int call = 0;
  for (int round = 0; round < 8; ++round) {
    for (const int count : counts) {
      watch.phase(GetParam() + ", call " + std::to_string(call));
      if ((worldRank() + round) % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
      announce(call % 4, duplicate.get());
      expectReduced(sumOf<double>(MPI_DOUBLE), count, call % 2 == 0, duplicate.get());
      ++call;
    }
    announce(1, duplicate.get());
    expectReduced(operations.nonCommutative(), 300, round % 2 == 0, duplicate.get());
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, EdgeWith,
                         testing::ValuesIn(algorithmSettings({"slt:segments=7,window=2", "prr:tau_ns=1000",
                                                              "prr:tau_ns=200000"})),
                         settingName);

TEST(Edge, callsThatPassThroughTakeTheAnnouncementsToo) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Datatype derived = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT64_T, &derived);
  MPI_Type_commit(&derived);
  const UserOperations operations;
  Case<std::int64_t> expected = operations.commutative();
  expected.datatype = derived;
  for (int call = 0; call < 20; ++call) {
    announce(3, duplicate.get());
    expectReduced(expected, 10, call % 2 == 0, duplicate.get());
  }
  MPI_Type_free(&derived);
}

TEST(Edge, manyBetweenTwoCallsDoNoHarm) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", "slt");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (const int times : {0, 7, 8, 9, 100, 1, 0, 3}) {
    announce(times, duplicate.get());
    expectSums(1, 300, duplicate.get());
  }
}

TEST(Edge, communicatorsAnnounceApart) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", "prr:tau_ns=1000");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() % 2, -worldRank(), &half);
  const ScopedDuplicate whole(MPI_COMM_WORLD);
  for (int call = 0; call < 40; ++call) {
    announce(1 + call % 2, whole.get());
    announce(1 + call % 3, half);  // both are pending
    expectSums(1 + worldRank() % 2, 200, half);
    announce(1, whole.get());
    expectSums(1, 200, whole.get());
  }
  MPI_Comm_free(&half);
}

TEST(Edge, maySayNothingOfACommunicatorWithTwoSides) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const ScopedTwoSides sides;
  for (int call = 0; call < 10; ++call) {
    const int mine = 1;
    int sum = 0;
    EXPECT_EQ(tuned_allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, sides.get()), MPI_SUCCESS);
    EXPECT_EQ(sum, sides.isEven() ? worldSize() / 2 : (worldSize() + 1) / 2);
    announce(2, sides.get());
  }
}

TEST(Edge, putsARankLastThatComputesLonger) {
  const ScopedVariable algorithm("STARLING_ALGORITHM", "slt");
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  expectSums(20, 300, duplicate.get());
  if (worldSize() == 1) return;
  announce(1, duplicate.get());  // from here on, every exit is stamped
  for (const int late : {0, worldSize() / 2, 0}) {
    expectSums(1, 300, duplicate.get());
    if (worldRank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(starling_edge(duplicate.get(), 0.5), STARLING_SUCCESS);
    expectSums(1, 300, duplicate.get());
    std::vector<int> table(static_cast<std::size_t>(worldSize()), -1);
    EXPECT_EQ(starling_query_table(duplicate.get(), 0, table.data()), STARLING_SUCCESS);
    EXPECT_EQ(table.back(), late);
    EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(table.data(), table.size() * sizeof(int)), duplicate.get()));
    std::vector<int> all(table.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_THAT(table, testing::UnorderedElementsAreArray(all));
  }
}

TEST(Edge, communicatorsMayBeFreedWithAnnouncementsUnderWay) {
  Watch watch("free");
  for (int calls = 0; calls < 20; ++calls) {
    watch.phase("free after " + std::to_string(calls) + " calls");
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    expectSums(calls, 400, duplicate.get());
    announce(1 + calls % 10, duplicate.get());
  }
}

// Nobody has to free a communicator: MPI_Finalize, which the harness watches, has to end these.
TEST(Edge, announcementsMayBeUnderWayAtFinalize) {
  for (int i = 0; i < 3; ++i) {
    MPI_Comm left = MPI_COMM_NULL;
    // On every rank another order, as far as MPI allows: by the two halves.
    MPI_Comm_split(MPI_COMM_WORLD, (worldRank() + i) % 2, worldRank(), &left);
    expectSums(10, 100, left);
    announce(1 + 4 * i, left);
  }
}

}  // namespace
}  // namespace starling
