// Results of tuned_bcast(), whatever runs below it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "checked_broadcast.h"
#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

// Calls until all ranks have room for messages of this size and tables have had time to change.
constexpr int kCalls = 12;
constexpr int kLong = 300'001;

class TunedBcast : public testing::Test {
 protected:
  ScopedVariable minimum_{"STARLING_MINIMUM_CALLS", "2"};
  ScopedVariable period_{"STARLING_ROOTED_PERIOD", "3"};
  ScopedDuplicate duplicate_{MPI_COMM_WORLD};
};

TEST_F(TunedBcast, isRightForAllRootsAndCounts) {
  Watch watch("all roots and counts");
  for (const int count : {0, 1, 2, 7, 1000, 65'537}) {
    for (int call = 0; call < kCalls; ++call) {
      for (int root = 0; root < worldSize(); ++root) {
        watch.phase(std::to_string(count) + " elements from root " + std::to_string(root));
        expectBroadcast(count, root, call, duplicate_.get());
      }
    }
  }
}

TEST_F(TunedBcast, isRightForLongMessages) {
  for (int call = 0; call < kCalls; ++call) {
    for (const int root : fewRoots()) expectBroadcast(kLong, root, call, duplicate_.get());
  }
}

TEST_F(TunedBcast, isRightWhenCountsChangeInEveryCall) {
  for (int call = 0; call < 150; ++call) expectBroadcast((call * 37) % 3000, 0, call, duplicate_.get());
}

// Four integers as the ranks may describe them, and where each of the four lies in memory.
struct Layout {
  MPI_Datatype datatype;
  int per_message;     // elements of the datatype that hold the four
  std::size_t stride;  // integers from one four to the next
  std::array<std::size_t, 4> places;
};

class Layouts {
 public:
  Layouts() {
    MPI_Type_contiguous(4, MPI_INT32_T, &contiguous_);
    MPI_Type_vector(4, 1, 2, MPI_INT32_T, &spaced_);
    MPI_Datatype unpadded = MPI_DATATYPE_NULL;
    MPI_Type_vector(4, 1, 2, MPI_INT32_T, &unpadded);
    MPI_Type_create_resized(unpadded, 0, 8 * sizeof(std::int32_t), &padded_);
    MPI_Type_free(&unpadded);
    // As long as its data, and in another order.
    const std::array<int, 4> places{3, 1, 0, 2};
    MPI_Type_create_indexed_block(4, 1, places.data(), MPI_INT32_T, &shuffled_);
    for (MPI_Datatype* type : all()) MPI_Type_commit(type);
  }
  ~Layouts() {
    for (MPI_Datatype* type : all()) MPI_Type_free(type);
  }
  Layouts(const Layouts&) = delete;
  Layouts& operator=(const Layouts&) = delete;

  // That of this rank, in this round.
  Layout pick(int round) const {
    const std::vector<Layout> layouts{{MPI_INT32_T, 4, 4, {0, 1, 2, 3}},
                                      {contiguous_, 1, 4, {0, 1, 2, 3}},
                                      {spaced_, 1, 7, {0, 2, 4, 6}},
                                      {padded_, 1, 8, {0, 2, 4, 6}},
                                      {shuffled_, 1, 4, {3, 1, 0, 2}}};
    return layouts[static_cast<std::size_t>(worldRank() + round) % layouts.size()];
  }

 private:
  std::array<MPI_Datatype*, 4> all() { return {&contiguous_, &spaced_, &padded_, &shuffled_}; }

  MPI_Datatype contiguous_ = MPI_DATATYPE_NULL;
  MPI_Datatype spaced_ = MPI_DATATYPE_NULL;
  MPI_Datatype padded_ = MPI_DATATYPE_NULL;
  MPI_Datatype shuffled_ = MPI_DATATYPE_NULL;
};

void expectBroadcastOf(const Layout& layout, int fours, int root, int call, MPI_Comm communicator) {
  const std::vector<std::int32_t> sent = broadcastValues(root, call, 4 * fours);
  std::vector<std::int32_t> expected(layout.stride * static_cast<std::size_t>(fours) + 8, -7);
  for (std::size_t i = 0; i < sent.size(); ++i) expected[i / 4 * layout.stride + layout.places[i % 4]] = sent[i];
  std::vector<std::int32_t> memory(expected.size(), -7);
  if (worldRank() == root) memory = expected;
  EXPECT_EQ(tuned_bcast(memory.data(), fours * layout.per_message, layout.datatype, root, communicator), MPI_SUCCESS);
  EXPECT_EQ(memory, expected) << fours << " fours from root " << root << ", call " << call;
}

TEST_F(TunedBcast, isRightWhenRanksDescribeTheMessageDifferently) {
  const Layouts layouts;
  for (const int fours : {1, 5, 40'000}) {
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);  // its calls are tuned for two periods at least
    for (int call = 0; call < kCalls; ++call) {
      for (const int root : fewRoots()) expectBroadcastOf(layouts.pick(call), fours, root, call, duplicate.get());
    }
  }
}

TEST_F(TunedBcast, leavesTheGapsOfPairsAlone) {
  for (int call = 0; call < kCalls; ++call) {
    std::vector<DoubleInt> pairs(100);
    std::fill_n(reinterpret_cast<std::byte*>(pairs.data()), pairs.size() * sizeof(DoubleInt), std::byte{0x5a});
    std::vector<DoubleInt> expected = pairs;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i].value = static_cast<double>(i);
      expected[i].index = call;
    }
    if (worldRank() == 0) pairs = expected;
    EXPECT_EQ(tuned_bcast(pairs.data(), 100, MPI_DOUBLE_INT, 0, duplicate_.get()), MPI_SUCCESS);
    EXPECT_EQ(pairs, expected);
    constexpr std::size_t kGap = offsetof(DoubleInt, index) + sizeof(int);
    if (worldRank() == 0) continue;
    EXPECT_EQ(reinterpret_cast<const std::byte*>(&pairs[7])[kGap], std::byte{0x5a});
  }
}

