// A heap that stops growing inside Starling's functions, at any of its allocations: calls still give the right sums on
// all ranks, and nobody waits for the rank that is short. The MPI library allocates in other ways; of these, only what
// it takes for an attribute is short, too.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace {

// Before each allocation.
struct alignas(std::max_align_t) Head {
  std::size_t bytes;
  bool is_counted;
};

constexpr long kNever = -1;

thread_local bool t_is_counted = false;  // allocations of this thread are; those of the database's writer are not
thread_local bool t_is_inside = false;   // one of Starling's functions
long g_allocations_left = kNever;        // inside; from then on the heap has what it has by then
std::atomic<std::size_t> g_heap = 0;     // counted bytes
std::size_t g_most = 0;
// Where a call takes so much only to see whether it is there, it stays there until the call ends: kProbeMemory of
// src/mpi/machine/probe.h, which this program, linked as users link, does not see.
constexpr std::size_t kLook = std::size_t{1} << 20;
bool g_has_looked = false;

bool isRefused(std::size_t bytes) {
  if (!t_is_inside || g_allocations_left == kNever) return false;
  if (g_allocations_left > 0 || g_has_looked) {
    if (g_allocations_left > 0) --g_allocations_left;
    g_most = g_heap;
    g_has_looked = g_has_looked || bytes == kLook;
    return false;
  }
  return g_heap + bytes > g_most;
}

void* allocate(std::size_t bytes) noexcept {
  if (isRefused(bytes)) return nullptr;
  void* const memory = std::malloc(sizeof(Head) + bytes);
  if (memory == nullptr) return nullptr;
  if (t_is_counted) g_heap += bytes;
  return new (memory) Head{bytes, t_is_counted} + 1;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  Head* const head = static_cast<Head*>(memory) - 1;
  // What the database's writer gives back comes at any time, and is no room for the calls that are short.
  if (head->is_counted && t_is_counted) g_heap -= head->bytes;
  std::free(head);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* const memory = allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

extern "C" int PMPI_Comm_set_attr(MPI_Comm communicator, int key, void* value) {
  constexpr std::size_t kAttribute = 200;
  if (isRefused(kAttribute)) {
    PMPI_Comm_call_errhandler(communicator, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
  static const auto next = reinterpret_cast<decltype(&PMPI_Comm_set_attr)>(dlsym(RTLD_NEXT, "PMPI_Comm_set_attr"));
  return next(communicator, key, value);
}

namespace starling {
namespace {

constexpr int kMostCount = 4096;

class HeapLimit : public testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() {
    t_is_counted = true;
    callWithoutAnyMemory();
    ASSERT_EQ(starling_init(), STARLING_SUCCESS);
    limitAtTheEnd();
  }

  // Some of Starling's work.
  template <typename Work>
  static auto inside(const Work& work) {
    t_is_inside = true;
    const auto result = work();
    t_is_inside = false;
    g_has_looked = false;
    return result;
  }

  // A program may be short on all ranks before it has called anything of Starling's.
  static void callWithoutAnyMemory() {
    const Watch watch("first calls without memory");
    g_most = g_heap;
    g_allocations_left = 0;
    int value = worldRank();
    int sum = -1;
    int keys = -1;
    EXPECT_EQ(inside([&] { return tuned_bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); }), MPI_SUCCESS);
    EXPECT_EQ(value, 0);
    value = 1;
    EXPECT_EQ(inside([&] { return tuned_reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); }), MPI_SUCCESS);
    EXPECT_EQ(sum, worldRank() == 0 ? worldSize() : -1);
    EXPECT_EQ(inside([&] { return starling_key_count(MPI_COMM_WORLD, &keys); }), STARLING_ERROR_MEMORY);
    lift();
  }

  // From here on `victim` is short from its allocation `number` on, counted from now.
  static void limit(int victim, long number) {
    g_most = g_heap;
    if (worldRank() == victim) g_allocations_left = number;
  }
  static void lift() { g_allocations_left = kNever; }

  // In MPI_Finalize every rank is short, from before Starling ends its work there: attributes end in the opposite
  // order, so the one that is set last comes first.
  static void limitAtTheEnd() {
    int key = MPI_KEYVAL_INVALID;
    const auto begin = [](MPI_Comm, int, void*, void*) {
      g_most = g_heap;
      g_allocations_left = 0;
      t_is_inside = true;
      return MPI_SUCCESS;
    };
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, begin, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  }

  // New counts in most calls, and several sites.
  void reduce(int calls, MPI_Comm communicator) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    for (int call = 0; call < calls; ++call) {
      const int count = 1 + (call % 3 == 0 ? call * 97 % kMostCount : 64 << call % 5);
      for (int i = 0; i < count; ++i) in_[i] = rank + i;
      const char* const label = kLabels[call % 4];
      const int code = inside(
          [&] { return tuned_allreduce_at(label, in_.data(), out_.data(), count, MPI_DOUBLE, MPI_SUM, communicator); });
      ASSERT_EQ(code, MPI_SUCCESS) << "call " << call;
      for (int i = 0; i < count; ++i) ASSERT_EQ(out_[i], ranks * (ranks - 1) / 2.0 + 1.0 * ranks * i);
    }
  }

  // With new roots, and calls of MPI_Allreduce between them.
  void takeTurns(int calls, MPI_Comm communicator) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    for (int call = 0; call < calls; ++call) {
      const int count = 64 << call % 5;
      const int root = call / 9 % ranks;
      for (int i = 0; i < count; ++i) in_[i] = call + i;
      if (call % 3 != 0) std::fill_n(out_.begin(), count, rank == root ? call : -1.0);
      const int code = inside([&] {
        if (call % 3 == 0) return tuned_reduce(in_.data(), out_.data(), count, MPI_DOUBLE, MPI_SUM, root, communicator);
        if (call % 3 == 1) return tuned_bcast(out_.data(), count, MPI_DOUBLE, root, communicator);
        return tuned_allreduce(in_.data(), out_.data(), count, MPI_DOUBLE, MPI_SUM, communicator);
      });
      ASSERT_EQ(code, MPI_SUCCESS) << "call " << call;
      if (call % 3 == 0 && rank != root) continue;
      for (int i = 0; i < count; ++i) ASSERT_EQ(out_[i], call % 3 == 1 ? call : 1.0 * ranks * (call + i)) << call;
    }
  }

  static void freeInside(MPI_Comm& communicator) {
    EXPECT_EQ(inside([&] { return MPI_Comm_free(&communicator); }), MPI_SUCCESS);
  }

  static MPI_Comm copyOfWorld() {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    return copy;
  }

 private:
  static constexpr const char* kLabels[] = {"first", "second", "third", "a label that needs memory of its own"};

  std::vector<double> in_ = std::vector<double>(kMostCount);
  std::vector<double> out_ = std::vector<double>(kMostCount);
};

