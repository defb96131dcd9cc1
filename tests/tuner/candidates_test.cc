#include "tuner/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "algos/flagged.h"
#include "candidate_queries.h"
#include "simulator/simulated_choice.h"

namespace starling {
namespace {

std::int64_t stepsOf(const Choice& choice, const Shape& shape) {
  std::int64_t steps = 0;
  for (const Schedule& schedule : buildAll(choice, shape, {}))
    steps += static_cast<std::int64_t>(schedule.steps.size());
  return steps;
}

// Where nothing is known of the topology.
std::vector<std::int32_t> rowsWithoutTopology() {
  std::vector<std::int32_t> ids;
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.id != kNativeAlgorithm && algorithm.suits_topology == nullptr) ids.push_back(algorithm.id);
  }
  return ids;
}

// Late ranks that flags name are not simulated everywhere.
std::vector<Candidate> withoutNaming(std::vector<Candidate> candidates) {
  std::erase_if(candidates, [](const Candidate& one) { return formOf(one.choice).is_flagged; });
  return candidates;
}

TEST(RankCandidates, givesEachAlgorithmOnceAndNeverNative) {
  for (const std::int32_t ranks : {2, 3, 8, 13}) {
    for (const std::int64_t count : {0, 1, 1000, 100'000}) {
      const std::vector<Candidate> candidates = rankCandidates(queryOf(ranks, count));
      std::set<std::int32_t> algorithms;
      std::set<std::int32_t> flagged;
      for (const Candidate& candidate : candidates) {
        const bool is_new =
            (formOf(candidate.choice).is_flagged ? flagged : algorithms).insert(candidate.choice.algorithm).second;
        EXPECT_TRUE(is_new) << formatChoice(candidate.choice);
      }
      EXPECT_EQ(algorithms.size(), rowsWithoutTopology().size());
      EXPECT_EQ(flagged.empty(), ranks == 1) << ranks;
      EXPECT_FALSE(algorithms.contains(kNativeAlgorithm));
    }
  }
}

TEST(RankCandidates, risesInPredictedTime) {
  for (const std::int64_t count : {1, 512, 65'536}) {
    const std::vector<Candidate> candidates = rankCandidates(lateQuery(7, count, 300'000));
    EXPECT_GT(candidates.front().predicted, Seconds{});
    EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end(),
                               [](const Candidate& a, const Candidate& b) { return a.predicted < b.predicted; }))
        << count << " elements";
  }
}

TEST(RankCandidates, predictsWhatPredictPostArrivalSays) {
  const CandidateQuery query = lateQuery(6, 2048, 500'000);
  for (const Candidate& candidate : withoutNaming(rankCandidates(query))) {
    EXPECT_EQ(predictPostArrival(query, candidate.choice), candidate.predicted) << nameOf(candidate);
  }
}

// With slow operators the fastest row takes longer than was thought first.
TEST(RankCandidates, knowsOfHopelessRowsOfManyRanksThatTheyAreBehindWhereOperatorsAreSlow) {
  for (const double gamma : {5e-9, 2e-8, 3e-8, 1e-7}) {
    CandidateQuery query = queryOf(64, 1 << 17);
    query.model = {.alpha = {4e-6}, .beta = 8e-9, .gamma = gamma, .ports = 1, .shared = true};
    const std::vector<Candidate> candidates = withoutNaming(rankCandidates(query));
    const Seconds least = candidates.front().predicted;
    for (const Candidate& candidate : candidates) {
      const Seconds exact = predictPostArrival(query, candidate.choice);
      EXPECT_LE(candidate.predicted, exact) << nameOf(candidate) << ", " << gamma;
      if (candidate.predicted == exact) continue;
      EXPECT_GT(candidate.predicted, 2.0 * least) << nameOf(candidate) << ", " << gamma;
    }
  }
}

TEST(RankCandidates, knowsOfHopelessRowsOfManyRanksThatTheyAreBehind) {
  for (const std::int64_t count : {4, 1 << 17}) {
    const CandidateQuery query = lateQuery(64, count, 100'000'000);
    const std::vector<Candidate> candidates = withoutNaming(rankCandidates(query));
    const Seconds least = candidates.front().predicted;
    int hopeless = 0;
    for (const Candidate& candidate : candidates) {
      const Seconds exact = predictPostArrival(query, candidate.choice);
      if (exact <= 2.0 * least) {
        EXPECT_EQ(candidate.predicted, exact) << nameOf(candidate);
      } else {
        EXPECT_GT(candidate.predicted, 2.0 * least) << nameOf(candidate);
        ++hopeless;
      }
    }
    EXPECT_GT(hopeless, 1) << count << " elements";
  }
}

TEST(RankCandidates, givesParametersWithinTheirRanges) {
  for (const std::int32_t ranks : {2, 5, 16, 64}) {
    for (const CandidateQuery& query : {queryOf(ranks, 100'000), lateQuery(ranks, 3, 1'000)}) {
      for (const Candidate& candidate : rankCandidates(query)) {
        const Algorithm& algorithm = *findAlgorithm(candidate.choice.algorithm);
        for (std::size_t i = 0; i < algorithm.parameters.size(); ++i) {
          EXPECT_GE(candidate.choice.parameters[i], algorithm.parameters[i].minimum) << nameOf(candidate);
          EXPECT_LE(candidate.choice.parameters[i], algorithm.parameters[i].maximum) << nameOf(candidate);
        }
      }
    }
  }
}

TEST(RankCandidates, triesMoreSegmentsWhileTheyGain) {
  int rows_with_many = 0;
  for (const std::int32_t ranks : {3, 4, 5}) {
    const CandidateQuery query = lateQuery(ranks, 1 << 17, 10'000'000);
    const std::vector<Candidate> ranked = withoutNaming(rankCandidates(query));
    for (const Candidate& candidate : ranked) {
      const Algorithm& row = *findAlgorithm(candidate.choice.algorithm);
      const std::optional<std::size_t> index = findParameter(row, kSegmentsParameter);
      if (!index || row.best_segments != nullptr || candidate.predicted > 1.5 * ranked.front().predicted) continue;
      for (const std::int64_t segments : {4, 16}) {
        Choice other = candidate.choice;
        other.parameters[*index] = segments;
        EXPECT_LE(candidate.predicted, 1.1 * predictPostArrival(query, other))
            << formatChoice(other) << " in place of " << formatChoice(candidate.choice) << ", " << ranks << " ranks";
      }
      rows_with_many += candidate.choice.parameters[*index] >= 16 ? 1 : 0;
    }
  }
  EXPECT_GE(rows_with_many, 2) << "or the test shows little";
}

TEST(RankCandidates, choosesTheSegmentsOfTheClosedForm) {
  // A chain with the latest rank at its end gains from many segments: sqrt((P - 1) n beta / alpha) are best.
  const CandidateQuery query = lateQuery(8, 1 << 17, 20'000'000);
  const std::vector<Candidate> candidates = rankCandidates(query);
  const auto slt = std::find_if(candidates.begin(), candidates.end(),
                                [](const Candidate& candidate) { return nameOf(candidate) == "slt"; });
  ASSERT_NE(slt, candidates.end());
  EXPECT_EQ(slt->choice.parameters[0], std::llround(std::sqrt(7.0 * (8 << 17) * 1e-9 / 2e-6)));
  EXPECT_LT(slt->predicted, predictPostArrival(query, parseChoice("slt").value()));
}

// A call that names one late rank waits for the other one as any call does.
TEST(RankCandidates, heedsHowTheOthersComeWhereNobodyKnowsTheLatest) {
  for (const std::int32_t ranks : {8, 64}) {
    CandidateQuery alone = queryOf(ranks, 1 << 17);
    alone.unpredicted.latest = {20e-3};
    CandidateQuery pair = alone;
    pair.unpredicted.before = {20e-3};
    pair.unpredicted.others = {20e-3 / (ranks - 1)};
    CandidateQuery even = pair;
    even.unpredicted.others = {10e-3};
    const Choice named = parseChoice("late_join:flagged=1").value();
    const Seconds beside_none = predictPostArrival(alone, named);
    EXPECT_LT(1.2 * beside_none, predictPostArrival(pair, named)) << ranks << " ranks";
    EXPECT_LT(1.2 * beside_none, predictPostArrival(even, named)) << ranks << " ranks";
  }
}

TEST(RankCandidates, namesTheLateRankWhereNobodyKnowsItBeforehand) {
  CandidateQuery query = queryOf(8, 1 << 17);
  query.unpredicted.latest = {20e-3};
  const std::vector<Candidate> ranked = rankCandidates(query);
  const std::string first = nameOf(ranked.front());
  EXPECT_TRUE(first == "slt" || first == "late_join") << first;
  for (const Candidate& candidate : std::span(ranked).first(3)) {
    EXPECT_EQ(formOf(candidate.choice).is_flagged, otherForm(candidate.choice).has_value()) << nameOf(candidate);
  }
  query.lateness_ns.assign(8, 0);
  query.lateness_ns.back() = 20'000'000;
  EXPECT_FALSE(formOf(rankCandidates(query).front().choice).is_flagged);
}

// Where nobody is late that is no use; where nobody knows who is, it may be.
TEST(RankCandidates, namesLateRanksWhereNobodyKnowsThemOnlyForATrial) {
  CandidateQuery query = queryOf(8, 1 << 17);
  for (const bool is_known : {true, false}) {
    query.arrivals_are_known = is_known;
    const std::vector<Candidate> candidates = rankCandidates(query);
    for (const Candidate& candidate : candidates) {
      const bool is_flagged = formOf(candidate.choice).is_flagged;
      EXPECT_EQ(candidate.is_guess, is_flagged && !is_known) << nameOf(candidate);
      EXPECT_EQ(candidate.takes_longer, is_flagged && is_known) << nameOf(candidate);
      if (!is_flagged) continue;
      const auto other = std::ranges::find(candidates, *otherForm(candidate.choice), &Candidate::choice);
      ASSERT_NE(other, candidates.end());
      EXPECT_GT(candidate.predicted, other->predicted) << "it has two messages more";
    }
  }
}

// A chain of the ranks in their order is made for the last one being late, which is one arrangement of many.
TEST(RankCandidates, namesTheLateRankWhereAllComeAtRandom) {
  for (const std::int32_t ranks : {4, 64}) {
    CandidateQuery query = queryOf(ranks, 1 << 19);
    query.unpredicted = {.latest = {50e-3}, .before = {(ranks - 1) * 50e-3 / ranks}, .others = {25e-3}};
    const std::vector<Candidate> candidates = rankCandidates(query);
    const auto chain = std::ranges::find(candidates, std::string("slt"), nameOf);
    ASSERT_NE(chain, candidates.end());
    EXPECT_EQ(flaggedRanks(chain->choice, ranks), 1) << ranks << " ranks";
    Choice unnamed = chain->choice;
    unnamed.parameters[findParameter(*findAlgorithm(unnamed.algorithm), kFlaggedParameter).value()] = 0;
    EXPECT_LT(1.1 * chain->predicted, predictPostArrival(query, unnamed)) << ranks << " ranks";
  }
}

TEST(RankCandidates, keepsRankOrderForNonCommutativeOperations) {
  for (const std::int32_t ranks : {4, 8, 100}) {
    const std::vector<Candidate> candidates = rankCandidates(queryOf(ranks, 4096, false));
    EXPECT_FALSE(candidates.empty());
    for (const Candidate& candidate : candidates) {
      EXPECT_TRUE(findAlgorithm(candidate.choice.algorithm)->keeps_rank_order) << nameOf(candidate);
    }
  }
}

TEST(RankCandidates, prefersFewRoundsForSmallMessages) {
  for (const std::int32_t ranks : {4, 8, 16, 64}) {
    const std::vector<Candidate> candidates = rankCandidates(queryOf(ranks, 8));
    EXPECT_EQ(nameOf(candidates[0]), "recursive_doubling") << ranks << " ranks";
    EXPECT_EQ(nameOf(candidates[1]), "reduce_bcast") << ranks << " ranks";
  }
}

TEST(RankCandidates, prefersLittleDataForLargeMessages) {
  for (const std::int32_t ranks : {4, 8, 16}) {
    const std::string first = nameOf(rankCandidates(queryOf(ranks, 1 << 18)).front());
    EXPECT_TRUE(first == "ring_segmented" || first == "rabenseifner" || first == "ring" || first == "direct") << first;
  }
}

TEST(RankCandidates, prefersArrivalAwareAlgorithmsWhenARankIsLateAndMessagesAreLarge) {
  for (const std::int32_t ranks : {4, 8, 16, 32}) {
    const std::string first = nameOf(rankCandidates(lateQuery(ranks, 1 << 17, 20'000'000)).front());
    EXPECT_TRUE(first == "slt" || first == "late_join") << ranks << " ranks: " << first;
  }
}

TEST(RankCandidates, givesPrrTheTimeOfOneBlock) {
  const std::vector<Candidate> candidates = rankCandidates(lateQuery(8, 8000, 1'000'000));
  const auto prr = std::find_if(candidates.begin(), candidates.end(),
                                [](const Candidate& candidate) { return nameOf(candidate) == "prr"; });
  ASSERT_NE(prr, candidates.end());
  // 2 us and a thousand doubles at 1 ns a byte
  EXPECT_NEAR(static_cast<double>(prr->choice.parameters[0]), 10'000.0, 1.0);
}

TEST(PredictPostArrival, knowsWhatAScheduleGainsFromPredictedArrivals) {
  const CandidateQuery query = lateQuery(8, 1 << 16, 20'000'000);
  const Choice plain_ring = parseChoice("prr:tau_ns=0").value();
  const Choice with_pre_steps = parseChoice("prr:tau_ns=70000").value();
  EXPECT_LT(predictPostArrival(query, with_pre_steps).value, 0.95 * predictPostArrival(query, plain_ring).value);
}

TEST(RankCandidates, predictsEveryRowInLargeCommunicators) {
  const std::vector<Candidate> candidates = withoutNaming(rankCandidates(queryOf(1024, 1 << 20)));
  EXPECT_EQ(candidates.size(), rowsWithoutTopology().size());
  for (const Candidate& candidate : candidates) EXPECT_GT(candidate.predicted, Seconds{}) << nameOf(candidate);
}

TEST(RankCandidates, saysWhereMoreIsNotKnownThanThatARowTakesFarLonger) {
  const auto takes_longer = [](std::span<const Candidate> candidates, const char* name) {
    return std::ranges::find(candidates, name, nameOf)->takes_longer;
  };
  const std::vector<Candidate> many = rankCandidates(queryOf(1024, 8));
  EXPECT_TRUE(takes_longer(many, "ring"));
  EXPECT_FALSE(takes_longer(many, "recursive_doubling"));
  const std::vector<Candidate> few = withoutNaming(rankCandidates(queryOf(15, 8)));
  for (const Candidate& one : few) EXPECT_FALSE(one.takes_longer) << nameOf(one) << " is simulated to its end";
}

TEST(RankCandidates, prefersTheSameInLargeCommunicators) {
  for (const std::int32_t ranks : {92, 96, 128, 1024}) {
    EXPECT_EQ(nameOf(rankCandidates(queryOf(ranks, 8)).front()), "recursive_doubling") << ranks << " ranks";
    EXPECT_EQ(nameOf(rankCandidates(lateQuery(ranks, 1 << 17, 20'000'000)).front()), "late_join") << ranks;
  }
}

TEST(RankCandidates, predictsFromFewerSegmentsWhereSimulatingThemWouldTakeLong) {
  const CandidateQuery query = lateQuery(15, 1 << 23, 500'000'000);
  const std::vector<Candidate> candidates = rankCandidates(query);
  const auto slt = std::find_if(candidates.begin(), candidates.end(),
                                [](const Candidate& candidate) { return nameOf(candidate) == "slt"; });
  ASSERT_NE(slt, candidates.end());
  EXPECT_GT(stepsOf(slt->choice, query.shape), 30'000);
  EXPECT_GT(slt->predicted, predictPostArrival(query, slt->choice));
}

TEST(PredictPostArrival, isZeroForNative) { EXPECT_EQ(predictPostArrival(queryOf(8, 1024), kNativeChoice), Seconds{}); }

TEST(PredictPostArrival, countsFromTheLastArrival) {
  // One message each way and one reduction, whenever the other rank comes.
  const Choice choice = parseChoice("recursive_doubling").value();
  const double expected = 2e-6 + 8000 * 1e-9 + 8000 * 1e-10;
  EXPECT_NEAR(predictPostArrival(queryOf(2, 1000), choice).value, expected, 1e-11);
  EXPECT_NEAR(predictPostArrival(lateQuery(2, 1000, 5'000'000), choice).value, expected, 1e-11);
}

}  // namespace
}  // namespace starling
