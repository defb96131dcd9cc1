#include "mpi/schedule_cache.h"

#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

constexpr std::int32_t kRanks = 4;
const std::vector<std::int32_t> kFirstLast{1, 2, 3, 0};
const std::vector<std::int32_t> kMiddleSwapped{1, 3, 2, 0};

ScheduleCache::Query queryOf(const char* choice, std::int64_t count = 100) {
  ScheduleCache::Query query;
  query.choice = parseChoice(choice).value();
  query.shape = {kRanks, count, true};
  return query;
}

TEST(ScheduleCache, findsWhatItBuilt) {
  ScheduleCache cache;
  const PreparedSchedule* built = &cache.find(queryOf("slt"), 0);
  EXPECT_EQ(built->schedule().count, 100);
  EXPECT_EQ(&cache.find(queryOf("slt"), 0), built);
}

TEST(ScheduleCache, tellsCountsChoicesAndOrdersOfOperandsApart) {
  ScheduleCache cache;
  EXPECT_EQ(cache.find(queryOf("ring"), 0).schedule().count, 100);
  EXPECT_EQ(cache.find(queryOf("ring", 101), 0).schedule().count, 101);
  const std::size_t steps = cache.find(queryOf("slt"), 0).schedule().steps.size();
  EXPECT_LT(steps, cache.find(queryOf("slt:segments=9"), 0).schedule().steps.size());
  ScheduleCache::Query ordered = queryOf("slt");
  ordered.shape.commutative = false;
  const PreparedSchedule* built = &cache.find(ordered, 0);
  EXPECT_EQ(&cache.find(ordered, 0), built);
}

TEST(ScheduleCache, followsTheTable) {
  ScheduleCache cache;
  ScheduleCache::Query query = queryOf("slt");
  EXPECT_EQ(cache.find(query, 0).schedule().virtual_rank, 0);
  query.table = kFirstLast;
  EXPECT_EQ(cache.find(query, 0).schedule().virtual_rank, 3);
  query.table = {};
  EXPECT_EQ(cache.find(query, 0).schedule().virtual_rank, 0);
}

TEST(ScheduleCache, buildsNothingForATableThatMovesOtherRanks) {
  ScheduleCache cache;
  ScheduleCache::Query query = queryOf("slt");
  query.table = kFirstLast;
  const PreparedSchedule* built = &cache.find(query, 0);
  query.table = kMiddleSwapped;
  EXPECT_EQ(&cache.find(query, 0), built);
}

TEST(ScheduleCache, followsLatenessesWhereTheAlgorithmUsesThem) {
  const std::vector<std::int64_t> on_time(kRanks, 0);
  const std::vector<std::int64_t> last_late{0, 0, 0, 1'000'000};
  ScheduleCache cache;
  ScheduleCache::Query prr = queryOf("prr:tau_ns=1000");
  prr.lateness_ns = on_time;
  const std::size_t steps = cache.find(prr, 0).schedule().steps.size();
  prr.lateness_ns = last_late;
  const PreparedSchedule* built = &cache.find(prr, 0);
  EXPECT_NE(built->schedule().steps.size(), steps) << "pre-steps";
  const std::vector<std::int64_t> equal = last_late;
  prr.lateness_ns = equal;
  EXPECT_EQ(&cache.find(prr, 0), built);
  ScheduleCache::Query ring = queryOf("ring");
  ring.lateness_ns = on_time;
  built = &cache.find(ring, 0);
  ring.lateness_ns = last_late;
  EXPECT_EQ(&cache.find(ring, 0), built);
}

TEST(ScheduleCache, followsTheTableOfAllRanksWhereTheAlgorithmUsesTheTopology) {
  const Topology pairs{.nodes = {0, 0, 1, 1}};
  ScheduleCache cache;
  ScheduleCache::Query query = queryOf("two_level");
  query.shape.topology = &pairs;
  const auto first_peer = [&] { return cache.find(query, 0).schedule().steps.front().peer; };
  EXPECT_EQ(first_peer(), 1) << "of the same node";
  const std::vector<std::int32_t> others_swapped{0, 2, 1, 3};
  query.table = others_swapped;
  EXPECT_EQ(first_peer(), 2) << "where rank 1 is now";
  const PreparedSchedule* built = &cache.find(query, 0);
  EXPECT_EQ(&cache.find(query, 0), built);
}

TEST(ScheduleCache, staysRightWhenThereAreMoreThanItKeeps) {
  ScheduleCache cache;
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t count = 1; count <= 100; ++count) {
      EXPECT_EQ(cache.find(queryOf("ring", count), 1).schedule().count, count);
      EXPECT_EQ(cache.find(queryOf("slt", 7), 1).schedule().count, 7);
    }
  }
}

}  // namespace
}  // namespace starling
