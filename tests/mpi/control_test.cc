// The calls of starling.h beside tuned_allreduce() itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "checked_call.h"
#include "harness.h"
#include "starling/starling.h"

namespace starling {
namespace {

TEST(Control, errorStringExplainsEveryCode) {
  std::set<std::string> sentences;
  for (const int code : std::initializer_list<int>{STARLING_SUCCESS, STARLING_ERROR_ARGUMENT, STARLING_ERROR_STATE,
                                                   STARLING_ERROR_DATABASE, 99}) {
    sentences.insert(starling_error_string(code));
  }
  EXPECT_EQ(sentences.size(), 5U);
  EXPECT_STREQ(starling_error_string(-1), starling_error_string(99));
}

TEST(Control, versionIsThreeNumbers) {
  EXPECT_THAT(starling_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Control, refusesNullArguments) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  starling_key_info info;
  starling_site site = nullptr;
  int number = 0;
  EXPECT_EQ(starling_key_count(duplicate.get(), nullptr), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_key_count(MPI_COMM_NULL, &number), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_query(duplicate.get(), 0, nullptr), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_query(MPI_COMM_NULL, 0, &info), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_query_table(duplicate.get(), 0, nullptr), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_query_table(MPI_COMM_NULL, 0, &number), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_site_create(duplicate.get(), nullptr, &site), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_site_create(duplicate.get(), "x", nullptr), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_site_create(MPI_COMM_NULL, "x", &site), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_site_free(nullptr), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_site_free(&site), STARLING_SUCCESS);  // as free(NULL)
  double value = 1.0;
  EXPECT_NE(tuned_allreduce_site(nullptr, MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM), MPI_SUCCESS);
}

TEST(Control, queryFindsNothingBeforeTheFirstCall) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  starling_key_info info;
  std::vector<int> table(static_cast<std::size_t>(worldSize()));
  EXPECT_EQ(keyCount(duplicate.get()), 0);
  EXPECT_EQ(starling_query(duplicate.get(), 0, &info), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_query_table(duplicate.get(), 0, table.data()), STARLING_ERROR_ARGUMENT);
}

TEST(Control, queryTellsOfKeysOnceTheyAreMet) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 40; ++call) {
    expectSums(1, 10, duplicate.get());
    expectSums(1, 1000, duplicate.get());
  }
  if (worldSize() == 1) {
    EXPECT_EQ(keyCount(duplicate.get()), 0);  // nothing to be tuned
    return;
  }
  ASSERT_EQ(keyCount(duplicate.get()), 2);
  std::set<long long> bytes;
  for (int key = 0; key < 2; ++key) {
    const starling_key_info info = infoOf(duplicate.get(), key);
    bytes.insert(info.bytes);
    EXPECT_EQ(info.site, 1) << "both sizes come from one line";
    EXPECT_TRUE(isPlanned(info));
    EXPECT_STRNE(info.algorithm, "");
    const std::string text = info.algorithm;
    EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(text.data(), text.size()), duplicate.get()));
  }
  EXPECT_THAT(bytes, testing::ElementsAre(80, 8000));
  starling_key_info info;
  EXPECT_EQ(starling_query(duplicate.get(), 2, &info), STARLING_ERROR_ARGUMENT);
  EXPECT_EQ(starling_query(duplicate.get(), -1, &info), STARLING_ERROR_ARGUMENT);
}

TEST(Control, tableIsAPermutationAndEqualOnAllRanks) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  expectSums(40, 500, duplicate.get());
  if (worldSize() == 1) return;
  std::vector<int> table(static_cast<std::size_t>(worldSize()), -1);
  ASSERT_EQ(starling_query_table(duplicate.get(), 0, table.data()), STARLING_SUCCESS);
  EXPECT_TRUE(isEqualOnAllRanks(hashOfBytes(table.data(), table.size() * sizeof(int)), duplicate.get()));
  std::vector<int> all(table.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THAT(table, testing::UnorderedElementsAreArray(all));
}

