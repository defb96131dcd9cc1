// Communicators that come, go, overlap, and have two sides.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

TEST(Communicators, halvesAreTunedApart) {
  Watch watch("split by parity");
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() % 2, -worldRank(), &half);  // and in reverse order
  // As often as the half has ranks: the halves need not keep step.
  int ranks = 0;
  MPI_Comm_size(half, &ranks);
  expectSums(40 * ranks, 200, half);
  if (ranks > 1) {
    EXPECT_TRUE(isPlanned(infoOf(half, 0)));
  }
  MPI_Comm_free(&half);
}

TEST(Communicators, partsMayLeaveRanksOut) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() == 0 ? MPI_UNDEFINED : 0, 0, &part);
  if (part == MPI_COMM_NULL) return;
  expectSums(40, 200, part);
  MPI_Comm_free(&part);
}

TEST(Communicators, duplicateStartsAnew) {
  const ScopedDuplicate original(MPI_COMM_WORLD);
  expectSums(40, 300, original.get());
  const ScopedDuplicate copy(original.get());
  EXPECT_EQ(keyCount(copy.get()), 0);
  expectSums(40, 300, copy.get());
  EXPECT_EQ(keyCount(copy.get()), keyCount(original.get()));
}

TEST(Communicators, mayBeFreedAtAnyPointOfTheLearning) {
  Watch watch("free");
  for (int calls = 0; calls < 30; ++calls) {
    watch.phase("free after " + std::to_string(calls) + " calls");
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    expectSums(calls, 400, duplicate.get());
  }
}

TEST(Communicators, hundredsMayBeUsedOnce) {
  Watch watch("use once and free");
  for (int i = 0; i < 300; ++i) {
    const ScopedDuplicate duplicate(MPI_COMM_WORLD);
    expectSums(1, 10, duplicate.get());
  }
  watch.phase("use many at once");
  std::vector<MPI_Comm> many(200, MPI_COMM_NULL);
  for (MPI_Comm& communicator : many) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  for (MPI_Comm communicator : many) expectSums(1, 10, communicator);
  for (MPI_Comm communicator : many) EXPECT_EQ(keyCount(communicator), 0);
  for (auto communicator = many.rbegin(); communicator != many.rend(); ++communicator) MPI_Comm_free(&*communicator);
}

TEST(Communicators, mayOverlap) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() < worldSize() / 2 ? 0 : 1, worldRank(), &half);
  const ScopedDuplicate whole(MPI_COMM_WORLD);
  Watch watch("alternating calls");
  for (int call = 0; call < 80; ++call) {
    expectSums(1, 100, whole.get());
    expectSums(1 + call % 2, 100, half);
  }
  MPI_Comm_free(&half);
}

TEST(Communicators, intercommunicatorsPassThrough) {
  if (worldSize() == 1) GTEST_SKIP() << "there have to be two ranks";
  const ScopedTwoSides sides;
  std::int64_t expected = 0;  // the other side's sum
  for (int rank = sides.isEven() ? 1 : 0; rank < worldSize(); rank += 2) expected += rank + 1;
  for (int call = 0; call < 30; ++call) {
    const std::int64_t mine = worldRank() + 1;
    std::int64_t result = 0;
    EXPECT_EQ(tuned_allreduce(&mine, &result, 1, MPI_INT64_T, MPI_SUM, sides.get()), MPI_SUCCESS);
    EXPECT_EQ(result, expected);
  }
  EXPECT_EQ(keyCount(sides.get()), 0);
}

// MPI looks at the arguments and sends nothing, so that no other rank need take part.
TEST(Communicators, callsThatMpiRefusesOnOneRankDoNotCount) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  MPI_Datatype committed = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &committed);
  MPI_Type_commit(&committed);
  Watch watch("calls after refusals");
  const double values[2] = {1.0, 2.0};
  double results[2] = {};
  for (int round = 0; round < 20; ++round) {
    if (worldRank() == 0) {
      EXPECT_NE(tuned_allreduce(values, results, 1, MPI_DOUBLE, MPI_MAXLOC, duplicate.get()), MPI_SUCCESS);
      EXPECT_NE(tuned_allreduce(values, results, 1, committed, MPI_SUM, duplicate.get()), MPI_SUCCESS);
    }
    expectSums(5, 100, duplicate.get());
  }
  MPI_Type_free(&committed);
}

// All ranks call from here once; before that one rank makes a call that MPI refuses, unless it is not left to MPI.
void expectSumAfterRefusal(MPI_Comm communicator) {
  constexpr int kCount = 100;
  std::vector<std::int64_t> values(kCount, worldRank() + 1);
  int code = MPI_ERR_BUFFER;
  if (worldRank() == 1)
    code = tuned_allreduce(values.data(), values.data(), kCount, MPI_INT64_T, MPI_SUM, communicator);
  if (code != MPI_SUCCESS) {
    code = tuned_allreduce(MPI_IN_PLACE, values.data(), kCount, MPI_INT64_T, MPI_SUM, communicator);
  }
  EXPECT_EQ(code, MPI_SUCCESS);
  EXPECT_EQ(values, std::vector<std::int64_t>(kCount, worldSize() * (worldSize() + 1) / 2));
}

TEST(Communicators, callsThatMpiRefusesOnOneRankDoNotCountAmongThoseOfAPlan) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(duplicate.get(), MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // raises some of them, whatever the communicator
  Watch watch("calls whose buffers are the same on one rank");
  for (int call = 0; call < 100; ++call) expectSumAfterRefusal(duplicate.get());
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int g_copies = 0;
int countCopy(MPI_Comm, int, void*, void* value, void* copied, int* flag) {
  ++g_copies;
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

TEST(Communicators, theProgramsAttributesAreLeftAlone) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(countCopy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  MPI_Comm_set_attr(duplicate.get(), key, &g_copies);
  expectSums(40, 100, duplicate.get());
  EXPECT_EQ(g_copies, 0);
  MPI_Comm_delete_attr(duplicate.get(), key);
  MPI_Comm_free_keyval(&key);
}

// Nobody has to free a communicator: MPI_Finalize, which the harness watches, has to end these.
TEST(Communicators, mayBeLeftForFinalize) {
  const std::vector<int> calls_of_each{1, 5, 9, 40};
  std::vector<MPI_Comm> left(calls_of_each.size(), MPI_COMM_NULL);
  for (std::size_t i = 0; i < left.size(); ++i) {
    // On every rank another order of first use, as far as MPI allows: by the two halves.
    MPI_Comm_split(MPI_COMM_WORLD, (worldRank() + static_cast<int>(i)) % 2, worldRank(), &left[i]);
    expectSums(calls_of_each[i], 100, left[i]);
  }
  expectSums(10, 100, MPI_COMM_WORLD);
}

}  // namespace
}  // namespace starling