TEST_F(TunedBcast, takesAbsoluteAddresses) {
  std::int32_t value = 0;
  MPI_Aint address = 0;
  MPI_Get_address(&value, &address);
  MPI_Datatype there = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT32_T, &there);
  MPI_Type_commit(&there);
  for (int call = 0; call < kCalls; ++call) {
    for (const int root : fewRoots()) {
      value = worldRank() == root ? 100 + call : -1;
      EXPECT_EQ(tuned_bcast(MPI_BOTTOM, 1, there, root, duplicate_.get()), MPI_SUCCESS);
      EXPECT_EQ(value, 100 + call);
    }
  }
  MPI_Type_free(&there);
}

TEST_F(TunedBcast, takesTypesWithoutData) {
  MPI_Datatype nothing = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT32_T, &nothing);
  MPI_Type_commit(&nothing);
  for (int call = 0; call < kCalls; ++call) {
    EXPECT_EQ(tuned_bcast(nullptr, call, nothing, 0, duplicate_.get()), MPI_SUCCESS);
    EXPECT_EQ(tuned_bcast(nullptr, 0, MPI_INT32_T, 0, duplicate_.get()), MPI_SUCCESS);
  }
  MPI_Type_free(&nothing);
}

TEST_F(TunedBcast, doesNotMixWithReductionsAndTheProgramsOwnMessages) {
  for (int call = 0; call < 60; ++call) {
    int token = call;
    MPI_Request request = MPI_REQUEST_NULL;
    int received = -1;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, duplicate_.get(), &request);
    expectBroadcast(100, 0, call, duplicate_.get());
    expectSums(1, 50, duplicate_.get());
    MPI_Send(&token, 1, MPI_INT, (worldRank() + 1) % worldSize(), 0, duplicate_.get());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(received, call);
  }
}

TEST_F(TunedBcast, communicatorsMayBeFreedAtAnyPointOfAPeriod) {
  for (int calls = 0; calls < 22; ++calls) {
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    for (int call = 0; call < calls; ++call) {
      expectBroadcast(10, fewRoots()[static_cast<std::size_t>(call % 2)], call, duplicate.get());
    }
  }
}

TEST_F(TunedBcast, halvesAreTunedApart) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() % 2, -worldRank(), &half);
  for (int call = 0; call < 30; ++call) {
    expectBroadcast(100, 0, call, half);
    if (call % 3 == 0) expectBroadcast(77, worldSize() - 1, call, duplicate_.get());
  }
  MPI_Comm_free(&half);
}

TEST_F(TunedBcast, intercommunicatorsPassThrough) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const ScopedTwoSides sides;
  for (int call = 0; call < kCalls; ++call) {
    std::int32_t value = worldRank() == 0 ? 50 + call : -1;
    int root = 0;
    if (sides.isEven()) root = worldRank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
    EXPECT_EQ(tuned_bcast(&value, 1, MPI_INT32_T, root, sides.get()), MPI_SUCCESS);
    if (!sides.isEven()) {
      EXPECT_EQ(value, 50 + call);
    }
  }
}

