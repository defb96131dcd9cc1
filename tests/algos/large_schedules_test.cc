// With 10,240 ranks every schedule that may be planned stays within the memory that there is for it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algos/schedule_bytes.h"
#include "counting_memory.h"
#include "schedule/prepared_schedule.h"
#include "simulator/simulated_choice.h"
#include "variations.h"

namespace starling {
namespace {

constexpr std::int32_t kRanks = 10'240;
constexpr std::int64_t kCounts[] = {1, kRanks - 1, kRanks + 1, 1 << 20, 1 << 22, std::int64_t{1} << 28};
constexpr Bytes kFloat{4};
constexpr CostModel kModel{.alpha = {4e-6}, .beta = 8e-9};

std::vector<const Algorithm*> rowsOfLargeCalls() {
  std::vector<const Algorithm*> rows = rowsWithBuilders();
  std::erase_if(rows, [](const Algorithm* row) { return !isValid(*row, {.ranks = kRanks, .count = 1 << 20}); });
  return rows;
}

class LargeSchedules : public testing::TestWithParam<const Algorithm*> {
 protected:
  LargeSchedules() {
    for (std::int32_t rank = 0; rank < kRanks; ++rank) topology_.nodes.push_back(rank / 8);
  }

  Shape shapeOf(std::int64_t count) const { return {.ranks = kRanks, .count = count, .topology = &topology_}; }

  // As the tuner sets them.
  std::vector<Choice> choicesFor(const Shape& shape) const {
    std::vector<Choice> choices = segmentedChoices(*GetParam());
    for (Choice& choice : choices) {
      setStepTime(choice, shape, kFloat, kModel);
      setBestSegments(choice, shape, kFloat, kModel);
    }
    return choices;
  }

  // On time, one late rank, many late ranks that come one after another.
  std::vector<std::vector<std::int64_t>> patterns() const {
    std::vector<std::vector<std::int64_t>> patterns{{}};
    if (!GetParam()->uses_arrivals) return patterns;
    patterns.emplace_back(kRanks, 0).back() = 100'000'000;
    std::vector<std::int64_t>& rising = patterns.emplace_back();
    for (std::int64_t rank = 0; rank < kRanks; ++rank) rising.push_back(10'000 * rank);
    return patterns;
  }

  // The most that the rank has at once to build, prepare and run its schedule.
  std::int64_t takenBy(std::int32_t rank, const Shape& shape, const Choice& choice,
                       std::span<const std::int64_t> lateness_ns) const {
    Counting memory;
    const PreparedSchedule prepared(buildSchedule(*GetParam(), {.shape = shape,
                                                                .virtual_rank = rank,
                                                                .parameters = choice.parameters,
                                                                .lateness_ns = lateness_ns,
                                                                .memory = &memory}));
    EXPECT_LE(prepared.bytes(), memory.in_use);
    return memory.peak + prepared.runBytes();
  }

  Topology topology_;
};

INSTANTIATE_TEST_SUITE_P(Catalogue, LargeSchedules, testing::ValuesIn(rowsOfLargeCalls()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST_P(LargeSchedules, takeNoMoreThanMayBePlanned) {
  const auto all_patterns = patterns();
  for (const std::int64_t count : kCounts) {
    const Shape shape = shapeOf(count);
    for (const Choice& choice : choicesFor(shape)) {
      const std::int64_t bound = scheduleBytes(*GetParam(), shape, choice.parameters);
      EXPECT_LE(bound, kMostScheduleBytes) << formatChoice(choice) << ", " << count << " elements";
      for (const std::vector<std::int64_t>& pattern : all_patterns) {
        for (const std::int32_t rank : {0, kRanks / 2, kRanks - 1}) {
          EXPECT_LE(takenBy(rank, shape, choice, pattern), bound)
              << formatChoice(choice) << ", " << count << " elements, rank " << rank;
        }
      }
    }
  }
}

// What is refused has schedules that are too long whatever their parameters, or trees that would take too long to find.
TEST(LargeSchedulesOfTheCatalogue, areThereForMostRows) {
  EXPECT_EQ(rowsOfLargeCalls().size() + 5, rowsWithBuilders().size());
  for (const char* name : {"ring_segmented", "direct", "topology_tree", "node", "node_read"}) {
    EXPECT_FALSE(isValid(*findAlgorithm(name), {.ranks = kRanks, .count = 1 << 20})) << name;
  }
}

}  // namespace
}  // namespace starling
