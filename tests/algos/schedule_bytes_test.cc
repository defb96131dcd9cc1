// The memory that a call needs is known beforehand, and is enough when there is no more.
#include "algos/schedule_bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <optional>

#include "base/reserve.h"
#include "counting_memory.h"
#include "schedule/prepared_schedule.h"
#include "variations.h"

namespace starling {
namespace {

constexpr unsigned kSeed = 11;

std::string described(const Choice& choice, const Shape& shape) {
  return formatChoice(choice) + ", " + std::to_string(shape.ranks) + " ranks, " + std::to_string(shape.count);
}

// All of few, else the first, the last and some between.
std::set<std::int32_t> someRanks(std::int32_t ranks) {
  std::set<std::int32_t> some;
  const std::int32_t step = std::max(1, ranks / (ranks < 100 ? 8 : 2));
  for (std::int32_t rank = 0; rank < ranks; rank += step) some.insert(rank);
  some.insert({ranks - 1, std::max(ranks - 2, 0), std::min(1, ranks - 1)});
  return some;
}

class ScheduleBytes : public testing::TestWithParam<const Algorithm*> {
 protected:
  // The most that any rank takes at once to build and prepare its schedule; checks that it is within the bound.
  std::int64_t expectBounded(const Choice& choice, const Shape& shape, std::span<const std::int64_t> lateness_ns) {
    const Algorithm& algorithm = *GetParam();
    const std::int64_t bound = scheduleBytes(algorithm, shape, choice.parameters);
    const std::int64_t most_steps =
        shape.ranks > 1 && shape.count > 0 ? algorithm.max_steps(shape, choice.parameters) : 0;
    std::int64_t most = 0;
    for (const std::int32_t rank : someRanks(shape.ranks)) {
      Counting memory;
      const PreparedSchedule prepared(buildSchedule(algorithm, {.shape = shape,
                                                                .virtual_rank = rank,
                                                                .parameters = choice.parameters,
                                                                .lateness_ns = lateness_ns,
                                                                .memory = &memory}));
      const std::int64_t steps = std::ssize(prepared.schedule().steps);
      EXPECT_LE(steps, most_steps) << described(choice, shape) << ", rank " << rank;
      const std::int64_t taken = memory.peak + prepared.runBytes();
      EXPECT_LE(taken, bound) << described(choice, shape) << ", rank " << rank;
      most = std::max(most, taken);
    }
    return most;
  }
};

INSTANTIATE_TEST_SUITE_P(Catalogue, ScheduleBytes, testing::ValuesIn(rowsWithBuilders()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST_P(ScheduleBytes, boundWhatAnyRankTakes) {
  const Algorithm& algorithm = *GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (std::int32_t ranks = 1; ranks <= kProvedRanks; ranks += ranks < 20 ? 1 : 7) {
    const std::vector<Topology> topologies = topologiesFor(algorithm, ranks, random);
    for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kSteps)) {
      for (const std::int64_t count : {0, 1, ranks - 1, ranks + 1, 1000, 4096}) {
        for (const std::vector<std::int64_t>& pattern : patternsFor(algorithm, ranks, random)) {
          for (const Topology& topology : topologies) {
            expectBounded(choice, {.ranks = ranks, .count = count, .topology = &topology}, pattern);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
  for (Choice longest : segmentedChoices(algorithm)) {
    const auto segments = findParameter(algorithm, kSegmentsParameter);
    if (segments) longest.parameters[*segments] = algorithm.parameters[*segments].maximum;
    for (const std::int32_t ranks : {2, 5, 12}) expectBounded(longest, {.ranks = ranks, .count = 1 << 20}, {});
  }
}

// Beside those of all rows, latenesses under which one rank merges all partial results: whenever it is ready again the
// next one is just so, in either order of the ranks.
std::vector<std::vector<std::int64_t>> hardPatternsFor(const Algorithm& algorithm, std::int32_t ranks,
                                                       std::int64_t step_ns, std::mt19937& random) {
  std::vector<std::vector<std::int64_t>> patterns = patternsFor(algorithm, ranks, random);
  std::vector<std::int64_t> rising;
  for (std::int64_t rank = 0; rank < ranks; ++rank) rising.push_back(std::max<std::int64_t>(rank * step_ns - 1, 0));
  patterns.emplace_back(rising.rbegin(), rising.rend());
  patterns.push_back(std::move(rising));
  return patterns;
}

// Where memory matters the bound is no more than four times what some rank takes under some arrivals.
TEST_P(ScheduleBytes, boundLargeSchedulesWithinFourTimes) {
  const Algorithm& algorithm = *GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto segments = findParameter(algorithm, kSegmentsParameter);
  for (const std::int32_t ranks : {3, 48, 128, 1024}) {
    const Shape shape{.ranks = ranks, .count = 1 << 20};
    if (!isValid(algorithm, shape)) continue;
    for (Choice choice : segmentedChoices(algorithm)) {
      // A vector takes about half of the longest lateness.
      setStepTime(choice, shape, Bytes{8}, {.alpha = {1e-9}, .beta = 6e-11});
      const auto step = findParameter(algorithm, kVectorTimeParameter);
      const std::int64_t step_ns = step ? choice.parameters[*step] : kLongestLateness / 2;
      if (segments) choice.parameters[*segments] = std::min<std::int64_t>(64, algorithm.parameters[*segments].maximum);
      std::int64_t most = 0;
      for (const std::vector<std::int64_t>& pattern : hardPatternsFor(algorithm, ranks, step_ns, random)) {
        most = std::max(most, expectBounded(choice, shape, pattern));
      }
      // What is there for each row alike, and the search for trees that may be needed.
      constexpr std::int64_t kAlways = 300'000;
      EXPECT_LE(scheduleBytes(algorithm, shape, choice.parameters), 4 * most + kAlways) << described(choice, shape);
    }
  }
}

TEST_P(ScheduleBytes, areEnoughWhereverMemoryEnds) {
  const Algorithm& algorithm = *GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (const std::int32_t ranks : {2, 3, 4, 5, 7, 8}) {
    for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kSteps)) {
      for (const std::vector<std::int64_t>& pattern : patternsFor(algorithm, ranks, random)) {
        const Shape shape{.ranks = ranks, .count = 1000};
        const BuildRequest request{
            .shape = shape, .virtual_rank = ranks / 2, .parameters = choice.parameters, .lateness_ns = pattern};
        const Schedule expected = buildSchedule(algorithm, request);
        Counting upstream;
        bool has_failed = true;
        for (std::int64_t allocations = 0; has_failed; ++allocations) {
          upstream.allocations_left = std::numeric_limits<std::int64_t>::max();
          Reserve reserve(&upstream);
          ASSERT_TRUE(reserve.grow(static_cast<std::size_t>(scheduleBytes(algorithm, shape, choice.parameters))));
          upstream.allocations_left = allocations;
          BuildRequest short_of_memory = request;
          short_of_memory.memory = &reserve;
          std::optional<PreparedSchedule> prepared;
          ASSERT_NO_THROW(prepared.emplace(buildSchedule(algorithm, short_of_memory)))
              << described(choice, shape) << ", memory ends after " << allocations << " allocations";
          ASSERT_EQ(prepared->schedule().steps, expected.steps) << described(choice, shape);
          ASSERT_EQ(prepared->schedule().dependencies, expected.dependencies);
          ASSERT_EQ(prepared->schedule().tag_span, expected.tag_span);
          has_failed = reserve.wasUsed();
        }
      }
    }
  }
}

}  // namespace
}  // namespace starling
