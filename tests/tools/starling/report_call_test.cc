// One call as a report draws it, from records with known figures.
#include "report_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"
#include "tuner/recorded_costs.h"

namespace starling::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Four ranks on as many nodes at 8 ns a byte; rank 1 comes 20 ms late, and a vector takes 8 ms.
Evidence evidenceOf(const std::string& choice) {
  Evidence evidence;
  evidence.key = recordedKey(1, labelledSite("pressure"));
  KeyRow& row = evidence.key.row;
  recordCosts({.alpha = Seconds{25e-6}, .beta = 8e-9}, {}, row.communicator);
  row.key.bytes = 1'000'000;
  row.key.choice = choice;
  row.key.table = {3, 0, 2, 1};
  const KeyId& key = row.key.id;
  evidence.observations = {observation(key, 0, "native", 4, 0.012), observation(key, 0, "late_join", 4, 0.008)};
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    evidence.arrivals.push_back(arrival(key, 0, rank, rank == 1 ? 0.020 : 0.0, 0.0, 0.020));
  }
  evidence.histograms.push_back({key, 0, 4, {3, 0, 0, 0, 0, 0, 0, 0, 0, 1}});
  return evidence;
}

TEST(ReportCall, drawsWhatIsInForceBesideWhatStandsForNative) {
  const Json call = drawnCall(evidenceOf("late_join"));
  ASSERT_EQ(call["drawings"].size(), 2U) << call;
  EXPECT_THAT(call["drawings"][0]["title"].get<std::string>(), StartsWith("late_join, in force: post-arrival time "));
  // It takes 2 * 3/4 of 8 ms after the last arrival, and 4 messages one after the other.
  EXPECT_EQ(call["drawings"][1]["title"], "native, as if it were rabenseifner: post-arrival time 12.1 ms");
  EXPECT_THAT(call["note"].get<std::string>(), HasSubstr("nearest to the 12.0 ms that native was measured to take"));
  EXPECT_GT(call["end"].get<double>(), 0.032);
}

TEST(ReportCall, hasALineForEachRankWhateverItsPlaceInThePlan) {
  const Json rows = drawnCall(evidenceOf("late_join"))["drawings"][0]["rows"];
  ASSERT_EQ(rows.size(), 4U);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(rows[rank]["rank"], rank);
    const std::string line = rows[rank]["line"];
    EXPECT_EQ(line.size(), kDrawnWidth);
    EXPECT_EQ(line.starts_with("..."), rank == 1) << "rank 1 alone is not there at first: " << line;
  }
}

TEST(ReportCall, drawsTheFastestOtherRowWhereNativeIsInForce) {
  const Json call = drawnCall(evidenceOf("native"));
  ASSERT_EQ(call["drawings"].size(), 2U) << call;
  EXPECT_THAT(call["drawings"][0]["title"].get<std::string>(), StartsWith("late_join, not in force: "));
}

TEST(ReportCall, standsAloneWhereNativeWasNotMeasured) {
  Evidence evidence = evidenceOf("late_join");
  evidence.observations.erase(evidence.observations.begin());
  EXPECT_EQ(drawnCall(evidence)["drawings"].size(), 1U);
}

TEST(ReportCall, saysWhyNothingCanBeDrawn) {
  const auto whyNot = [](const Evidence& evidence) { return drawnCall(evidence)["why_not"].get<std::string>(); };
  Evidence without_costs = evidenceOf("ring");
  without_costs.key.row.communicator.alpha.reset();
  EXPECT_THAT(whyNot(without_costs), HasSubstr("What messages cost was not recorded"));
  Evidence without_arrivals = evidenceOf("ring");
  without_arrivals.arrivals.clear();
  without_arrivals.histograms.clear();
  EXPECT_THAT(whyNot(without_arrivals), HasSubstr("No arrivals were recorded"));
  Evidence many = evidenceOf("ring");
  many.key.row.communicator.size = kDrawnRanks + 1;
  EXPECT_THAT(whyNot(many), HasSubstr("up to 48 ranks"));
  Evidence unknown = evidenceOf("wombat");
  EXPECT_THAT(whyNot(unknown), HasSubstr("wombat"));
  Evidence alone = evidenceOf("native");
  alone.observations.resize(1);
  EXPECT_THAT(whyNot(alone), HasSubstr("Nothing but native was measured"));
}

}  // namespace
}  // namespace starling::cli
