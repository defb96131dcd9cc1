#include "tuner/rankings.h"

#include <gtest/gtest.h>

namespace starling {
namespace {

CandidateQuery question(std::int64_t late_ns = 0, std::int64_t count = 4096) {
  CandidateQuery query{.shape = {.ranks = 4, .count = count}, .element_size = Bytes{8}, .model = {}, .lateness_ns = {}};
  if (late_ns > 0) query.lateness_ns = {0, 0, 0, late_ns};
  return query;
}

TEST(Rankings, haveAllAlgorithmsAsTheyAreRanked) {
  const std::vector<Candidate> expected = rankCandidates(question());
  const std::vector<Candidate> ranked = Rankings::rank(question());
  ASSERT_EQ(ranked.size(), expected.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) EXPECT_EQ(ranked[i].choice, expected[i].choice);
}

bool isKnown(Rankings& rankings, const CandidateQuery& query) { return rankings.find(query).has_value(); }

TEST(Rankings, knowWhatWasAskedBefore) {
  Rankings rankings;
  EXPECT_FALSE(isKnown(rankings, question(1'000'000)));
  rankings.insert(question(1'000'000), {{.choice = {}, .predicted = {1.0}}});
  EXPECT_TRUE(isKnown(rankings, question(1'000'000)));
  EXPECT_TRUE(isKnown(rankings, question(1'005'000))) << "half a percent makes no difference";
  EXPECT_FALSE(isKnown(rankings, question(1'200'000)));
  EXPECT_FALSE(isKnown(rankings, question()));
  EXPECT_FALSE(isKnown(rankings, question(1'000'000, 4095)));
  CandidateQuery slower = question(1'000'000);
  slower.model.beta *= 2.0;
  EXPECT_FALSE(isKnown(rankings, slower));
  CandidateQuery linked = question(1'000'000);
  linked.topology.links.assign(16, 1);
  EXPECT_FALSE(isKnown(rankings, linked));
  rankings.insert(linked, {});
  linked.topology.links[1] = 2;
  EXPECT_FALSE(isKnown(rankings, linked)) << "other links";
}

TEST(Rankings, tellApartHowMuchLaterTheLatestOfAllComesThanTheOneBefore) {
  const auto with = [](double before) {
    CandidateQuery query = question();
    query.unpredicted = {.latest = {50e-3}, .before = {before}, .others = {25e-3}};
    return query;
  };
  Rankings rankings;
  rankings.insert(with(49.2e-3), {});
  EXPECT_FALSE(isKnown(rankings, with(50e-3))) << "less than a lateness is rounded by, and as much as a call takes";
  EXPECT_TRUE(isKnown(rankings, with(49.19e-3)));
  rankings.insert(with(1e-3), {});
  EXPECT_FALSE(isKnown(rankings, with(5e-3))) << "a great gap is not rounded so";
}

TEST(Rankings, forgetWhatWasNotAskedForLong) {
  Rankings rankings;
  rankings.insert(question(0, 1), {});
  rankings.insert(question(0, 2), {});
  for (std::int64_t count = 3; count <= static_cast<std::int64_t>(Rankings::kMaxRankings) + 1; ++count) {
    rankings.insert(question(0, count), {});
    EXPECT_TRUE(isKnown(rankings, question(0, 2)));
  }
  EXPECT_FALSE(isKnown(rankings, question(0, 1)));
  EXPECT_TRUE(isKnown(rankings, question(0, 2)));
}

}  // namespace
}  // namespace starling
