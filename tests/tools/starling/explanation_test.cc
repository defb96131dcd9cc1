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
              Contains("For the next call moving_average predicts rank 2 at 51.0 ms; its latest predictions were off "
                       "by 400 us on average."));
}

TEST(Explanation, ofOlderDatabasesTellsHowFarOffMeansOfEpochsWere) {
  Evidence evidence = settledEvidence();
  for (ArrivalRecord& one : evidence.arrivals) one.error.reset();
  EXPECT_THAT(explain(evidence), Contains(HasSubstr("means of later epochs were off such predictions by 1.00 ms")));
}

TEST(Explanation, saysWhyThePlanFollowsArrivals) {
  EXPECT_THAT(
      explain(settledEvidence()),
      Contains("Rank 2 is predicted late by 51.0 ms (moving average, off by 400 us on average): the plan follows "
               "it."));
}

TEST(Explanation, saysWhichCallsOfASequenceItIsAbout) {
  Evidence evidence = settledEvidence();
  evidence.key.row.key.cycle = "every 50th call";
  EXPECT_THAT(explain(evidence).front(), StartsWith("Site 1, pressure (every 50th call): in run 1 "));
  EXPECT_THAT(explain(evidence), Contains(StartsWith("Calls repeat (periodic): what is told here is of every 50th")));
}

TEST(Explanation, givesTheCostOfEveryCandidate) {
  EXPECT_THAT(explain(settledEvidence()),
              Contains("Post-arrival time, mean over ranks and calls, of what ran (14 calls of them to try something): "
                       "slt:segments=64 5.00 ms (deviation 500 us, 4 calls measured), ring 8.00 ms (deviation 500 us, "
                       "4 calls measured), native 12.5 ms (deviation 1.00 ms, 4 calls measured)."));
}

TEST(Explanation, saysWhyThisOneAndWhatWouldChangeIt) {
  const auto sentences = explain(settledEvidence());
  EXPECT_THAT(sentences,
              Contains("In force: slt:segments=64, virtual-rank table 0 1 3 2, 2.50x +- 0.05 as fast as native "
                       "after the last arrival."));
  EXPECT_THAT(sentences,
              Contains("Decided at call 24 (epoch 3) for slt:segments=64 (medians of post-arrival time then: "
                       "slt:segments=64 5.00 ms, native 12.5 ms; the cost model expected a post-arrival time of 4.80 "
                       "ms): Least post-arrival time of three."));
  EXPECT_THAT(sentences, Contains("Settled, after 14 calls of exploration."));
  EXPECT_THAT(
      sentences.back(),
      AllOf(HasSubstr("a candidate would have to be expected to take 2% less than the 5.00 ms that it usually takes "
                      "(median over epochs), and to be faster with a probability of 75%"),
            HasSubstr("the nearest tried is ring at 8.00 ms. ")));
  Evidence evidence = settledEvidence();
  for (ObservationRecord& one : evidence.observations) {
    if (one.choice == evidence.key.row.key.choice) one.post_arrival_mean = 9e-3;
  }
  EXPECT_THAT(explain(evidence).back(), HasSubstr("is ring at 8.00 ms, which is less, but not surely enough. "));
}

TEST(Explanation, namesNoTableForNative) {
  Evidence evidence = settledEvidence();
  evidence.key.row.key.choice = "native";
  EXPECT_THAT(explain(evidence), Contains("In force: native."));
}