// Rank 0 learns, the others do not.
INSTANTIATE_TEST_SUITE_P(AnyRank, HeapLimit, testing::Values(0, 1));

TEST_P(HeapLimit, atAnyAllocationOfNewCommunicatorFailsNoCall) {
  for (long number = 0; number < 3000; number += 1 + number / 16) {
    const Watch watch("allocation " + std::to_string(number));
    MPI_Comm copy = copyOfWorld();
    limit(GetParam(), number);
    reduce(48, copy);
    freeInside(copy);
    lift();
    if (HasFatalFailure()) FAIL() << "rank " << GetParam() << ", allocation " << number;
  }
}

TEST_P(HeapLimit, atAnyAllocationOfNewCommunicatorFailsNoRootedCall) {
  for (long number = 0; number < 1000; number += 1 + number / 8) {
    const Watch watch("allocation " + std::to_string(number));
    MPI_Comm copy = copyOfWorld();
    limit(GetParam(), number);
    takeTurns(60, copy);
    freeInside(copy);
    lift();
    if (HasFatalFailure()) FAIL() << "rank " << GetParam() << ", allocation " << number;
  }
}

// It may be short for one call, or from one call on.
TEST_P(HeapLimit, atOneCallFailsNoRootedCall) {
  for (const int first : {0, 1, 4, 7}) {
    const Watch watch("call " + std::to_string(first));
    MPI_Comm copy = copyOfWorld();
    takeTurns(first, copy);
    limit(GetParam(), 0);
    takeTurns(1, copy);
    lift();
    takeTurns(60, copy);
    freeInside(copy);
    if (HasFatalFailure()) FAIL() << "rank " << GetParam() << ", call " << first;
  }
}

