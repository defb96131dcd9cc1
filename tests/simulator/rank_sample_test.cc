#include "simulator/rank_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

std::vector<Seconds> onTime(std::size_t ranks) { return std::vector<Seconds>(ranks); }

std::vector<std::int32_t> ranksOf(const std::vector<SampledRank>& sampled) {
  std::vector<std::int32_t> ranks;
  for (const SampledRank& one : sampled) ranks.push_back(one.rank);
  return ranks;
}

std::vector<double> standsForOf(const std::vector<SampledRank>& sampled) {
  std::vector<double> ranks;
  for (const SampledRank& one : sampled) ranks.push_back(one.stands_for);
  return ranks;
}

std::vector<std::int32_t> nodesOf(std::int32_t nodes, std::int32_t ranks_of_each) {
  std::vector<std::int32_t> numbers;
  for (std::int32_t rank = 0; rank < nodes * ranks_of_each; ++rank) numbers.push_back(rank / ranks_of_each);
  return numbers;
}

TEST(RankSample, takesRanksEvenlyWhereNobodyIsLate) {
  const RankSample sample(onTime(12), {});
  EXPECT_EQ(sample.units(), 12);
  EXPECT_EQ(sample.lateUnits(), 0);
  EXPECT_THAT(ranksOf(sample.choose(4, 0)), ElementsAre(2, 5, 8, 11));
  EXPECT_THAT(sample.choose(12, 0), SizeIs(12));
}

TEST(RankSample, takesTheLatestRanksWhereverTheyStand) {
  std::vector<Seconds> lateness = onTime(12);
  lateness[1] = {2e-3};
  lateness[7] = {1e-3};
  const RankSample sample(lateness, {});
  EXPECT_EQ(sample.lateUnits(), 2);
  EXPECT_THAT(ranksOf(sample.choose(4, 2)), ElementsAre(1, 5, 7, 11));
}

TEST(RankSample, takesManyLateRanksEvenlyByTheirLateness) {
  std::vector<Seconds> lateness;
  for (int rank = 0; rank < 12; ++rank) lateness.push_back({(12 - rank) * 1e-3});
  const RankSample sample(lateness, {});
  EXPECT_EQ(sample.lateUnits(), 11);
  EXPECT_THAT(ranksOf(sample.choose(3, 0)), ElementsAre(0, 4, 8)) << "the latest stands for those that come before it";
}

TEST(RankSample, takesWholeNodes) {
  const std::vector<std::int32_t> nodes{5, 5, 6, 6, 7, 7, 8, 8, 9, 9};
  std::vector<Seconds> lateness = onTime(nodes.size());
  lateness[2] = {1e-3};
  const RankSample sample(lateness, nodes);
  EXPECT_EQ(sample.units(), 5);
  EXPECT_EQ(sample.lateUnits(), 1);
  EXPECT_THAT(ranksOf(sample.choose(2, 1)), ElementsAre(2, 3, 8, 9));
}

TEST(RankSample, takesSomeRanksOfLargeNodesThatStandForAllOfThem) {
  const RankSample sample(onTime(32), nodesOf(4, 8));
  EXPECT_EQ(sample.ranksOfUnit(), 8);
  EXPECT_EQ(sample.meanRanksOfUnit(4), 4.0);
  const std::vector<SampledRank> sampled = sample.choose(2, 0, 4);
  EXPECT_THAT(ranksOf(sampled), ElementsAre(9, 11, 13, 15, 25, 27, 29, 31));
  EXPECT_THAT(standsForOf(sampled), Each(2.0));
}

TEST(RankSample, countsTheRanksOfNodesThatHaveFew) {
  const std::vector<std::int32_t> nodes{0, 0, 0, 1, 1, 1, 2, 2, 2, 3};
  const RankSample sample(onTime(nodes.size()), nodes);
  EXPECT_EQ(sample.ranksOfUnit(), 3);
  EXPECT_EQ(sample.meanRanksOfUnit(2), 7.0 / 4.0);
  EXPECT_THAT(ranksOf(sample.choose(4, 0, 2)), ElementsAre(0, 2, 3, 5, 6, 8, 9));
}

TEST(RankSample, takesFewLateRanksOfANodeBeforeOthers) {
  std::vector<Seconds> lateness = onTime(32);
  for (const std::size_t rank : {25U, 28U, 30U}) lateness[rank] = {1e-3};
  const RankSample sample(lateness, nodesOf(4, 8));
  const std::vector<SampledRank> some = sample.choose(1, 1, 4);
  EXPECT_THAT(ranksOf(some), ElementsAre(25, 26, 30, 31)) << "two of the late ones, and two others";
  EXPECT_THAT(standsForOf(some), ElementsAre(1.5, 2.5, 1.5, 2.5));
  EXPECT_EQ(sample.beyond(4), 1);
  const std::vector<SampledRank> all = sample.choose(1, 1, 4, true);
  EXPECT_THAT(ranksOf(all), ElementsAre(25, 26, 28, 30, 31));
  EXPECT_THAT(standsForOf(all), ElementsAre(1.0, 2.5, 1.0, 1.0, 2.5));
  EXPECT_THAT(ranksOf(sample.choose(1, 1, 2)), ElementsAre(30, 31)) << "one late rank, and one other";
}

TEST(RankSample, takesManyLateRanksOfANodeEvenly) {
  std::vector<Seconds> lateness;
  for (int rank = 0; rank < 32; ++rank) lateness.push_back({(32 - rank) * 1e-3});
  const RankSample sample(lateness, nodesOf(4, 8));
  EXPECT_EQ(sample.beyond(4), 0);
  EXPECT_THAT(ranksOf(sample.choose(1, 1, 4, true)), ElementsAre(0, 2, 4, 6));
}

// Of eight nodes of four ranks the last three stand for themselves, and another one for the five before.
TEST(RankSample, saysForHowManyOfAllRanksEachStands) {
  const std::vector<std::int32_t> nodes = nodesOf(8, 4);
  std::vector<Seconds> lateness;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) lateness.push_back({static_cast<double>(rank) * 1e-3});
  const std::vector<SampledRank> sampled = RankSample(lateness, nodes).choose(4, 3, 2);
  EXPECT_THAT(ranksOf(sampled), ElementsAre(17, 19, 21, 23, 25, 27, 29, 31));
  std::vector<double> of_all;
  for (const SampledRank& one : sampled) of_all.push_back(one.of_all);
  EXPECT_THAT(of_all, ElementsAre(10, 10, 2, 2, 2, 2, 2, 2));
}

TEST(RankSample, takesSingleRanksWhereAllAreOnOneNode) {
  const RankSample sample(onTime(8), std::vector<std::int32_t>(8, 3));
  EXPECT_EQ(sample.units(), 8);
  EXPECT_EQ(sample.ranksOfUnit(), 1);
  EXPECT_THAT(ranksOf(sample.choose(4, 0)), ElementsAre(1, 3, 5, 7));
}

}  // namespace
}  // namespace starling
