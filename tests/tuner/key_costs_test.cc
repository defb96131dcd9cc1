#include "tuner/key_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace starling {
namespace {

Choice named(const char* text) { return parseChoice(text).value(); }

// Two algorithms that MPI libraries have, too, and one that heeds arrivals.
std::vector<Candidate> candidates(double ring = 1e-3, double slt = 2e-3) {
  return {{named("ring"), Seconds{ring}}, {named("rabenseifner"), Seconds{1.5e-3}}, {named("slt"), Seconds{slt}}};
}

KeyCosts predicted() {
  KeyCosts costs;
  costs.predict(candidates());
  return costs;
}

// Measures native and the ring.
void measure(KeyCosts& costs, double native, double ring, int calls = 8) {
  for (int i = 0; i < calls; ++i) {
    costs.observe(kNativeChoice, Seconds{native});
    costs.observe(named("ring"), Seconds{ring});
  }
}

KeyCosts::Allowance plenty(std::size_t trials = 6) { return {.trials = trials, .calls_to_come = 1000, .excess = 1e9}; }

TEST(KeyCosts, expectNativeToTakeWhatTheBestCommonAlgorithmDoes) {
  EXPECT_FALSE(KeyCosts().isRanked());
  const KeyCosts costs = predicted();
  ASSERT_TRUE(costs.isRanked());
  ASSERT_EQ(costs.arms().size(), 4U);
  EXPECT_NEAR(costs.expected(KeyCosts::kNative).value, 1e-3, 1e-9);
  EXPECT_NEAR(costs.expected(costs.armOf(named("slt").algorithm)).value, 2e-3, 1e-9);
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative) << "nothing is sure to be faster";
}

TEST(KeyCosts, leaveNativeForWhatIsSurelyFaster) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  const std::size_t ring = costs.armOf(named("ring").algorithm);
  EXPECT_EQ(costs.best(KeyCosts::kNative), ring);
  EXPECT_EQ(costs.best(ring), ring);
  EXPECT_NEAR(costs.expected(ring).value, 0.5e-3, 0.03e-3);
}

// Calls of a few microseconds, every other one just after the messages of an agreement.
TEST(KeyCosts, takeWhatAnAgreementTookForNoCostOfAShortCall) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{2e-6}}});
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(costs.observe(kNativeChoice, Seconds{1.5e-6})) << i;
    EXPECT_FALSE(costs.observe(kNativeChoice, Seconds{12e-6}, {}, Seconds{10e-6})) << i;
  }
  EXPECT_NEAR(costs.expected(KeyCosts::kNative).value, 1.5e-6, 0.1e-6);
  costs.observe(named("ring"), Seconds{12e-6}, {}, Seconds{10e-6});
  EXPECT_FALSE(costs.wasCalled(costs.armOf(named("ring").algorithm))) << "the call has told nothing of it";
}

TEST(KeyCosts, learnFromADisturbedCallWhatNoAgreementExplains) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{2e-6}}});
  costs.observe(kNativeChoice, Seconds{1.5e-6});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{200e-6}, {}, Seconds{10e-6});
  EXPECT_GT(costs.expected(KeyCosts::kNative).value, 100e-6) << "it takes longer now";
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{1.5e-6}, {}, Seconds{10e-6});
  EXPECT_LT(costs.expected(KeyCosts::kNative).value, 50e-6) << "no agreement makes calls shorter";
}

// A row of which only that is known is worth no trial, however little the prediction says that it takes.
TEST(KeyCosts, tryNothingOfWhichIsOnlyKnownThatItTakesFarLonger) {
  std::vector<Candidate> ranked = candidates(0.5e-3);
  ranked.front().takes_longer = true;
  KeyCosts costs;
  costs.predict(ranked);
  measure(costs, 1e-3, 1e-3, 1);
  costs.noteCalls(1'000'000);
  EXPECT_FALSE(costs.planTrials(KeyCosts::kNative, plenty()).empty());
  KeyCosts never_called;
  never_called.predict(ranked);
  never_called.observe(kNativeChoice, Seconds{1e-3});
  const std::vector<Choice> trials = never_called.planTrials(KeyCosts::kNative, plenty());
  EXPECT_FALSE(trials.empty());
  EXPECT_EQ(std::ranges::count(trials, named("ring")), 0);
  ranked.front().takes_longer = false;
  never_called.predict(ranked);
  EXPECT_EQ(std::ranges::count(never_called.planTrials(KeyCosts::kNative, plenty()), named("ring")), 1)
      << "ranks arrive in another way";
}

