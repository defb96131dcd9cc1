// Every row of the catalogue, over ranks, counts, parameters and arrival patterns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "algos/catalogue.h"
#include "schedule/verifier.h"
#include "schedules.h"
#include "simulator/simulated_choice.h"
#include "variations.h"

namespace starling {
namespace {

constexpr unsigned kSeed = 2024;
std::vector<const Algorithm*> rowsThatKeepRankOrder() {
  std::vector<const Algorithm*> rows = rowsWithBuilders();
  std::erase_if(rows, [](const Algorithm* row) { return !row->keeps_rank_order; });
  return rows;
}

class BuildersTest : public testing::TestWithParam<const Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, BuildersTest, testing::ValuesIn(rowsWithBuilders()),
                         [](const auto& row) { return std::string(row.param->name); });

// Every kSlices-th number of ranks, so that one case stays short where the build is slow.
constexpr std::int32_t kSlices = 8;
class BuildersProof : public testing::TestWithParam<std::tuple<const Algorithm*, std::int32_t>> {};

INSTANTIATE_TEST_SUITE_P(
    Catalogue, BuildersProof, testing::Combine(testing::ValuesIn(rowsWithBuilders()), testing::Range(0, kSlices)),
    [](const auto& row) {
      return std::string(std::get<0>(row.param)->name).append("_").append(std::to_string(std::get<1>(row.param)));
    });

// Tells schedules apart by all that the verifier reads of them: of a million sets, two that differ have the same number
// with a probability of one in 30 million.
std::uint64_t fingerprintOf(std::span<const Schedule> schedules) {
  std::uint64_t hash = 0;
  const auto mix = [&hash](auto value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  for (const Schedule& schedule : schedules) {
    for (const std::int64_t size :
         {schedule.count, std::int64_t{schedule.tag_span}, std::int64_t{schedule.window}, std::int64_t{schedule.pacing},
          std::int64_t{schedule.side_slots}, schedule.side_extent.offset, schedule.side_extent.count}) {
      mix(size);
    }
    for (const Step& step : schedule.steps) {
      mix((static_cast<int>(step.kind) * 2 + static_cast<int>(step.order)) * kMaxLanes + step.lane);
      for (const std::int32_t number : {step.peer, step.tag, step.slot, step.source_slot}) mix(number);
      mix(step.block.offset);
      mix(step.block.count);
      for (const std::uint32_t dependency : schedule.dependenciesOf(step)) mix(dependency);
      mix(step.dependency_count);
    }
    mix(schedule.steps.size());
  }
  return hash;
}

// Parameters, patterns and topologies that make no difference to a row give the same schedules: these are proved once.
// `proved` has those of the row so far.
void expectAllreduce(const Choice& choice, const Shape& shape, std::span<const std::int64_t> pattern,
                     std::set<std::uint64_t>& proved) {
  SCOPED_TRACE(testing::Message() << formatChoice(choice) << ", " << shape.ranks << " ranks, " << shape.count
                                  << " elements");
  const Algorithm& algorithm = *findAlgorithm(choice.algorithm);
  const std::vector<Schedule> schedules = buildAll(choice, shape, pattern);
  if (proved.insert(fingerprintOf(schedules)).second) {
    const Status status = verify(schedules, {.keeps_rank_order = algorithm.keeps_rank_order});
    ASSERT_TRUE(status.isOk()) << status.message();
  }
  const std::int64_t scratch = scratchElements(algorithm, shape);
  for (const Schedule& schedule : schedules) {
    const std::int64_t needed = schedule.side_slots * schedule.side_extent.count + largestReduction(schedule);
    ASSERT_LE(needed, scratch);
  }
}

// Of more ranks, where a proof takes long, each number has a third of what is varied, and the next one of the same
// slice another third.
constexpr std::int32_t kAllVaried = 32;

TEST_P(BuildersProof, isAnAllreduceForEveryShapeParameterAndPattern) {
  const auto& [row, slice] = GetParam();
  const Algorithm& algorithm = *row;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  std::set<std::uint64_t> proved;
  for (std::int32_t ranks = 1 + slice; ranks <= kProvedRanks; ranks += kSlices) {
    const std::vector<Topology> topologies = topologiesFor(algorithm, ranks, random);
    std::int32_t variation = ranks / kSlices;
    for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kSteps)) {
      for (const std::int64_t count : countsFor(ranks)) {
        for (const std::vector<std::int64_t>& pattern : patternsFor(algorithm, ranks, random)) {
          for (const Topology& topology : topologies) {
            if (ranks > kAllVaried && ++variation % 3 != 0) continue;
            expectAllreduce(choice, {.ranks = ranks, .count = count, .topology = &topology}, pattern, proved);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// Ranks of a program build their own schedules, each alone; what is proved of all, and simulated, shares BuildNotes.
TEST_P(BuildersTest, scheduleIsTheSameBuiltAloneAndWithTheOthers) {
  const Algorithm& algorithm = *GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (const std::int32_t ranks : {2, 3, 5, 8, 16, 27}) {
    for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kSteps)) {
      for (const std::vector<std::int64_t>& pattern : patternsFor(algorithm, ranks, random)) {
        for (const Topology& topology : topologiesFor(algorithm, ranks, random)) {
          const Shape shape{.ranks = ranks, .count = 101, .topology = &topology};
          const std::vector<Schedule> together = buildAll(choice, shape, pattern);
          for (std::int32_t rank = 0; rank < ranks; ++rank) {
            const Schedule alone = buildSchedule(algorithm, {.shape = shape,
                                                             .virtual_rank = rank,
                                                             .parameters = choice.parameters,
                                                             .lateness_ns = pattern,
                                                             .memory = std::pmr::get_default_resource(),
                                                             .notes = nullptr});
            ASSERT_EQ(fingerprintOf({&alone, 1}), fingerprintOf({&together[rank], 1}))
                << formatChoice(choice) << ", rank " << rank << " of " << ranks;
          }
        }
      }
    }
  }
}

TEST_P(BuildersTest, nobodyExitsBeforeTheLastArrivalOnAnyWindowAndPort) {
  const Algorithm& algorithm = *GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (const std::int32_t ranks : {2, 3, 5, 8, 13, 24}) {
    for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kAll)) {
      const std::vector<std::int64_t> lateness = randomLateness(ranks, kLongestLateness, random);
      const std::vector<Seconds> arrivals = arrivalsOf(lateness);
      const std::vector<Schedule> schedules = buildAll(choice, {.ranks = ranks, .count = 100}, lateness);
      for (const std::int32_t ports : {1, 2}) {
        const auto call = simulate(schedules, {8}, {.gamma = 1e-9, .ports = ports}, arrivals);
        ASSERT_TRUE(call.isOk()) << formatChoice(choice) << ", " << ranks << " ranks: " << call.status().message();
        const Seconds last_arrival = *std::max_element(arrivals.begin(), arrivals.end());
        const std::vector<Seconds>& exits = call.value().exits;
        EXPECT_GE(*std::min_element(exits.begin(), exits.end()), last_arrival - Seconds{1e-9}) << formatChoice(choice);
      }
    }
  }
}

TEST_P(BuildersTest, sumsIntegersRightAndDoublesToTheSameBitsOnEveryRank) {
  const Algorithm& algorithm = *GetParam();
  std::mt19937 random(kSeed);
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const std::int64_t count : countsFor(ranks)) {
      for (const std::vector<std::int64_t>& pattern : patternsFor(algorithm, ranks, random)) {
        std::vector<std::vector<std::int64_t>> integers(ranks);
        std::vector<std::vector<double>> doubles(ranks);
        std::vector<std::int64_t> sums(count, 0);
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
          for (std::int64_t i = 0; i < count; ++i) {
            integers[rank].push_back(1000 * (rank + 1) + i);
            doubles[rank].push_back(1.0 / static_cast<double>(integers[rank].back()));
            sums[i] += integers[rank].back();
          }
        }
        for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kAll)) {
          SCOPED_TRACE(testing::Message() << formatChoice(choice) << ", " << ranks << " ranks, " << count);
          const std::vector<Schedule> schedules = buildAll(choice, {.ranks = ranks, .count = count}, pattern);
          const auto results = interpret<std::int64_t>(schedules, integers, std::plus<>());
          EXPECT_THAT(results, testing::Each(sums));
          const auto rounded = interpret<double>(schedules, doubles, std::plus<>());
          EXPECT_THAT(rounded, testing::Each(rounded[0]));  // positive, so equal values are equal bits
        }
      }
    }
  }
}

class OrderedBuildersTest : public testing::TestWithParam<const Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, OrderedBuildersTest, testing::ValuesIn(rowsThatKeepRankOrder()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST_P(OrderedBuildersTest, concatenatesInRankOrder) {
  const Algorithm& algorithm = *GetParam();
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (const Choice& choice : variationsOf(algorithm, ranks, Vary::kAll)) {
      std::vector<std::vector<std::string>> letters;
      std::string whole;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        letters.emplace_back(ranks + 1, std::string(1, static_cast<char>('a' + rank)));
        whole += letters.back().front();
      }
      const auto schedules = buildAll(choice, {.ranks = ranks, .count = ranks + 1, .commutative = false}, {});
      const auto results = interpret<std::string>(schedules, letters, std::plus<>());
      EXPECT_THAT(results, testing::Each(testing::Each(whole))) << formatChoice(choice) << ", " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace starling
