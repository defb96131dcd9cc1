// What libstarling.so does for the preload library, where code of the program's throws in the MPI library's own calls.
#include <gmock/gmock.h>

#include <new>
#include <stdexcept>

#include "checked_call.h"
#include "harness.h"
#include "mpi/wrapper_table.h"

namespace starling {
namespace {

const WrapperTable& table() { return *starling_wrapper_table(kWrapperTableVersion); }

// The call was made, as it was on all other ranks.
template <typename Thrown>
int throwAfterwards(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  throw Thrown("thrown by the program");
}

struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(const char*) {}
};

template <typename Thrown>
void expectThrownCallsCount() {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  Watch watch("calls that end by an exception on one rank");
  constexpr int kCalls = 100;
  for (int call = 0; call < kCalls; ++call) {
    const bool throws = worldRank() == worldSize() - 1 && call % 5 == 1;
    const double mine = worldRank();
    double sum = -1.0;
    const NativeAllreduce native = throws ? throwAfterwards<Thrown> : PMPI_Allreduce;
    bool has_thrown = false;
    try {
      EXPECT_EQ(table().allreduce(nullptr, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM, duplicate.get(), native), MPI_SUCCESS);
    } catch (const Thrown&) {
      has_thrown = true;
    }
    EXPECT_TRUE(throws || !has_thrown);
    EXPECT_EQ(sum, worldSize() * (worldSize() - 1) / 2);
  }
  // The calls of a key are counted from its plan on, which comes at the same call on all ranks.
  std::uint64_t counted = 0;
  for (int key = 0; key < keyCount(duplicate.get()); ++key) {
    counted = 1000 * counted + static_cast<std::uint64_t>(infoOf(duplicate.get(), key).calls);
  }
  EXPECT_TRUE(worldSize() == 1 || counted > 0);
  EXPECT_TRUE(isEqualOnAllRanks(counted, MPI_COMM_WORLD));
}

TEST(PreloadTable, callsThatEndByAnExceptionOnOneRankCountThere) { expectThrownCallsCount<std::runtime_error>(); }

TEST(PreloadTable, whatTheProgramThrowsForWantOfMemoryIsItsOwn) { expectThrownCallsCount<OutOfMemory>(); }

TEST(PreloadTable, earlyCallsThatEndByAnExceptionOnOneRankCountThere) {
  const ScopedVariable prepare("STARLING_PREPARE", "always");  // however short the calls are
  EXPECT_EQ(starling_init(), STARLING_SUCCESS);  // other communicators than the world have early calls from then on
  expectThrownCallsCount<std::runtime_error>();
}

TEST(PreloadTable, countsDuringACall) {
  int depth = 3;
  table().count_during(
      depth, [](const void* context) { EXPECT_EQ(*static_cast<const int*>(context), 4); }, &depth);
  EXPECT_EQ(depth, 3);
}

TEST(PreloadTable, countsNoLongerThanACallThatThrows) {
  int depth = 0;
  EXPECT_THROW(table().count_during(
                   depth, [](const void*) { throw std::runtime_error("thrown by the program"); }, nullptr),
               std::runtime_error);
  EXPECT_EQ(depth, 0);
}

}  // namespace
}  // namespace starling