TEST(KeyCosts, putLittleAtStakeAtOnce) {
  KeyCosts risky;
  risky.predict(
      {{named("ring"), Seconds{1.7e-3}}, {named("slt"), Seconds{1.8e-3}}, {named("direct"), Seconds{1.9e-3}}});
  for (int i = 0; i < 8; ++i) risky.observe(kNativeChoice, Seconds{1e-3});
  const KeyCosts::Allowance most{.trials = 6, .calls_to_come = 1e6, .excess = 1e9};
  EXPECT_EQ(risky.planTrials(KeyCosts::kNative, most).size(), 1U) << "the first tells of the others";
  KeyCosts safe;
  safe.predict({{named("ring"), Seconds{0.6e-3}}, {named("slt"), Seconds{0.6e-3}}, {named("direct"), Seconds{0.6e-3}}});
  for (int i = 0; i < 8; ++i) safe.observe(kNativeChoice, Seconds{1e-3});
  KeyCosts safe_beside_others = predicted();
  for (int i = 0; i < 8; ++i) safe_beside_others.observe(kNativeChoice, Seconds{1e-3});
  EXPECT_EQ(safe.planTrials(KeyCosts::kNative, most).size(), 3U);
  KeyCosts::Allowance beside_others = most;
  beside_others.excess_under_way = 1.0;
  EXPECT_TRUE(safe_beside_others.planTrials(KeyCosts::kNative, beside_others).empty());
  EXPECT_TRUE(safe_beside_others.awaitsOthers()) << "the key goes on exploring";
}

// Native may have been held up in the calls that were seen of it.
TEST(KeyCosts, lookAgainInTimeAtWhatIsBelievedToCostFarMoreThanMayBeSaved) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{1e-5}}});
  measure(costs, 8e-3, 1e-5, 60);
  const std::size_t ring = costs.armOf(named("ring").algorithm);
  ASSERT_GT(costs.excessOf(KeyCosts::kNative, ring), 40.0);
  const KeyCosts::Allowance settled{.trials = 1, .calls_to_come = 100.0, .excess = 20.0, .may_check = true};
  costs.noteCalls(1000);
  EXPECT_TRUE(costs.planTrials(ring, settled).empty()) << "it would take as long as many of these calls";
  costs.noteCalls(20'000'000);
  EXPECT_EQ(std::ranges::count(costs.planTrials(ring, settled), kNativeChoice), 1);
}

TEST(KeyCosts, stayWithNativeWhereTheDifferenceIsSmall) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.99e-3);
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative);
}

TEST(KeyCosts, tryWhatMayBeFasterMostPromisingFirst) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1.2e-3});
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, plenty());
  ASSERT_FALSE(trials.empty());
  EXPECT_EQ(trials.front(), named("ring"));
  EXPECT_TRUE(costs.awaitsTrials());
  const std::vector<Choice> further = costs.planTrials(KeyCosts::kNative, plenty());
  EXPECT_EQ(std::ranges::count(further, named("ring")), 0) << "under way";
  for (const std::vector<Choice>& planned : {trials, further}) {
    for (const Choice& trial : planned) costs.noteTrial(trial);
  }
  EXPECT_FALSE(costs.awaitsTrials());
}

TEST(KeyCosts, tryNoMoreThanIsAllowed) {
  KeyCosts costs = predicted();
  EXPECT_EQ(costs.planTrials(KeyCosts::kNative, plenty(1)).size(), 1U);
  KeyCosts poor = predicted();
  KeyCosts::Allowance little = plenty();
  little.excess = 0.0;
  EXPECT_TRUE(poor.planTrials(KeyCosts::kNative, little).empty());
  KeyCosts short_lived = predicted();
  KeyCosts::Allowance few = plenty();
  few.calls_to_come = 0.1;
  EXPECT_TRUE(short_lived.planTrials(KeyCosts::kNative, few).empty());
}

TEST(KeyCosts, tryNothingThatIsSurelySlower) {
  KeyCosts costs = predicted();
  measure(costs, 0.1e-3, 1e-3, 20);
  for (int i = 0; i < 8; ++i) {
    costs.observe(named("rabenseifner"), Seconds{1.5e-3});
    costs.observe(named("slt"), Seconds{2e-3});
  }
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, plenty()).empty());
}

