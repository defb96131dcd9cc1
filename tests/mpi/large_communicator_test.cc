// What one rank of 10,240 has in memory for its communicator, beside what grows with the keys.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "algos/flagged.h"
#include "mpi/exchange/arrival_flags.h"
#include "mpi/execution/plan_schedules.h"

namespace {

// glibc tells for each piece of memory how much it is good for.
std::size_t in_use = 0;
std::size_t most_in_use = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  in_use += malloc_usable_size(memory);
  most_in_use = std::max(most_in_use, in_use);
  return memory;
}
void operator delete(void* memory) noexcept {
  in_use -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace starling {
namespace {

constexpr std::int32_t kRanks = 10'240;

TEST(LargeCommunicator, takesLittleBesideItsSchedules) {
  const std::size_t before = in_use;
  Topology topology;
  for (std::int32_t rank = 0; rank < kRanks; ++rank) topology.nodes.push_back(rank / 8);
  ArrivalFlags flags(MPI_COMM_NULL, 0, kRanks, 0);
  FlaggedArrangement flagged;
  flagged.reserve(kRanks);
  EXPECT_LE(in_use - before, 512'000U);
}

TEST(LargeCommunicator, keepsNoMoreSchedulesThanThereIsMemoryFor) {
  const std::size_t before = in_use;
  most_in_use = in_use;
  PlanSchedules schedules;
  const std::vector<std::int64_t> lateness_ns(kRanks, 1000);
  for (std::int64_t count = 1; count <= 1 << 20; count *= 2) {
    for (const char* text : {"recursive_doubling", "ring", "slt", "prr", "static_optimal", "late_join"}) {
      PlanSchedules::Query query;
      query.choice = parseChoice(text).value();
      query.shape = {.ranks = kRanks, .count = count};
      query.lateness_ns = lateness_ns;
      query.bytes = scheduleBytes(*findAlgorithm(query.choice.algorithm), query.shape, query.choice.parameters);
      schedules.find(query, kRanks / 2);
    }
  }
  EXPECT_LE(most_in_use - before, static_cast<std::size_t>(kMostScheduleBytes));
}

}  // namespace
}  // namespace starling
