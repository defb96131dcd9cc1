// What the site tracker does when a program changes: ranks part and come together, sites appear, phases end.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tracked_ranks.h"

namespace starling {
namespace {

constexpr LocalSite kLineA = 0x4010a0;
constexpr LocalSite kLineB = 0x4010b0;
constexpr LocalSite kLineC = 0x4010c0;

const Signature kSmall = doubles(8);
const Signature kLarge = doubles(1 << 20);

// `periods` times the sites of `rhythm`, on all ranks.
void play(TrackedRanks& ranks, const std::vector<LocalSite>& rhythm, int periods, const Signature& signature = kSmall) {
  for (int period = 0; period < periods; ++period) {
    for (const LocalSite line : rhythm) ranks.call(line, signature);
  }
}

// One call in which the last rank comes from a line of its own.
void playDisagreement(TrackedRanks& ranks, std::size_t size, LocalSite line) {
  std::vector<LocalSite> locals(size, line);
  locals.back() = 0xbad;
  ranks.call(locals, kSmall);
}

TEST(SiteTracker, keepsNumbersAndFindsStepAgainAfterOneDisagreeingEpoch) {
  TrackedRanks ranks(4, 5);
  play(ranks, {kLineA, kLineA, kLineB}, 20);
  const SiteId a = ranks.resolved().front().site;
  const std::int64_t agreed_before = ranks.agreedEpochs();
  // A call of another line in place of B, on one rank only, and one call too many: the rhythm is out of step.
  playDisagreement(ranks, 4, kLineA);
  play(ranks, {kLineA}, 4);
  EXPECT_EQ(ranks.agreedEpochs(), agreed_before);
  play(ranks, {kLineA, kLineA, kLineB}, 5);  // resolved at the end of the epoch after it
  ranks.startScore();
  play(ranks, {kLineA, kLineA, kLineB}, 20);
  EXPECT_EQ(ranks.right(), ranks.scored());
  EXPECT_EQ(ranks.tracker(0).localSite(a), kLineA);
  EXPECT_EQ(ranks.tracker(3).localSite(3), 0U) << "the line of the disagreement has no number";
}

TEST(SiteTracker, numbersSitesOfADisagreeingEpochWhenTheyAreAgreedLater) {
  TrackedRanks ranks(3, 4);
  play(ranks, {kLineA}, 8);
  playDisagreement(ranks, 3, kLineC);
  play(ranks, {kLineC}, 3);
  play(ranks, {kLineB, kLineC}, 6);
  EXPECT_EQ(ranks.tracker(0).localSite(2), kLineB);
  EXPECT_EQ(ranks.tracker(2).localSite(2), kLineB);
  EXPECT_EQ(ranks.tracker(2).localSite(3), kLineC);
}

TEST(SiteTracker, keepsPredictingWhileTheRanksDisagree) {
  TrackedRanks ranks(3, 4);
  play(ranks, {kLineA, kLineB}, 8);
  for (int epoch = 0; epoch < 4; ++epoch) {
    playDisagreement(ranks, 3, kLineA);
    play(ranks, {kLineB, kLineA, kLineB}, 1);
  }
  const std::size_t first_of_disagreement = 16;
  for (std::size_t i = first_of_disagreement; i < ranks.resolved().size(); ++i) {
    EXPECT_EQ(ranks.resolved()[i].site, i % 2 == 0 ? 1 : 2) << "the predicted site stands, call " << i;
  }
}

TEST(SiteTracker, findsStepAgainWithinTwoEpochsWhenARhythmSkipsABeat) {
  TrackedRanks ranks(4, 7);
  play(ranks, {kLineA, kLineB}, 30);
  play(ranks, {kLineB}, 1);  // B twice: all predictions are wrong from here
  play(ranks, {kLineA, kLineB}, 7);
  ranks.startScore();
  play(ranks, {kLineA, kLineB}, 40);
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, mixesHandlesWithPredictedSites) {
  TrackedRanks ranks(3, 6);
  constexpr SiteId kHandle = kFirstHandleSite + 1;
  for (int period = 0; period < 40; ++period) {
    if (period == 6) ranks.startScore();
    ranks.call(kLineA, kSmall);
    ranks.callHandle(kHandle, kSmall);
    ranks.call(kLineB, kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
  EXPECT_EQ(ranks.resolved()[1].site, kHandle);
  EXPECT_EQ(ranks.resolved()[2].site, 2) << "a handle takes no number";
}

TEST(SiteTracker, takesLabelsAndAddressesAlike) {
  TrackedRanks ranks(3, 6);
  constexpr LocalSite kLabel = 0xfeedfacecafebeef;  // a hash, equal on all ranks
  for (int period = 0; period < 40; ++period) {
    if (period == 6) ranks.startScore();
    ranks.call(kLabel, kSmall);
    ranks.call(std::vector<LocalSite>{kLineA, kLineB, kLineC}, kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
  EXPECT_EQ(ranks.tracker(2).localSite(1), kLabel);
  EXPECT_EQ(ranks.tracker(2).localSite(2), kLineC);
}

TEST(SiteTracker, neverPredictsAHandle) {
  TrackedRanks ranks(2, 3);
  for (int call = 0; call < 30; ++call) ranks.callHandle(kFirstHandleSite, kSmall);
  EXPECT_EQ(ranks.predict(kSmall), kAnySite);
}

TEST(SiteTracker, usesTheHandlesBetweenToTellSitesApart) {
  TrackedRanks ranks(3, 5);
  for (int period = 0; period < 40; ++period) {
    if (period == 8) ranks.startScore();
    // The same two lines; only the handle before them says which comes.
    ranks.callHandle(period % 2 == 0 ? kFirstHandleSite : kFirstHandleSite + 1, kLarge);
    ranks.call(period % 2 == 0 ? kLineA : kLineB, kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, takesUpASiteThatAppearsLate) {
  TrackedRanks ranks(4, 6);
  play(ranks, {kLineA, kLineB}, 50);
  const auto before = static_cast<std::int64_t>(ranks.agreedEpochs());
  play(ranks, {kLineA, kLineB, kLineC}, 8);
  EXPECT_GT(ranks.agreedEpochs(), before);
  EXPECT_EQ(ranks.tracker(3).localSite(3), kLineC);
  // Where A, B is all that is remembered, C and A are both possible; the context of three tells them apart at once.
  ranks.startScore();
  play(ranks, {kLineA, kLineB, kLineC}, 30);
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, takesUpASiteOfANewSignatureWithoutForgettingTheOthers) {
  TrackedRanks ranks(4, 6);
  play(ranks, {kLineA, kLineB}, 20);
  for (int period = 0; period < 30; ++period) {
    if (period == 5) ranks.startScore();
    play(ranks, {kLineA, kLineB}, 1);
    ranks.call(kLineC, kLarge);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, forgetsTheOldPhaseWhenTheProgramsNextOneContradictsIt) {
  TrackedRanks ranks(4, 4);
  play(ranks, {kLineA}, 1000);  // after three A comes A
  // Now B comes after three A. Its counts must outweigh those of the thousand calls within some forty periods.
  play(ranks, {kLineA, kLineA, kLineA, kLineB}, 40);
  ranks.startScore();
  play(ranks, {kLineA, kLineA, kLineA, kLineB}, 25);
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, staysRightWhenEpochsDouble) {
  TrackedRanks ranks(2, 4);
  std::size_t length = 4;
  const std::vector<LocalSite> rhythm = {kLineA, kLineB, kLineB};
  play(ranks, rhythm, 8);
  ranks.startScore();
  for (std::size_t call = 0; call < 2000; ++call) {
    if (call % 100 == 0 && length < 256) ranks.setEpochLength(length *= 2);
    ranks.call(rhythm[call % 3], kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
}

// Programs drawn at random: any order of sites and signatures, handles, epochs of any length, ranks that part now and
// then. Whatever is predicted, TrackedRanks checks that all ranks predict the same after every call.
TEST(SiteTracker, neverLetsRanksPredictDifferentlyInRandomPrograms) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&random](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    const std::size_t size = 2 + draw(4);
    TrackedRanks ranks(size, 1 + draw(8));
    const unsigned sites = 1 + draw(6);
    const unsigned sizes = 1 + draw(3);
    const unsigned disagreements = draw(3) == 0 ? 0 : 5 + draw(60);  // one in so many calls
    for (int call = 0; call < 400; ++call) {
      if (draw(50) == 0) ranks.setEpochLength(10 + draw(20));
      const Signature signature = doubles(8 << draw(sizes));
      if (draw(20) == 0) {
        ranks.callHandle(kFirstHandleSite + static_cast<SiteId>(draw(2)), signature);
        continue;
      }
      std::vector<LocalSite> locals;
      const LocalSite line = kLineA + draw(sites);
      for (std::size_t rank = 0; rank < size; ++rank) locals.push_back(line + (rank << 32));
      if (disagreements > 0 && draw(disagreements) == 0)
        locals[draw(static_cast<unsigned>(size))] = kLineB + draw(sites);
      ranks.call(locals, signature);
    }
    if (disagreements == 0) {
      EXPECT_GT(ranks.tracker(0).scored(), 300) << "seed " << seed;
    }
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace starling