TEST_F(TunedBcast, isRightInEveryMode) {
  for (const char* mode : {"off", "observe", "tune"}) {
    for (const char* reproducible : {"0", "1"}) {
      const ScopedVariable set_mode("STARLING_MODE", mode);
      const ScopedVariable set_reproducible("STARLING_REPRODUCIBLE", reproducible);
      const ScopedDuplicate duplicate(MPI_COMM_WORLD);
      for (int call = 0; call < kCalls; ++call) expectBroadcast(500, 0, call, duplicate.get());
    }
  }
}

// What MPI refuses is refused by MPI.
TEST_F(TunedBcast, raisesMpisErrorsWhenArgumentsAreWrong) {
  MPI_Comm_set_errhandler(duplicate_.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  for (const int calls : {0, 20}) {
    for (int call = 0; call < calls; ++call) expectBroadcast(50, 0, call, duplicate_.get());
    std::int32_t value = 0;
    const auto expect_same_error = [&](void* buffer, int count, MPI_Datatype datatype, int root) {
      const int expected = PMPI_Bcast(buffer, count, datatype, root, duplicate_.get());
      EXPECT_NE(expected, MPI_SUCCESS);
      EXPECT_EQ(tuned_bcast(buffer, count, datatype, root, duplicate_.get()), expected);
    };
    expect_same_error(&value, -1, MPI_INT32_T, 0);
    expect_same_error(&value, 1, MPI_DATATYPE_NULL, 0);
    expect_same_error(&value, 1, MPI_INT32_T, -1);
    expect_same_error(&value, 1, MPI_INT32_T, worldSize());
    expect_same_error(MPI_IN_PLACE, 1, MPI_INT32_T, 0);
  }
  EXPECT_NE(tuned_bcast(nullptr, 0, MPI_INT32_T, 0, MPI_COMM_NULL), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// The rank forgets to commit its type, which MPI refuses, and then makes the call that the others have made.
TEST_F(TunedBcast, callsThatMpiRefusesOnOneRankDoNotCount) {
  MPI_Comm_set_errhandler(duplicate_.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  Watch watch("calls after refusals");
  for (int call = 0; call < 30; ++call) {
    const bool is_root = worldRank() == 0;
    std::vector<double> values(10, is_root ? call : -1.0);
    if (worldRank() == call % worldSize()) {
      MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
      MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &uncommitted);
      EXPECT_NE(tuned_bcast(values.data(), 1, uncommitted, 0, duplicate_.get()), MPI_SUCCESS);
      MPI_Type_free(&uncommitted);
    }
    MPI_Barrier(duplicate_.get());  // the rank had to wait for nobody
    EXPECT_EQ(tuned_bcast(values.data(), 1, every_other, 0, duplicate_.get()), MPI_SUCCESS);
    EXPECT_EQ(values[8], call);
    EXPECT_EQ(values[9], is_root ? call : -1.0);
  }
  MPI_Type_free(&every_other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_F(TunedBcast, callsThatMpiRefusesOnOneRankByAHandlerThatThrowsDoNotCount) {
  const ThrowingHandler handler(duplicate_.get());
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &uncommitted);
  Watch watch("calls after refusals that throw");
  for (int call = 0; call < 30; ++call) {
    double value = worldRank() == 0 ? call : -1.0;
    if (worldRank() == call % worldSize()) {
      EXPECT_THROW(tuned_bcast(&value, 1, uncommitted, 0, duplicate_.get()), ThrowingHandler::Error);
    }
    EXPECT_EQ(tuned_bcast(&value, 1, MPI_DOUBLE, 0, duplicate_.get()), MPI_SUCCESS);
    EXPECT_EQ(value, call);
  }
  MPI_Type_free(&uncommitted);
}

TEST_F(TunedBcast, bringsNothingInTheFirstCallsToo) {
  const Watch watch("calls that bring nothing");
  for (int call = 0; call < 4; ++call) {
    EXPECT_EQ(tuned_bcast(nullptr, 0, MPI_DOUBLE, 0, duplicate_.get()), MPI_SUCCESS);
    expectBroadcast(10, 0, call, duplicate_.get());
  }
}

TEST_F(TunedBcast, isTheIdentityOnCommunicatorsOfOneRank) {
  for (int call = 0; call < kCalls; ++call) expectBroadcast(100, 0, call, MPI_COMM_SELF);
}

// Nobody has to free a communicator: MPI_Finalize, which the harness watches, has to end this one.
TEST_F(TunedBcast, mayBeUnderWayAtFinalize) {
  MPI_Comm left = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &left);
  for (int call = 0; call < 8; ++call) expectBroadcast(10, 0, call, left);
}

}  // namespace
}  // namespace starling
