#include "tuner/recorded_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace starling {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

TrackedArrivals::Entry entryOf(std::int32_t rank, double lateness) {
  TrackedArrivals::Entry entry;
  entry.rank = rank;
  entry.seen.add(lateness);
  return entry;
}

// Ranks on time within 10 us, but for those that are late. The first 64 have entries, and all that are late; the others
// count as one.
struct Seen {
  std::vector<TrackedArrivals::Entry> entries;
  std::int32_t others = 0;
};
Seen pattern(std::int32_t ranks, const std::map<std::int32_t, double>& late = {}) {
  Seen seen;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto found = late.find(rank);
    if (found == late.end() && rank >= 64) {
      ++seen.others;
    } else {
      seen.entries.push_back(
          entryOf(rank, found == late.end() ? 1e-6 * static_cast<double>((7 * rank) % 10) : found->second));
    }
  }
  if (seen.others > 0) seen.entries.push_back(entryOf(TrackedArrivals::kOthers, 4.5e-6));
  return seen;
}

std::vector<std::int32_t> chosenOf(RecordedRanks& ranks, const Seen& seen) {
  std::vector<std::int32_t> chosen;
  for (const TrackedArrivals::Entry& entry : ranks.choose(seen.entries, seen.others)) chosen.push_back(entry.rank);
  return chosen;
}
std::vector<std::int32_t> chosenOf(const Seen& seen) {
  RecordedRanks ranks;
  return chosenOf(ranks, seen);
}

TEST(RecordedRanks, areAllWhereThereAreFew) {
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8}) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(chosenOf(pattern(ranks)), all);
  }
  EXPECT_TRUE(chosenOf(Seen{}).empty());
}

TEST(RecordedRanks, areTheTwoLatestWhereNobodyIsLate) {
  for (const std::int32_t ranks : {9, 64, 1024}) EXPECT_EQ(chosenOf(pattern(ranks)).size(), 2U) << ranks;
  EXPECT_THAT(chosenOf(pattern(9, {{4, 15e-6}, {6, 14e-6}})), ElementsAre(4, 6));
}

TEST(RecordedRanks, haveWhoeverIsLateBeyondTheNoise) {
  EXPECT_THAT(chosenOf(pattern(64, {{5, 0.1}, {9, 0.09}, {40, 0.05}})), ElementsAre(5, 9, 40));
}

TEST(RecordedRanks, followARankThatWasLateOnce) {
  RecordedRanks ranks;
  chosenOf(ranks, pattern(64, {{33, 0.1}}));
  EXPECT_THAT(chosenOf(ranks, pattern(64, {{5, 0.1}})), IsSupersetOf({5, 33}));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(chosenOf(ranks, pattern(64)), IsSupersetOf({5, 33}));
}

TEST(RecordedRanks, stayAFewHoweverManyWereEverLate) {
  RecordedRanks ranks;
  for (std::int32_t late = 0; late < 64; ++late) {
    const auto chosen = chosenOf(ranks, pattern(64, {{late, 0.1}}));
    EXPECT_LE(chosen.size(), kRecordedRanks);
    EXPECT_THAT(chosen, Contains(late));
    EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  }
  const auto chosen = chosenOf(ranks, pattern(64));
  EXPECT_THAT(chosen, IsSupersetOf({60, 61, 62, 63})) << "who was late last is followed";
  EXPECT_THAT(chosen, Not(Contains(10)));
}

TEST(RecordedRanks, areTheLatestOfManyThatAreLate) {
  std::map<std::int32_t, double> late;
  for (std::int32_t rank = 10; rank < 30; ++rank) late[rank] = 0.1 + 0.01 * rank;
  EXPECT_THAT(chosenOf(pattern(64, late)), ElementsAre(22, 23, 24, 25, 26, 27, 28, 29));
}

TEST(LatenessCounts, countEveryRankOnce) {
  std::vector<TrackedArrivals::Entry> entries;
  for (const double lateness : {0.0, 9.9e-7, 1e-6, 0.02, 100.0}) entries.push_back(entryOf(0, lateness));
  entries.push_back(entryOf(TrackedArrivals::kOthers, 2e-6));
  const std::vector<std::int64_t> counts = latenessCounts(entries, 27);
  ASSERT_EQ(counts.size(), 15U);
  EXPECT_EQ(counts[0], 2);
  EXPECT_EQ(counts[1], 1 + 27);
  EXPECT_EQ(counts[9], 1);
  EXPECT_EQ(counts[14], 1);
}

}  // namespace
}  // namespace starling
