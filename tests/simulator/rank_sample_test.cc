#include "simulator/rank_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starling {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<Seconds> onTime(std::size_t ranks) { return std::vector<Seconds>(ranks); }

TEST(RankSample, takesRanksEvenlyWhereNobodyIsLate) {
  const RankSample sample(onTime(12), {});
  EXPECT_EQ(sample.units(), 12);
  EXPECT_EQ(sample.lateUnits(), 0);
  EXPECT_THAT(sample.choose(4, 0), ElementsAre(2, 5, 8, 11));
  EXPECT_THAT(sample.choose(12, 0), SizeIs(12));
}

TEST(RankSample, takesTheLatestRanksWhereverTheyStand) {
  std::vector<Seconds> lateness = onTime(12);
  lateness[1] = {2e-3};
  lateness[7] = {1e-3};
  const RankSample sample(lateness, {});
  EXPECT_EQ(sample.lateUnits(), 2);
  EXPECT_THAT(sample.choose(4, 2), ElementsAre(1, 5, 7, 11));
}

TEST(RankSample, takesManyLateRanksEvenlyByTheirLateness) {
  std::vector<Seconds> lateness;
  for (int rank = 0; rank < 12; ++rank) lateness.push_back({(12 - rank) * 1e-3});
  const RankSample sample(lateness, {});
  EXPECT_EQ(sample.lateUnits(), 11);
  EXPECT_THAT(sample.choose(3, 0), ElementsAre(0, 4, 8)) << "the latest stands for those that come before it";
}

TEST(RankSample, takesWholeNodes) {
  const std::vector<std::int32_t> nodes{5, 5, 6, 6, 7, 7, 8, 8, 9, 9};
  std::vector<Seconds> lateness = onTime(nodes.size());
  lateness[2] = {1e-3};
  const RankSample sample(lateness, nodes);
  EXPECT_EQ(sample.units(), 5);
  EXPECT_EQ(sample.lateUnits(), 1);
  EXPECT_THAT(sample.choose(2, 1), ElementsAre(2, 3, 8, 9));
}

TEST(RankSample, takesSingleRanksOfFewNodes) {
  const std::vector<std::int32_t> nodes{0, 0, 0, 0, 1, 1, 1, 1};
  const RankSample sample(onTime(nodes.size()), nodes);
  EXPECT_EQ(sample.units(), 8);
  EXPECT_THAT(sample.choose(4, 0), ElementsAre(1, 3, 5, 7));
}

}  // namespace
}  // namespace starling
