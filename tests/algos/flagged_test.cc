#include "algos/flagged.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "schedules.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Bytes kElement{4};
const CostModel kModel{.alpha = {4e-6}, .beta = 8e-9, .gamma = 0.0, .ports = 1, .overhead = {1e-6}};
const Shape kShape{.ranks = 8, .count = 1 << 20};

TEST(FlaggedRanks, areTheParameterUpToAllOthers) {
  EXPECT_EQ(flaggedRanks(parseChoice("ring").value(), 8), 0);
  EXPECT_EQ(flaggedRanks(parseChoice("late_join").value(), 8), 0);
  EXPECT_EQ(flaggedRanks(parseChoice("direct:flagged=3").value(), 8), 3);
  EXPECT_EQ(flaggedRanks(parseChoice("direct:flagged=3").value(), 2), 1);
  EXPECT_EQ(flaggedRanks(kNativeChoice, 8), 0);
}

TEST(Flagged, rowsHaveTwoForms) {
  for (const char* text : {"ring", "rabenseifner", "native"}) {
    const Choice choice = parseChoice(text).value();
    EXPECT_EQ(formOf(choice), (RowForm{choice.algorithm, false}));
    EXPECT_FALSE(otherForm(choice)) << text;
  }
  const Choice predicted = parseChoice("slt:segments=7").value();
  const Choice flagged = parseChoice("slt:segments=7,flagged=1").value();
  EXPECT_EQ(formOf(flagged), (RowForm{flagged.algorithm, true}));
  EXPECT_NE(formOf(predicted), formOf(flagged));
  EXPECT_EQ(otherForm(predicted), flagged);
  EXPECT_EQ(otherForm(flagged), predicted);
  EXPECT_EQ(otherForm(parseChoice("slt:segments=7,flagged=5").value()), predicted);
}

TEST(FlaggedArrangement, putsTheNamedLast) {
  FlaggedArrangement arrangement;
  arrangement.arrange(4, std::vector<std::int32_t>{3, 1, 0, 2}, std::vector<std::int32_t>{1}, false);
  EXPECT_THAT(arrangement.table, ElementsAre(3, 0, 2, 1));
  EXPECT_THAT(arrangement.lateness_ns, ElementsAre(0, 0, 0, testing::Gt(0)));
  arrangement.arrange(5, {}, std::vector<std::int32_t>{0, 3}, false);
  EXPECT_THAT(arrangement.table, ElementsAre(1, 2, 4, 0, 3));
  EXPECT_THAT(arrangement.lateness_ns, ElementsAre(0, 0, 0, testing::Gt(0), testing::Gt(0)));
}

TEST(FlaggedArrangement, keepsRankOrder) {
  FlaggedArrangement arrangement;
  arrangement.arrange(3, {}, std::vector<std::int32_t>{1}, true);
  EXPECT_THAT(arrangement.table, IsEmpty());
  EXPECT_THAT(arrangement.lateness_ns, ElementsAre(0, testing::Gt(0), 0));
}

double postArrival(const char* text, std::int32_t late_rank) {
  Choice choice = parseChoice(text).value();
  setStepTime(choice, kShape, kElement, kModel);
  std::vector<Seconds> arrivals(8);
  arrivals[late_rank] = {0.2};
  const auto call = simulateChoice(choice, kShape, kElement, kModel, arrivals, {});
  EXPECT_TRUE(call.isOk()) << call.status().message();
  return postArrivalTime(call.value(), arrivals).value;
}

TEST(SimulateChoice, savesMostOfWhatALateRankCostsWhoeverItIs) {
  const double bound = (4 << 20) * 8e-9;
  const double ring = postArrival("ring", 3);
  for (std::int32_t late_rank = 1; late_rank < 8; ++late_rank) {
    for (const char* text : {"late_join:flagged=1", "direct:segments=64,flagged=1"}) {
      EXPECT_GE((ring - postArrival(text, late_rank)) / (ring - bound), 0.75) << text << ", rank " << late_rank;
    }
  }
}

TEST(SimulateChoice, losesTheSavingWhenTheCoordinatorIsLate) {
  EXPECT_GT(postArrival("late_join:flagged=1", 0), postArrival("late_join:flagged=1", 1));
}

TEST(SimulateChoice, tellsTransfersByTheRanksOfTheCaller) {
  Choice choice = parseChoice("late_join:segments=1,flagged=1").value();
  const std::vector<Seconds> arrivals{{0.0}, {1.0}};
  const auto call = simulateChoice(choice, {.ranks = 2, .count = 8}, kElement, kModel, arrivals, {});
  ASSERT_TRUE(call.isOk());
  for (const Transfer& transfer : call.value().transfers) {
    EXPECT_NE(transfer.source, transfer.target);
    EXPECT_GE(transfer.start.value, 1.0);
  }
  EXPECT_GE(call.value().exits[0].value, 1.0);
}

}  // namespace
}  // namespace starling