TEST(KeyCosts, lookNowAndThenAtWhatPromisesNothing) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 5e-3, 100);
  for (const char* slow : {"rabenseifner", "slt"}) {
    for (int i = 0; i < 100; ++i) costs.observe(named(slow), Seconds{4e-3});
  }
  KeyCosts::Allowance allowance = plenty(1);
  allowance.may_check = true;
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, allowance).empty()) << "not in the first calls";
  std::vector<std::int64_t> gaps;
  std::int64_t gap = 0;
  for (int call = 0; call < 100'000; ++call, ++gap) {
    for (const Choice& check : costs.planTrials(KeyCosts::kNative, allowance)) {
      costs.noteTrial(check);
      gaps.push_back(std::exchange(gap, 0));
    }
    costs.noteCalls(1);
  }
  EXPECT_GT(gaps.size(), 10U);
  EXPECT_GE(*std::ranges::min_element(gaps), 100);
  EXPECT_LT(static_cast<double>(gaps.size()) * 4.0, 0.004 * 100'000) << "what this costs is a small share";
  allowance.may_check = false;
  costs.noteCalls(100'000);
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, allowance).empty()) << "so that the test shows something";
}

TEST(KeyCosts, forgetTrialsThatWereNeverMade) {
  KeyCosts costs = predicted();
  ASSERT_FALSE(costs.planTrials(KeyCosts::kNative, plenty()).empty());
  for (int decision = 0; decision < 6; ++decision) costs.noteDecision();
  EXPECT_FALSE(costs.awaitsTrials());
}

TEST(KeyCosts, keepWhatWasLearnedWhenRanksArriveOtherwise) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 2e-3);  // the ring takes twice what is predicted
  costs.predict(candidates(1.5e-3));
  const std::size_t ring = costs.armOf(named("ring").algorithm);
  EXPECT_NEAR(costs.expected(ring).value, 3e-3, 0.1e-3);
  EXPECT_EQ(costs.arms()[ring].samples, 0) << "as it is arranged now";
}

TEST(KeyCosts, doNotRunWhatIsNoLongerPossible) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.2e-3);
  const std::size_t ring = costs.armOf(named("ring").algorithm);
  costs.predict({{named("rabenseifner"), Seconds{1.5e-3}}});
  EXPECT_FALSE(costs.arms()[ring].is_available);
  EXPECT_NE(costs.best(KeyCosts::kNative), ring);
  EXPECT_NE(costs.best(ring), ring);
}

TEST(KeyCosts, inheritWhatOthersHaveLearned) {
  KeyCosts first = predicted();
  measure(first, 1e-3, 2e-3);
  KeyCosts second = predicted();
  second.inherit(first.residuals(), 0);
  const std::size_t ring = second.armOf(named("ring").algorithm);
  EXPECT_NEAR(second.expected(ring).value, 2e-3, 0.1e-3);
  EXPECT_NEAR(second.expected(KeyCosts::kNative).value, 1e-3, 0.1e-3);
}

TEST(KeyCosts, keepTheRetryOfWhatWasGoodUntilItIsMade) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  costs.noteLoss(named("ring"), 3.0);
  costs.noteCalls(101);
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, plenty(0)).empty());
  EXPECT_EQ(costs.planTrials(KeyCosts::kNative, plenty(1)), std::vector<Choice>{named("ring")});
  costs.observe(named("ring"), Seconds{0.5e-3});
  EXPECT_EQ(costs.best(KeyCosts::kNative), costs.find(named("ring")));
}

TEST(KeyCosts, hearWhatAnotherKeyHasJustFound) {
  KeyCosts costs = predicted();
  const std::size_t slt = costs.armOf(named("slt").algorithm);
  const CostResidual found{.algorithm = named("slt").algorithm, .off = std::log(3.0), .deviation = 0.1};
  costs.hear(found, 0);
  const double heard = costs.expected(slt).value;
  EXPECT_GT(heard, 5e-3);
  costs.hear(found, 0);
  EXPECT_EQ(costs.expected(slt).value, heard) << "the same is not taken twice";
  costs.observe(named("slt"), Seconds{1e-3});
  costs.observe(named("slt"), Seconds{1e-3});
  const double measured = costs.expected(slt).value;
  costs.hear({.algorithm = named("slt").algorithm, .off = std::log(9.0), .deviation = 0.001}, 0);
  EXPECT_EQ(costs.expected(slt).value, measured) << "what was called here is known better";
}

