#include "mpi/execution/plan_schedules.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <vector>

#include "base/reserve.h"

namespace starling {
namespace {

constexpr std::int32_t kRanks = 4;
const std::vector<std::int32_t> kFirstLast{1, 2, 3, 0};
const std::vector<std::int32_t> kMiddleSwapped{1, 3, 2, 0};

PlanSchedules::Query queryOf(const char* choice, std::int64_t count = 100) {
  PlanSchedules::Query query;
  query.choice = parseChoice(choice).value();
  query.shape = {kRanks, count, true};
  return query;
}

TEST(PlanSchedules, findsWhatItBuilt) {
  PlanSchedules cache;
  const PreparedSchedule* built = &cache.find(queryOf("slt"), 0);
  EXPECT_EQ(built->schedule().count, 100);
  EXPECT_EQ(&cache.find(queryOf("slt"), 0), built);
}

TEST(PlanSchedules, tellsCountsChoicesAndOrdersOfOperandsApart) {
  PlanSchedules cache;
  EXPECT_EQ(cache.find(queryOf("ring"), 0).schedule().count, 100);
  EXPECT_EQ(cache.find(queryOf("ring", 101), 0).schedule().count, 101);
  const std::size_t steps = cache.find(queryOf("slt"), 0).schedule().steps.size();
  EXPECT_LT(steps, cache.find(queryOf("slt:segments=9"), 0).schedule().steps.size());
  PlanSchedules::Query ordered = queryOf("slt");
  ordered.shape.commutative = false;
  const PreparedSchedule* built = &cache.find(ordered, 0);
  EXPECT_EQ(&cache.find(ordered, 0), built);
}

// Nothing is left in it once the cache is cleared, and nothing can be had when it is full.
TEST(PlanSchedules, takesItsMemoryFromTheResource) {
  alignas(std::max_align_t) std::array<std::byte, 100'000> storage;
  std::pmr::monotonic_buffer_resource full(storage.data(), storage.size(), std::pmr::null_memory_resource());
  Reserve memory(&full);
  ASSERT_TRUE(memory.grow(50'000));
  const std::size_t free = memory.free();
  static_cast<void>(full.allocate(storage.size() - 50'000 - 1000));
  PlanSchedules cache(&memory);
  for (const char* choice : {"slt", "two_level", "topology_tree", "direct"}) {
    EXPECT_FALSE(cache.find(queryOf(choice), 0).schedule().steps.empty()) << choice;
  }
  EXPECT_LT(memory.free(), free);
  EXPECT_THROW(cache.find(queryOf("slt:segments=1000", 10'000), 0), std::bad_alloc);
  EXPECT_FALSE(cache.find(queryOf("slt"), 0).schedule().steps.empty());
  cache.clear();
  EXPECT_EQ(memory.free(), free);
}

TEST(PlanSchedules, followsTheTable) {
  PlanSchedules cache;
  PlanSchedules::Query query = queryOf("slt");
  EXPECT_EQ(cache.find(query, 0).schedule().virtual_rank, 0);
  query.table = kFirstLast;
  EXPECT_EQ(cache.find(query, 0).schedule().virtual_rank, 3);
  query.table = {};
  EXPECT_EQ(cache.find(query, 0).schedule().virtual_rank, 0);
}

TEST(PlanSchedules, buildsNothingForATableThatMovesOtherRanks) {
  PlanSchedules cache;
  PlanSchedules::Query query = queryOf("slt");
  query.table = kFirstLast;
  const PreparedSchedule* built = &cache.find(query, 0);
  query.table = kMiddleSwapped;
  EXPECT_EQ(&cache.find(query, 0), built);
}

TEST(PlanSchedules, followsLatenessesWhereTheAlgorithmUsesThem) {
  const std::vector<std::int64_t> on_time(kRanks, 0);
  const std::vector<std::int64_t> last_late{0, 0, 0, 1'000'000};
  PlanSchedules cache;
  PlanSchedules::Query prr = queryOf("prr:tau_ns=1000");
  prr.lateness_ns = on_time;
  const std::size_t steps = cache.find(prr, 0).schedule().steps.size();
  prr.lateness_ns = last_late;
  const PreparedSchedule* built = &cache.find(prr, 0);
  EXPECT_NE(built->schedule().steps.size(), steps) << "pre-steps";
  const std::vector<std::int64_t> equal = last_late;
  prr.lateness_ns = equal;
  EXPECT_EQ(&cache.find(prr, 0), built);
  PlanSchedules::Query ring = queryOf("ring");
  ring.lateness_ns = on_time;
  built = &cache.find(ring, 0);
  ring.lateness_ns = last_late;
  EXPECT_EQ(&cache.find(ring, 0), built);
}

TEST(PlanSchedules, followsTheTableOfAllRanksWhereTheAlgorithmUsesTheTopology) {
  const Topology pairs{.nodes = {0, 0, 1, 1}};
  PlanSchedules cache;
  PlanSchedules::Query query = queryOf("two_level");
  query.shape.topology = &pairs;
  const auto first_peer = [&] { return cache.find(query, 0).schedule().steps.front().peer; };
  EXPECT_EQ(first_peer(), 1) << "of the same node";
  const std::vector<std::int32_t> others_swapped{0, 2, 1, 3};
  query.table = others_swapped;
  EXPECT_EQ(first_peer(), 2) << "where rank 1 is now";
  const PreparedSchedule* built = &cache.find(query, 0);
  EXPECT_EQ(&cache.find(query, 0), built);
}

TEST(PlanSchedules, staysRightWhenThereAreMoreThanItKeeps) {
  PlanSchedules cache;
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t count = 1; count <= 100; ++count) {
      EXPECT_EQ(cache.find(queryOf("ring", count), 1).schedule().count, count);
      EXPECT_EQ(cache.find(queryOf("slt", 7), 1).schedule().count, 7);
    }
  }
}

}  // namespace
}  // namespace starling