TEST(Explanation, saysWhereAGainMayBeChance) {
  Evidence evidence = settledEvidence();
  evidence.key.row.key.gain = 1.17;
  evidence.key.row.key.gain_error = 0.45;
  EXPECT_THAT(explain(evidence), Contains(HasSubstr("1.2x +- 0.5 as fast as native after the last arrival, which "
                                                    "may be chance: the error is more than half of the difference.")));
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

TEST(Explanation, namesNothingThatWouldReplaceWhatTheUserHasFixed) {
  Evidence evidence = settledEvidence();
  EXPECT_THAT(explain(evidence), Contains(StartsWith("To replace it")));
  for (const char* reason :
       {"STARLING_ALGORITHM=ring forces this choice.",
        "Rank 1 is late. Reproducible mode: direct is predicted to be the fastest of those that combine by rank."}) {
    evidence.decisions.back().reason = reason;
    EXPECT_THAT(explain(evidence), Contains(StartsWith("It is fixed: others would be tried without"))) << reason;
    EXPECT_THAT(explain(evidence), Not(Contains(StartsWith("To replace it")))) << reason;
  }
}

TEST(Explanation, saysWhyShortVectorsOfUserOperationsPassThrough) {
  Evidence evidence = settledEvidence();
  evidence.key.row.key.state = "passes_through";
  const auto is_told = Contains(StartsWith("Vectors of more than 8 KiB would be tuned"));
  EXPECT_THAT(explain(evidence), Not(is_told));
  for (const char* operation : {"user", "user_noncommutative"}) {
    evidence.key.row.key.id.operation = operation;
    evidence.key.row.key.id.type = "int32";
    EXPECT_THAT(explain(evidence), is_told);
    for (const char* type : {"derived", "int32_on_device"}) {
      evidence.key.row.key.id.type = type;
      EXPECT_THAT(explain(evidence), Not(is_told));
    }
  }
}

Evidence apartEvidence() {
  const Batch batch = apartBatch();
  Evidence evidence;
  evidence.key = recordedKey(1, labelledSite("pressure"));
  evidence.key.row.communicator = batch.communicators.front();
  evidence.key.row.key = batch.keys.front();
  evidence.observations = batch.observations;
  evidence.decisions = batch.decisions;
  return evidence;
}

TEST(Explanation, namesElapsedTimesWhereClocksDiffer) {
  const auto sentences = explain(apartEvidence());
  EXPECT_THAT(sentences, Contains("Which rank comes late is not known, because the clocks of these ranks cannot be "
                                  "compared."));
  EXPECT_THAT(sentences,
              Contains("Elapsed time, mean over ranks and calls, of what ran (14 calls of them to try something): "
                       "slt:segments=64 9.00 ms (deviation 500 us, 4 calls measured), native 22.5 ms "
                       "(deviation 1.00 ms, 4 calls measured)."));
  EXPECT_THAT(sentences,
              Contains("In force: slt:segments=64, ranks in their own order, 2.50x +- 0.05 as fast as native "
                       "by mean elapsed time."));
  EXPECT_THAT(
      sentences,
      Contains(
          "Decided at call 24 (epoch 3) for slt:segments=64 (medians of mean elapsed time then: "
          "slt:segments=64 9.00 ms, native 22.5 ms; the cost model expected a post-arrival time of 4.80 ms): Least "
          "mean elapsed time of two."));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("after the last arrival"))));
}

TEST(Explanation, saysSoWhenTheTimeThatWasComparedIsNotRecorded) {
  Evidence evidence = settledEvidence();
  evidence.key.row.communicator.compared_by.reset();
  const auto sentences = explain(evidence);
  EXPECT_THAT(sentences, Contains(HasSubstr("is not recorded. An older Starling wrote this database")));
  EXPECT_THAT(sentences,
              Contains(StartsWith("In force: slt:segments=64, virtual-rank table 0 1 3 2, 2.50x +- 0.05 as fast as "
                                  "native.")));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("after the last arrival"))));
  EXPECT_THAT(sentences, Not(Contains(HasSubstr("Post-arrival"))));
}

TEST(Explanation, saysHowWellClocksAgree) {
  Evidence evidence = settledEvidence();
  EXPECT_THAT(explain(evidence), Contains("The ranks' clocks agree within 3.00 us; who came later than the first by "
                                          "less counts as on time."));
  for (const std::optional<double> unsaid : {std::optional(0.0), std::optional<double>()}) {
    evidence.key.row.communicator.clock_error = unsaid;
    EXPECT_THAT(explain(evidence), Not(Contains(HasSubstr("clocks agree"))));
  }
}

TEST(Explanation, saysSoWhenNoCallWasTimed) {
  Evidence evidence;
  evidence.key = recordedKey(1, labelledSite("pressure"));
  evidence.key.row.key = unsettledKey("label:pressure", "observing", std::nullopt);
  evidence.observations = {observation(evidence.key.row.key.id, 0, "native", 0, 0.0)};
  const auto sentences = explain(evidence);
  EXPECT_EQ(sentences.front(),
            "Site 1, pressure: in run 1 its 4 ranks made 3 calls of 8 B (float, sum); the time there is not known, "
            "because no call was timed.");
  EXPECT_THAT(sentences, Contains("No candidate was measured."));
  for (const std::string& sentence : sentences) EXPECT_THAT(sentence, Not(HasSubstr(" 0 s")));
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
  evidence.key.row.key.gain = 2.5;
  EXPECT_THAT(explain(evidence),
              Contains(HasSubstr("was not measured here in this run: the gain is what earlier runs, or")));
}

}  // namespace
}  // namespace starling::cli
