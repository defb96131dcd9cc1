#include "tuner/site_tracker.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "tracked_ranks.h"

namespace starling {
namespace {

// Lines of a program; rank r sees them at addresses of its own where `perRank` is used.
constexpr LocalSite kLineA = 0x4010a0;
constexpr LocalSite kLineB = 0x4010b0;
constexpr LocalSite kLineC = 0x4010c0;

const Signature kSmall = doubles(8);
const Signature kMedium = doubles(4096);
const Signature kLarge = doubles(1 << 20);

// The same line on ranks whose modules lie at different addresses.
std::vector<LocalSite> perRank(LocalSite line, std::size_t ranks) {
  std::vector<LocalSite> locals;
  for (std::size_t rank = 0; rank < ranks; ++rank) locals.push_back(line + (rank << 32));
  return locals;
}

TEST(SiteTracker, predictsAnySiteBeforeTheFirstAgreement) {
  TrackedRanks ranks(4, 4);
  for (int call = 0; call < 8; ++call) {
    EXPECT_EQ(ranks.predict(kSmall), kAnySite);
    ranks.call(kLineA, kSmall);
  }
  EXPECT_EQ(ranks.predict(kSmall), 1) << "the first epoch is resolved at the end of the second";
}

TEST(SiteTracker, namesOneSiteWhenRanksCallFromDifferentLines) {
  TrackedRanks ranks(5, 4);
  const std::vector<LocalSite> locals = {kLineA, kLineB, kLineB, kLineB, kLineB};
  for (int call = 0; call < 12; ++call) ranks.call(locals, kSmall);
  EXPECT_EQ(ranks.predict(kSmall), 1);
  EXPECT_EQ(ranks.tracker(0).localSite(1), kLineA);
  EXPECT_EQ(ranks.tracker(4).localSite(1), kLineB);
}

TEST(SiteTracker, tellsTwoSitesApartWhenTheyAlternateWithEqualSignatures) {
  TrackedRanks ranks(3, 4);
  for (int call = 0; call < 100; ++call) {
    if (call == 8) ranks.startScore();
    ranks.call(perRank(call % 2 == 0 ? kLineA : kLineB, 3), kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
  EXPECT_EQ(ranks.tracker(0).scored(), 96);
  EXPECT_EQ(ranks.tracker(0).predictedRight(), 96 - 8) << "all but those of the first two epochs";
}

// Calls of A that were taken to follow each other would say that A follows A.
TEST(SiteTracker, learnsNothingOfWhatFollowsCallsThatWereNotNoted) {
  TrackedRanks ranks(2, 4);
  for (int call = 0; call < 64; ++call) {
    ranks.interrupt();
    ranks.call(kLineA, kSmall);
  }
  ranks.interrupt();
  for (int call = 0; call < 12; ++call) ranks.call(call % 2 == 0 ? kLineA : kLineB, kSmall);
  ranks.interrupt();
  ranks.startScore();
  for (int call = 0; call < 8; ++call) ranks.call(call % 2 == 0 ? kLineA : kLineB, kSmall);
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, whatFollowsCallsThatWereNotNotedHasNoContext) {
  TrackedRanks ranks(2, 4);
  const auto predicted = [&ranks] { return ranks.tracker(0).localSite(ranks.predict(kSmall)); };
  // After such calls A comes, then B; but after C and A comes C.
  for (int i = 0; i < 64; ++i) {
    ranks.interrupt();
    for (const LocalSite line : {kLineA, kLineB}) ranks.call(line, kSmall);
  }
  ranks.interrupt();
  for (int call = 0; call < 28; ++call) ranks.call(call % 2 == 0 ? kLineA : kLineC, kSmall);
  ranks.interrupt();
  EXPECT_EQ(predicted(), kLineA);
  ranks.call(kLineA, kSmall);
  EXPECT_EQ(predicted(), kLineB);
  ranks.endEpoch();
  EXPECT_EQ(predicted(), kLineB) << "though it is known by now that C came before those calls";
  ranks.interrupt();
  ranks.call(kLineA, kSmall);
  ranks.interrupt();
  ranks.endEpoch();
  EXPECT_EQ(predicted(), kLineA);
}

TEST(SiteTracker, tellsSitesApartWhenEachOfTwoBranchesAlternates) {
  // Rank 0 takes one branch of an if, the others the other one; each branch calls twice.
  TrackedRanks ranks(4, 5);
  for (int call = 0; call < 60; ++call) {
    if (call == 10) ranks.startScore();
    const bool first = call % 2 == 0;
    std::vector<LocalSite> locals(4, first ? 0x200 : 0x201);
    locals[0] = first ? 0x100 : 0x101;
    ranks.call(locals, kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, followsRhythmsOfThreeWhateverTheEpochLength) {
  for (const std::size_t epoch_length : {3, 4, 5, 7, 32}) {
    TrackedRanks ranks(2, epoch_length);
    const LocalSite rhythm[] = {kLineA, kLineA, kLineB};
    // The contexts that the first epoch leaves half known are complete after the second.
    const std::size_t learning = 3 * epoch_length;
    for (std::size_t call = 0; call < learning + 90; ++call) {
      if (call == learning) ranks.startScore();
      ranks.call(rhythm[call % 3], kSmall);
    }
    EXPECT_EQ(ranks.right(), ranks.scored()) << "epochs of " << epoch_length;
  }
}

TEST(SiteTracker, isExactForSitesWithSignaturesOfTheirOwnInAnyOrder) {
  std::mt19937 random(7);
  TrackedRanks ranks(3, 6);
  const LocalSite lines[] = {kLineA, kLineB, kLineC};
  const Signature signatures[] = {kSmall, kMedium, kLarge};
  std::vector<int> order = {0, 1, 2, 0, 1, 2};  // all are met in the first epoch
  while (order.size() < 200) order.push_back(static_cast<int>(random() % 3));
  for (std::size_t call = 0; call < order.size(); ++call) {
    if (call == 12) ranks.startScore();
    ranks.call(lines[order[call]], signatures[order[call]]);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, isExactForDataDependentLoopsWhenSignaturesDiffer) {
  std::mt19937 random(11);
  TrackedRanks ranks(4, 8);
  for (int outer = 0; outer < 60; ++outer) {
    if (outer == 10) ranks.startScore();
    ranks.call(perRank(kLineA, 4), kMedium);
    for (auto inner = random() % 6; inner > 0; --inner) ranks.call(perRank(kLineB, 4), kSmall);
  }
  EXPECT_EQ(ranks.right(), ranks.scored());
}

TEST(SiteTracker, losesStepForAFewCallsOnlyWhenALoopOfUnknownLengthEnds) {
  // After A come one to four calls of B, then C; B and C look alike, so where the loop ends is a guess.
  std::mt19937 random(13);
  TrackedRanks ranks(4, 16);
  std::int64_t first_inner_right = 0;
  constexpr int kIterations = 200;
  for (int outer = -20; outer < kIterations; ++outer) {
    if (outer == 0) ranks.startScore();
    ranks.call(kLineA, kLarge);
    const std::int64_t before = ranks.right();
    ranks.call(kLineB, kSmall);
    if (outer >= 0) first_inner_right += ranks.right() - before;
    for (auto inner = random() % 4; inner > 0; --inner) ranks.call(kLineB, kSmall);
    ranks.call(kLineC, kSmall);
  }
  EXPECT_EQ(first_inner_right, kIterations) << "A is known by its signature, and B follows A";
  // Guessing B always would be right in 1 + 2.5 of 4.5 calls.
  EXPECT_GE(static_cast<double>(ranks.right()), 0.75 * static_cast<double>(ranks.scored()));
}

TEST(SiteTracker, predictsAnySiteForEverWhenRanksNeverAgree) {
  std::mt19937 random(17);
  TrackedRanks ranks(4, 8);
  for (int call = 0; call < 400; ++call) {
    std::vector<LocalSite> locals;
    for (int rank = 0; rank < 4; ++rank) locals.push_back(kLineA + random() % 3);
    ranks.call(locals, call % 2 == 0 ? kSmall : kLarge);
    EXPECT_EQ(ranks.predict(kSmall), kAnySite);
    EXPECT_EQ(ranks.predict(kLarge), kAnySite);
  }
  EXPECT_EQ(ranks.agreedEpochs(), 0);
  EXPECT_EQ(ranks.tracker(0).scored(), 0);
  for (const SiteTracker::Call& call : ranks.resolved()) EXPECT_EQ(call.site, kAnySite);
}

TEST(SiteTracker, giveEqualHashesOnlyToEqualSequencesOfSites) {
  std::set<std::uint64_t> hashes;
  const std::vector<std::vector<LocalSite>> sequences = {
      {kLineA}, {kLineA, kLineA}, {kLineA, kLineB}, {kLineA, kLineB, kLineA}, {kLineA, kLineB, kLineB}, {}};
  for (const std::vector<LocalSite>& sequence : sequences) {
    SiteTracker tracker;
    for (const LocalSite line : sequence) tracker.record(line, kSmall, kAnySite);
    hashes.insert(tracker.closeEpoch());
  }
  SiteTracker of_other_size;
  of_other_size.record(kLineA, kLarge, kAnySite);
  hashes.insert(of_other_size.closeEpoch());
  EXPECT_EQ(hashes.size(), sequences.size() + 1);
}

TEST(SiteTracker, resolvesCallsToAgreedSitesInOrder) {
  TrackedRanks ranks(2, 3);
  for (const LocalSite line : {kLineB, kLineA, kLineB}) ranks.call(line, kSmall);
  ranks.endEpoch();
  ASSERT_EQ(ranks.resolved().size(), 3U);
  EXPECT_EQ(ranks.resolved()[0].site, 1);
  EXPECT_EQ(ranks.resolved()[1].site, 2);
  EXPECT_EQ(ranks.resolved()[2].site, 1);
  EXPECT_EQ(ranks.resolved()[0].signature, kSmall);
  EXPECT_EQ(ranks.tracker(1).localSite(2), kLineA);
}

TEST(SiteTracker, hasNoLocalNameForAnySiteAndHandlesAndUnknownSites) {
  TrackedRanks ranks(2, 1);
  ranks.call(kLineA, kSmall);
  ranks.endEpoch();
  EXPECT_EQ(ranks.tracker(0).localSite(1), kLineA);
  EXPECT_EQ(ranks.tracker(0).localSite(kAnySite), 0U);
  EXPECT_EQ(ranks.tracker(0).localSite(2), 0U);
  EXPECT_EQ(ranks.tracker(0).localSite(kFirstHandleSite), 0U);
}

TEST(SiteTracker, resolvesAnEpochWithoutCalls) {
  TrackedRanks ranks(3, 4);
  ranks.endEpoch();
  ranks.endEpoch();
  EXPECT_TRUE(ranks.resolved().empty());
  EXPECT_EQ(ranks.predict(kSmall), kAnySite);
}

TEST(SiteTracker, learnsACallAtACostThatDoesNotGrowWithTheSites) {
  SiteTracker tracker;
  for (LocalSite line = 1; line <= 2000; ++line) {
    tracker.record(line, kSmall, tracker.predict(kSmall));
    tracker.closeEpoch();
    tracker.resolve(true);
  }
  EXPECT_LE(tracker.mostSuccessors(), 64U);
}

}  // namespace
}  // namespace starling
