#include "algos/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schedules.h"
#include "variations.h"

namespace starling {
namespace {

using testing::IsEmpty;
using testing::MatchesRegex;

TEST(Catalogue, idsAscendNamesAreUniqueAndNativeIsFirst) {
  std::set<std::string> names;
  std::int32_t last = -1;
  for (const Algorithm& algorithm : catalogue()) {
    EXPECT_GT(algorithm.id, last);
    last = algorithm.id;
    EXPECT_TRUE(names.insert(algorithm.name).second) << algorithm.name;
    EXPECT_EQ(algorithm.build == nullptr, algorithm.id == kNativeAlgorithm) << algorithm.name;
    EXPECT_EQ(algorithm.max_steps == nullptr, algorithm.build == nullptr) << algorithm.name;
  }
  EXPECT_STREQ(catalogue().front().name, "native");
}

// Ids are stored in databases and policies: a change of this table breaks them. What is newer need not be in it.
TEST(Catalogue, idsAreStable) {
  const std::vector<std::string> names{
      "native",      "recursive_doubling", "rabenseifner", "ring",   "ring_segmented", "slt",
      "prr",         "reduce_bcast",       "late_join",    "direct", "static_optimal", "local_redirect",
      "binary_tree", "two_level",          "topology_tree"};
  for (std::size_t id = 0; id < names.size(); ++id) {
    ASSERT_NE(findAlgorithm(names[id]), nullptr) << names[id];
    EXPECT_EQ(findAlgorithm(names[id])->id, static_cast<std::int32_t>(id));
    EXPECT_EQ(findAlgorithm(static_cast<std::int32_t>(id))->name, names[id]);
  }
}

TEST(Catalogue, everyRowIsDescribedAndItsDefaultsAreInRange) {
  for (const Algorithm& algorithm : catalogue()) {
    EXPECT_THAT(algorithm.name, MatchesRegex("[a-z][a-z0-9_]*"));
    for (const char* text :
         {algorithm.what, algorithm.trade_off, algorithm.valid_text, algorithm.cost, algorithm.source}) {
      EXPECT_STRNE(text, "") << algorithm.name;
    }
    ASSERT_LE(algorithm.parameters.size(), static_cast<std::size_t>(kMaxParameters));
    for (const Parameter& parameter : algorithm.parameters) {
      EXPECT_THAT(parameter.name, MatchesRegex("[a-z][a-z0-9_]*"));
      EXPECT_LE(parameter.minimum, parameter.fallback) << algorithm.name << ":" << parameter.name;
      EXPECT_GE(parameter.maximum, parameter.fallback) << algorithm.name << ":" << parameter.name;
      EXPECT_STRNE(parameter.help, "");
    }
  }
}

TEST(Catalogue, everyRowBoundsItsStepsForNoElements) {
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.build == nullptr) continue;
    EXPECT_GE(algorithm.max_steps({.ranks = 5, .count = 0}, defaultParameters(algorithm)), 0) << algorithm.name;
  }
}

TEST(Catalogue, everyRowHasACounterpartOfOpenMpi) {
  const std::set<std::string> known{"ignore", "basic_linear",   "nonoverlapping", "recursive_doubling",
                                    "ring",   "segmented_ring", "rabenseifner"};
  for (const Algorithm& algorithm : catalogue())
    EXPECT_TRUE(known.contains(algorithm.openmpi_nearest)) << algorithm.name;
}

TEST(Catalogue, unknownNamesAndIdsAreNotFound) {
  EXPECT_EQ(findAlgorithm("Ring"), nullptr);
  EXPECT_EQ(findAlgorithm(-1), nullptr);
  EXPECT_EQ(findAlgorithm(1000), nullptr);
}

TEST(Catalogue, onlyRowsThatKeepRankOrderAreValidForNonCommutativeOperations) {
  for (const Algorithm& algorithm : catalogue()) {
    EXPECT_TRUE(isValid(algorithm, {.ranks = 5, .count = 3, .commutative = true})) << algorithm.name;
    EXPECT_EQ(isValid(algorithm, {.ranks = 5, .count = 3, .commutative = false}), algorithm.keeps_rank_order);
  }
}

TEST(Catalogue, scheduleHasNoStepsForOneRankOrNoElements) {
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.build == nullptr) continue;
    for (const Shape& shape : {Shape{.ranks = 1, .count = 10}, Shape{.ranks = 4, .count = 0}}) {
      const Schedule schedule =
          buildSchedule(algorithm, {.shape = shape, .parameters = defaultParameters(algorithm), .lateness_ns = {}});
      EXPECT_THAT(schedule.steps, IsEmpty()) << algorithm.name;
      EXPECT_EQ(schedule.ranks, shape.ranks);
      EXPECT_EQ(schedule.count, shape.count);
    }
  }
}

TEST(Catalogue, windowOfTheChoiceIsInTheSchedule) {
  for (const char* choice : {"ring:window=7", "slt:segments=3,window=7", "prr:window=7"}) {
    for (const std::int32_t ranks : {1, 4}) EXPECT_EQ(schedulesOf(choice, ranks, 10).front().window, 7) << choice;
  }
}

TEST(Catalogue, rowsKeepInStepWhoseSchedulesHaveLanesThatDo) {
  for (const Algorithm* algorithm : rowsWithBuilders()) {
    for (const Choice& choice : variationsOf(*algorithm, 8, Vary::kSteps)) {
      bool keeps_in_step = false;
      for (const std::int64_t late : {0, 1'000'000}) {
        const std::vector<std::int64_t> lateness{0, 0, 0, 0, 0, 0, 0, late};
        for (const Schedule& schedule : schedulesOf(formatChoice(choice), 8, 1000, lateness)) {
          keeps_in_step = keeps_in_step || std::ranges::count(schedule.synchronous, true) > 0;
        }
      }
      EXPECT_EQ(keepsInStep(choice), keeps_in_step) << formatChoice(choice);
    }
  }
}

TEST(Catalogue, stepsOfOneRankStayLinearWhenSegmentsExceedElements) {
  EXPECT_LE(schedulesOf("slt:segments=65536", 4, 10).front().steps.size(), 40U);
  EXPECT_LE(schedulesOf("ring_segmented:segments=1024", 4, 10).front().tag_span, 2 * 4 * 3);
}

}  // namespace
}  // namespace starling