// A program that ends, or is told, where MPI has an error of its own is not told of this one.
TEST_P(HeapLimit, atAnAttributeIsNoErrorOfTheProgram) {
  const Watch watch("calls without an attribute");
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  limit(GetParam(), 0);
  takeTurns(60, copy);
  lift();
  takeTurns(60, copy);
  freeInside(copy);
}

// Sites that are created later have the same number everywhere.
TEST_P(HeapLimit, atASiteKeepsTheNumbersOfOthersEqual) {
  const Watch watch("a site on a rank without memory");
  MPI_Comm copy = copyOfWorld();
  starling_site known = nullptr;
  starling_site first = nullptr;
  starling_site second = nullptr;
  ASSERT_EQ(starling_site_create(copy, "known", &known), STARLING_SUCCESS);
  limit(GetParam(), 0);
  const int code = inside([&] { return starling_site_create(copy, "first", &first); });
  lift();
  EXPECT_EQ(code, worldRank() == GetParam() ? STARLING_ERROR_MEMORY : STARLING_SUCCESS);
  ASSERT_EQ(starling_site_create(copy, "second", &second), STARLING_SUCCESS);
  for (int call = 0; call < 200; ++call) {
    double mine = worldRank();
    double sum = 0.0;
    ASSERT_EQ(tuned_allreduce_site(second, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM), MPI_SUCCESS);
    ASSERT_EQ(sum, worldSize() * (worldSize() - 1) / 2.0);
  }
  for (int key = 0; key < keyCount(copy); ++key) {
    EXPECT_TRUE(isEqualOnAllRanks(infoOf(copy, key).site, MPI_COMM_WORLD)) << "key " << key;
  }
  if (first != nullptr) starling_site_free(&first);
  starling_site_free(&second);
  starling_site_free(&known);
  freeInside(copy);
}

TEST_P(HeapLimit, whileCommunicatorsAreMadeAndKeptFailsNoCall) {
  for (const long number : {0L, 20L, 50L, 100L, 400L}) {
    const Watch watch("allocation " + std::to_string(number));
    std::vector<MPI_Comm> copies(6, MPI_COMM_NULL);
    for (MPI_Comm& copy : copies) copy = copyOfWorld();
    limit(GetParam(), number);
    for (MPI_Comm& copy : copies) reduce(24, copy);
    for (MPI_Comm& copy : copies) freeInside(copy);
    lift();
    if (HasFatalFailure()) FAIL() << "rank " << GetParam() << ", allocation " << number;
  }
}

TEST_P(HeapLimit, beforeACallThatIsLeftToMpiFailsNoCall) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op first = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &first);
  for (const long number : {0L, 2L, 5L}) {
    const Watch watch("allocation " + std::to_string(number));
    MPI_Comm copy = copyOfWorld();
    limit(GetParam(), number);
    int mine[2] = {1, 2};
    int results[2] = {};
    const int code = inside([&] { return tuned_allreduce(mine, results, 1, pair, first, copy); });
    EXPECT_EQ(code, MPI_SUCCESS);
    reduce(24, copy);
    freeInside(copy);
    lift();
    if (HasFatalFailure()) FAIL() << "rank " << GetParam() << ", allocation " << number;
  }
  MPI_Op_free(&first);
  MPI_Type_free(&pair);
}

// What is left for MPI_Finalize.
TEST_P(HeapLimit, atTheEndHangsNoRank) {
  reduce(64, MPI_COMM_WORLD);
  MPI_Comm last_ranks = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, worldRank() == 0 ? 1 : 0, 0, &last_ranks);
  reduce(64, last_ranks);
}

TEST_P(HeapLimit, ofTunedCommunicatorFailsNoCall) {
  for (long number = 0; number < 1000; number += 1 + number / 4) {
    const Watch watch("allocation " + std::to_string(number));
    MPI_Comm copy = copyOfWorld();
    reduce(64, copy);
    limit(GetParam(), number);
    reduce(64, copy);
    freeInside(copy);
    lift();
    if (HasFatalFailure()) FAIL() << "rank " << GetParam() << ", allocation " << number;
  }
}

}  // namespace
}  // namespace starling