TEST(KeyCosts, runWhatAKeyOfTheVeryShapeHasFoundFaster) {
  for (const std::int32_t distance : {0, 1}) {
    KeyCosts costs = predicted();
    for (int call = 0; call < 8; ++call) costs.observe(kNativeChoice, Seconds{1e-3});
    const std::size_t ring = costs.armOf(named("ring").algorithm);
    costs.hear({.algorithm = named("ring").algorithm, .off = std::log(0.5), .deviation = 0.05}, distance);
    EXPECT_FALSE(costs.wasCalled(ring));
    EXPECT_EQ(costs.best(KeyCosts::kNative), distance == 0 ? ring : KeyCosts::kNative);
  }
}

TEST(KeyCosts, runWhatIsTrustedThoughItWasNeverCalled) {
  KeyCosts costs = predicted();
  const std::size_t ring = costs.armOf(named("ring").algorithm);
  EXPECT_EQ(costs.best(ring), ring);
  const Choice slt = named("slt:segments=7");
  costs.trust(slt);
  EXPECT_EQ(costs.find(slt), costs.armOf(slt.algorithm)) << "with its own parameters";
  costs.trust(kNativeChoice);
  EXPECT_EQ(costs.arms()[KeyCosts::kNative].choice, kNativeChoice);
}

TEST(KeyCosts, leaveFirstTrialsToOthers) {
  KeyCosts costs = predicted();
  KeyCosts::Allowance allowance = plenty();
  allowance.is_left_to_others = [](std::int32_t algorithm) { return algorithm == named("ring").algorithm; };
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, allowance);
  EXPECT_FALSE(trials.empty());
  EXPECT_EQ(std::ranges::count(trials, named("ring")), 0);
  EXPECT_TRUE(costs.awaitsOthers());
  costs.hear({.algorithm = named("ring").algorithm, .off = 0.0, .deviation = 0.05}, 0);
  EXPECT_EQ(std::ranges::count(costs.planTrials(KeyCosts::kNative, plenty()), named("ring")), 1)
      << "nobody else is about to";
  EXPECT_FALSE(costs.awaitsOthers());
}

TEST(KeyCosts, assumeWhatAnEarlierRunHasLearned) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
  costs.assume(named("slt:segments=3"), 2.0, true);
  const std::size_t slt = costs.armOf(named("slt").algorithm);
  EXPECT_EQ(costs.arms()[slt].choice, named("slt:segments=3"));
  EXPECT_NEAR(costs.expected(slt).value, 0.5e-3, 0.15e-3);
  EXPECT_EQ(costs.best(KeyCosts::kNative), slt);
}

TEST(KeyCosts, assumeThatNothingElseIsFasterOnlyWhereRanksArriveAsTheyDidThen) {
  for (const bool arrives_as_then : {true, false}) {
    KeyCosts costs;
    costs.predict(candidates(0.4e-3));
    for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
    costs.assume(named("slt"), 1.25, arrives_as_then);
    const Seconds ring = costs.expected(costs.armOf(named("ring").algorithm));
    const Seconds slt = costs.expected(costs.armOf(named("slt").algorithm));
    EXPECT_EQ(ring > 0.9 * slt, arrives_as_then) << ring.value << " s, and " << slt.value << " s";
  }
}

TEST(KeyCosts, giveUpWhatHasALoss) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  const std::size_t ring = costs.armOf(named("ring").algorithm);
  ASSERT_EQ(costs.best(KeyCosts::kNative), ring);
  costs.noteLoss(named("ring"), 50.0);
  EXPECT_NE(costs.best(ring), ring);
  EXPECT_NEAR(costs.expected(ring) / costs.expected(KeyCosts::kNative), 50.0, 5.0);
  EXPECT_NEAR(costs.expected(KeyCosts::kNative).value, 1e-3, 0.05e-3) << "which has not changed";
  const std::size_t slt = costs.armOf(named("slt").algorithm);
  EXPECT_GT(costs.expected(slt).value, 4e-3) << "as slow, perhaps";
}

