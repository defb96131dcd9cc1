#include "prune_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kNow = 1'000'000;

RunRow runOf(std::int64_t number, const std::string& program, std::int64_t started, bool finished = true) {
  RunRow row;
  row.number = number;
  row.run.id = "id" + std::to_string(number);
  row.run.program = program;
  row.run.started = started;
  if (finished) row.finished = started + 10;
  return row;
}

const std::vector<RunRow> kRuns{runOf(1, "app", 100), runOf(2, "other", 200), runOf(3, "app", 300, false),
                                runOf(4, "app", kNow - 500), runOf(5, "app", kNow - 5)};

std::vector<std::int64_t> pruned(const PruneRule& rule) {
  std::vector<std::int64_t> numbers;
  for (const RunRow& run : runsToPrune(kRuns, rule, kNow)) numbers.push_back(run.number);
  return numbers;
}

TEST(RunsToPrune, noneWithoutARule) {
  EXPECT_THAT(pruned({}), IsEmpty());
  EXPECT_THAT(pruned({.unfinished = true, .policies = true}), IsEmpty());
}

TEST(RunsToPrune, thoseThatStartedLongerAgo) {
  EXPECT_THAT(pruned({.older_than = 499}), ElementsAre(1, 2, 4));
  EXPECT_THAT(pruned({.older_than = 500}), ElementsAre(1, 2));
  EXPECT_THAT(pruned({.older_than = 0}), ElementsAre(1, 2, 4, 5));
}

TEST(RunsToPrune, allButTheLatestOfEachProgram) {
  EXPECT_THAT(pruned({.keep_runs = 1}), ElementsAre(1, 4));
  EXPECT_THAT(pruned({.keep_runs = 0}), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(pruned({.keep_runs = 4}), IsEmpty());
}

TEST(RunsToPrune, onlyThoseThatBothLimitsLetGo) {
  EXPECT_THAT(pruned({.older_than = 499, .keep_runs = 1}), ElementsAre(1, 4));
  EXPECT_THAT(pruned({.older_than = 600, .keep_runs = 1}), ElementsAre(1));
}

TEST(RunsToPrune, oneThatMayBeRunningOnlyWhenAskedFor) {
  EXPECT_THAT(pruned({.older_than = 600, .unfinished = true}), ElementsAre(1, 2, 3));
}

TEST(RunsToPrune, allFinishedOnesWhereSitesAreMeant) {
  EXPECT_THAT(pruned({.sites = {"pressure"}}), ElementsAre(1, 2, 4, 5));
}

StoredPolicy policyOf(const std::string& site, std::optional<std::string> run_id) {
  StoredPolicy stored;
  stored.policy.site = site;
  stored.run_id = std::move(run_id);
  return stored;
}

TEST(IsToPrune, policiesStayUnlessAskedFor) {
  EXPECT_FALSE(isToPrune(policyOf("a", "id1"), {.keep_runs = 1}, kRuns, {}));
  EXPECT_TRUE(isToPrune(policyOf("a", "id1"), {.keep_runs = 1, .policies = true}, kRuns, {}));
  EXPECT_FALSE(isToPrune(policyOf("a", "id9"), {.keep_runs = 1, .policies = true}, kRuns, {}));
}

TEST(IsToPrune, policyOfNoRunGoesOnlyWithAllRuns) {
  const std::vector<std::string> sites{"a"};
  EXPECT_FALSE(isToPrune(policyOf("a", {}), {.keep_runs = 1, .policies = true}, kRuns, {}));
  EXPECT_FALSE(isToPrune(policyOf("a", {}), {.older_than = 60, .policies = true}, kRuns, {}));
  EXPECT_FALSE(isToPrune(policyOf("a", {}), {.older_than = 60, .keep_runs = 0, .policies = true}, kRuns, {}));
  EXPECT_FALSE(isToPrune(policyOf("a", {}), {.policies = true}, kRuns, {})) << "nothing goes without a rule";
  EXPECT_TRUE(isToPrune(policyOf("a", {}), {.keep_runs = 0, .policies = true}, {}, {}));
  EXPECT_TRUE(isToPrune(policyOf("a", {}), {.older_than = 0, .policies = true}, {}, {}));
  EXPECT_TRUE(isToPrune(policyOf("a", {}), {.sites = {"a"}, .policies = true}, kRuns, sites));
  EXPECT_FALSE(isToPrune(policyOf("b", {}), {.sites = {"a"}, .policies = true}, kRuns, sites));
  EXPECT_FALSE(isToPrune(policyOf("b", "id1"), {.sites = {"a"}, .policies = true}, kRuns, sites));
}

}  // namespace
}  // namespace starling::cli
