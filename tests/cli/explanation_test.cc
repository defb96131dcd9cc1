#include "explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_database.h"

namespace starling::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Evidence settledEvidence() {
  const Batch batch = latestBatch();
  Evidence evidence;
  evidence.key = recordedKey(1, labelledSite("pressure"));
  evidence.key.row.key = settledKey();
  evidence.observations = batch.observations;
  evidence.arrivals = batch.arrivals;
  evidence.decisions = batch.decisions;
  return evidence;
}

TEST(Explanation, saysHowOftenAndHowLong) {
  EXPECT_EQ(explain(settledEvidence()).front(),
            "Site 1, pressure: in run 1 its 4 ranks made 120 calls of 3.81 MiB (float, sum) and spent 7.50 s there on "
            "average (62.5 ms per call).");
}

TEST(Explanation, namesWhoIsLateAndHowWellThatIsPredicted) {
  const auto sentences = explain(settledEvidence());
  EXPECT_THAT(sentences, Contains(StartsWith("Rank 2 stands out: it comes 50.0 ms after the first")));
  EXPECT_THAT(sentences,
              Contains("For the next call moving_average predicts rank 2 at 51.0 ms; so far such predictions "
                       "were off by 1.00 ms on average."));
}

TEST(Explanation, givesTheCostOfEveryCandidate) {
  EXPECT_THAT(explain(settledEvidence()),
              Contains("Post-arrival time, mean over ranks, of what was tried in 14 calls of exploration: "
                       "slt:segments=64 5.00 ms (deviation 500 us, 4 calls measured), ring 8.00 ms (deviation 500 us, "
                       "4 calls measured), native 12.5 ms (deviation 1.00 ms, 4 calls measured)."));
}

TEST(Explanation, saysWhyThisOneAndWhatWouldChangeIt) {
  const auto sentences = explain(settledEvidence());
  EXPECT_THAT(sentences, Contains("In force: slt:segments=64, virtual-rank table 0 1 3 2, 2.50 times as fast as native "
                                  "after the last arrival."));
  EXPECT_THAT(
      sentences,
      Contains("Decided at call 24 (epoch 3) for slt:segments=64 (post-arrival time: expected 4.80 ms, measured "
               "5.00 ms, native 12.5 ms): Least post-arrival time of three."));
  EXPECT_THAT(sentences, Contains("Settled, after 14 calls of exploration."));
  EXPECT_THAT(sentences.back(), AllOf(HasSubstr("less than 5.00 ms by more than the noise"),
                                      HasSubstr("the nearest tried is ring at 8.00 ms")));
}

TEST(Explanation, saysPlainlyWhenNotConverged) {
  Evidence evidence = settledEvidence();
  for (const char* state : {"exploring", "observing"}) {
    evidence.key.row.key.state = state;
    EXPECT_THAT(explain(evidence), Contains(StartsWith("Not converged:"))) << state;
    EXPECT_FALSE(isConverged(evidence.key.row.key)) << state;
  }
  evidence.key.row.key.state = "passes_through";
  EXPECT_THAT(explain(evidence), Not(Contains(StartsWith("Not converged:"))));
}

TEST(Explanation, admitsWhatIsNotKnown) {
  Evidence evidence;
  evidence.key = recordedKey(1, labelledSite("pressure"));
  evidence.key.row.key.choice = "native";
  evidence.key.row.key.state = "observing";
  const auto sentences = explain(evidence);
  EXPECT_THAT(sentences, Contains("No arrivals were recorded."));
  EXPECT_THAT(sentences, Contains("No candidate was measured."));
  EXPECT_THAT(sentences, Contains("No decision was recorded in this run."));
  evidence.observations = {observation(evidence.key.row.key.id, 0, "ring", 4, 0.002)};
  EXPECT_THAT(explain(evidence), Contains(HasSubstr("(native) was not measured here, so no gain can be stated")));
}

}  // namespace
}  // namespace starling::cli