TEST(KeyCosts, takeATimeOfZeroForAShortOne) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 20; ++i) costs.observe(kNativeChoice, Seconds{i % 2 == 0 ? 0.0 : 1e-3});
  EXPECT_GT(costs.expected(KeyCosts::kNative).value, 0.1e-3);
  EXPECT_TRUE(std::isfinite(costs.expected(KeyCosts::kNative).value));
}

TEST(KeyCosts, ignoreWhatTheyDoNotKnow) {
  KeyCosts costs = predicted();
  EXPECT_FALSE(costs.observe(named("ring_segmented"), Seconds{1.0}));
  EXPECT_FALSE(costs.find(named("ring_segmented")));
  costs.noteTrial(named("ring_segmented"));
  costs.noteLoss(named("ring_segmented"), 5.0);
}

// Of which the first tells little.
TEST(KeyCosts, tryShortCallsThroughSharedMemorySeveralTimesInARow) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{2e-6}}, {named("node"), Seconds{1e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{1.5e-6});
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, plenty());
  EXPECT_EQ(std::ranges::count(trials, named("node")), 3);
  const std::size_t node = costs.armOf(kNodeAlgorithm);
  costs.observe(named("node"), Seconds{4e-6});
  EXPECT_LT(costs.expected(node).value, 2e-6) << "it was cold";
  for (int i = 0; i < 2; ++i) costs.observe(named("node"), Seconds{0.5e-6});
  EXPECT_NEAR(costs.expected(node).value, 0.5e-6, 0.1e-6);
  EXPECT_EQ(costs.best(KeyCosts::kNative), node);
}

// They take turns in memory that was never touched before.
TEST(KeyCosts, learnLittleFromTheFirstTwoShortCallsThroughSharedMemory) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{20e-6}}, {named("node"), Seconds{10e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{18e-6});
  const std::size_t node = costs.armOf(kNodeAlgorithm);
  EXPECT_TRUE(costs.isCold(node));
  for (int i = 0; i < 2; ++i) costs.observe(named("node"), Seconds{40e-6});
  EXPECT_FALSE(costs.isCold(node));
  EXPECT_LT(costs.expected(node).value, 20e-6);
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, plenty());
  EXPECT_GT(std::ranges::count(trials, named("node")), 0) << "what is still unknown is tried again";
  costs.observe(kNativeChoice, Seconds{18e-6});
  EXPECT_TRUE(costs.isCold(node)) << "the caches hold what native needed";
}

// What native takes beside `node` is known from calls that follow each other, as they would without Starling.
TEST(KeyCosts, lookAtShortCallsOfNativeSeveralTimesInARow) {
  for (const bool has_memory : {true, false}) {
    KeyCosts costs;
    const char* const choice = has_memory ? "node" : "ring";
    costs.predict({{named(choice), Seconds{1e-6}}});
    for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{1.5e-6});
    for (int i = 0; i < 8; ++i) costs.observe(named(choice), Seconds{0.5e-6});
    costs.noteCalls(1'000'000);
    EXPECT_EQ(costs.isCold(KeyCosts::kNative), has_memory);
    KeyCosts::Allowance allowance = plenty();
    allowance.trials = 1;
    allowance.calls_to_come = 0.0;
    allowance.may_check = true;
    const std::vector<Choice> trials = costs.planTrials(*costs.find(named(choice)), allowance);
    EXPECT_EQ(std::ranges::count(trials, kNativeChoice), has_memory ? 3 : 1);
    costs.observe(kNativeChoice, Seconds{1.5e-6});
    EXPECT_FALSE(costs.isCold(KeyCosts::kNative));
  }
}

TEST(KeyCosts, lookAtLongerCallsOfNativeOnce) {
  KeyCosts costs;
  costs.predict({{named("node"), Seconds{10e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{30e-6});
  costs.observe(named("node"), Seconds{10e-6});
  EXPECT_FALSE(costs.isCold(KeyCosts::kNative));
}

TEST(KeyCosts, tryLongCallsThroughSharedMemoryOnce) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{20e-3}}, {named("node"), Seconds{10e-3}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{15e-3});
  EXPECT_EQ(std::ranges::count(costs.planTrials(KeyCosts::kNative, plenty()), named("node")), 1);
}

}  // namespace
}  // namespace starling
