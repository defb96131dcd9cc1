// What the section of a key shows, from records with known figures.
#include "report_site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records.h"

namespace starling::cli {
namespace {

Evidence evidenceOf(std::int64_t epochs) {
  Evidence evidence;
  evidence.key = recordedKey(1, labelledSite("pressure"));
  evidence.key.row.key.choice = "ring";
  const KeyId& key = evidence.key.row.key.id;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
    evidence.observations.push_back(observation(key, epoch, "ring", 4, 0.004, 0.001));
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      const double late = rank == 0 ? 0.0 : 0.010 + 0.001 * static_cast<double>(epoch);
      evidence.arrivals.push_back(arrival(key, epoch, rank, late, 0.0, 0.020));
    }
    evidence.histograms.push_back({key, epoch, 4, {1, 1}});
  }
  return evidence;
}

TEST(ReportSite, mapsLatenessByRankAndEpoch) {
  const Json map = siteReport(evidenceOf(3))["plots"]["lateness"];
  EXPECT_EQ(map["epochs"], Json({0, 1, 2}));
  ASSERT_EQ(map["ranks"].size(), 2U);
  EXPECT_EQ(map["ranks"][1]["rank"], 1);
  EXPECT_EQ(map["ranks"][1]["lateness"], Json({0.010, 0.011, 0.012}));
}

TEST(ReportSite, leavesRanksOpenWhereTheyWereNotRecorded) {
  Evidence evidence = evidenceOf(2);
  evidence.arrivals.erase(evidence.arrivals.begin() + 1);  // of rank 1 in epoch 0
  const Json map = siteReport(evidence)["plots"]["lateness"];
  EXPECT_EQ(map["ranks"][1]["lateness"], Json({nullptr, 0.011}));
}

TEST(ReportSite, joinsNeighboursOfALongHistory) {
  const Json plots = siteReport(evidenceOf(96))["plots"];
  ASSERT_EQ(plots["lateness"]["epochs"].size(), 48U);
  EXPECT_EQ(plots["lateness"]["epochs"][0], 1) << "the latest of two epochs";
  EXPECT_DOUBLE_EQ(plots["lateness"]["ranks"][1]["lateness"][0], 0.0105);
  EXPECT_EQ(siteReport(evidenceOf(241))["plots"]["times"]["points"].size(), 81U) << "three epochs each";
}

TEST(ReportSite, setsWhatCameBesideWhatWasPredictedTheEpochBefore) {
  Evidence evidence = evidenceOf(4);
  evidence.arrivals[3].epochs = 2;  // rank 1 in epoch 1 was joined
  const Json predictions = siteReport(evidence)["plots"]["predictions"];
  EXPECT_EQ(predictions["rank"], 1);
  ASSERT_EQ(predictions["points"].size(), 1U) << "neither what was joined nor what follows it tells";
  EXPECT_EQ(predictions["points"][0], Json({3, 0.020, 0.013}));
}

TEST(ReportSite, givesIntervalsOfMeansWhereSamplesTell) {
  Evidence evidence = evidenceOf(1);
  evidence.observations.push_back(observation(evidence.key.row.key.id, 1, "native", 1, 0.008));
  const Json points = siteReport(evidence)["plots"]["candidates"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["choice"], "ring");
  EXPECT_TRUE(points[0]["in_force"]);
  // Student's t of 3 degrees is 3.182; the deviation of 4 samples is 1 ms, or 1.155 ms by n - 1.
  EXPECT_NEAR(points[0]["high"].get<double>(), 0.004 + 3.182 * 0.001155 / 2.0, 2e-6);
  EXPECT_NEAR(points[0]["low"].get<double>(), 0.004 - 3.182 * 0.001155 / 2.0, 2e-6);
  EXPECT_TRUE(points[1]["low"].is_null()) << "one call tells no interval";
}

TEST(ReportSite, saysWhyThereAreNoArrivals) {
  Evidence evidence = evidenceOf(1);
  evidence.arrivals.clear();
  evidence.key.row.communicator.compared_by = kByElapsed;
  const Json site = siteReport(evidence);
  EXPECT_TRUE(site["arrivals"].is_null());
  EXPECT_THAT(site["no_arrivals"].get<std::string>(), testing::HasSubstr("clocks of these ranks cannot be compared"));
}

TEST(ReportSite, drawsTheTimeOfCallsInFewPoints) {
  EXPECT_EQ(sparkline(evidenceOf(3).observations), Json({{0, 0.014}, {1, 0.014}, {2, 0.014}}));
  EXPECT_EQ(sparkline(evidenceOf(120).observations).size(), 40U);
  EXPECT_EQ(sparkline({}), Json::array());
}

}  // namespace
}  // namespace starling::cli