void expectSumAtSite(starling_site site) {
  const std::int64_t mine = worldRank() + 1;
  std::int64_t result = 0;
  EXPECT_EQ(tuned_allreduce_site(site, &mine, &result, 1, MPI_INT64_T, MPI_SUM), MPI_SUCCESS);
  EXPECT_EQ(result, worldSize() * (worldSize() + 1) / 2);
}

TEST(Control, siteHandlesAreTunedApart) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  starling_site first = nullptr;
  starling_site second = nullptr;
  ASSERT_EQ(starling_site_create(duplicate.get(), "first", &first), STARLING_SUCCESS);
  ASSERT_EQ(starling_site_create(duplicate.get(), "second", &second), STARLING_SUCCESS);
  for (int call = 0; call < 40; ++call) {
    expectSumAtSite(first);
    expectSumAtSite(second);
  }
  if (worldSize() > 1) {
    ASSERT_EQ(keyCount(duplicate.get()), 2);
    EXPECT_NE(infoOf(duplicate.get(), 0).site, infoOf(duplicate.get(), 1).site);
    for (int key = 0; key < 2; ++key) {
      EXPECT_TRUE(isPlanned(infoOf(duplicate.get(), key)));
    }
  }
  EXPECT_EQ(starling_site_free(&first), STARLING_SUCCESS);
  EXPECT_EQ(starling_site_free(&second), STARLING_SUCCESS);
  EXPECT_EQ(first, nullptr);
  EXPECT_EQ(second, nullptr);
}

void expectSumAtLabel(const char* label, MPI_Comm communicator) {
  const std::int64_t mine = worldRank() + 1;
  std::int64_t result = 0;
  EXPECT_EQ(tuned_allreduce_at(label, &mine, &result, 1, MPI_INT64_T, MPI_SUM, communicator), MPI_SUCCESS);
  EXPECT_EQ(result, worldSize() * (worldSize() + 1) / 2);
}

TEST(Control, labelsMayDifferBetweenRanks) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  const char* label = worldRank() % 2 == 0 ? "even" : "odd";
  for (int call = 0; call < 60; ++call) expectSumAtLabel(label, duplicate.get());
  if (worldSize() == 1) return;
  ASSERT_EQ(keyCount(duplicate.get()), 1);
  EXPECT_TRUE(isPlanned(infoOf(duplicate.get(), 0)));
}

TEST(Control, labelsMayChangeWithoutAnyOrder) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  const std::vector<std::string> labels{"a", "b", "c", "d"};
  unsigned state = static_cast<unsigned>(worldRank()) + 1;
  for (int call = 0; call < 200; ++call) {
    state = state * 1664525U + 1013904223U;
    expectSumAtLabel(labels[(state >> 16) % labels.size()].c_str(), duplicate.get());
  }
}

TEST(Control, labelNeedNotOutliveTheCall) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 60; ++call) {
    std::string label = call % 2 == 0 ? "ping" : "pong";
    expectSumAtLabel(label.c_str(), duplicate.get());
    label.assign(label.size(), '?');
  }
  if (worldSize() == 1) return;
  EXPECT_EQ(keyCount(duplicate.get()), 2);
}

TEST(Control, withoutLabelTheSiteIsTheCaller) {
  const ScopedDuplicate duplicate(MPI_COMM_WORLD);
  for (int call = 0; call < 40; ++call) expectSumAtLabel(nullptr, duplicate.get());
  if (worldSize() == 1) return;
  ASSERT_EQ(keyCount(duplicate.get()), 1);
  EXPECT_EQ(infoOf(duplicate.get(), 0).site, 1);
}

TEST(Control, flushSucceedsOnEveryRank) {
  EXPECT_EQ(starling_init(), STARLING_SUCCESS);
  EXPECT_EQ(starling_init(), STARLING_SUCCESS);  // once is enough, twice no fault
  expectSums(20, 100, MPI_COMM_WORLD);
  EXPECT_EQ(starling_flush(), STARLING_SUCCESS);
}

}  // namespace
}  // namespace starling
