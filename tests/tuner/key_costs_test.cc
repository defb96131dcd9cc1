#include "tuner/key_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cost_candidates.h"

namespace starling {
namespace {

TEST(KeyCosts, expectNativeToTakeWhatTheBestCommonAlgorithmDoes) {
  EXPECT_FALSE(KeyCosts().isRanked());
  const KeyCosts costs = predicted();
  ASSERT_TRUE(costs.isRanked());
  ASSERT_EQ(costs.arms().size(), 5U) << "native, and the other form of slt";
  EXPECT_NEAR(costs.expected(KeyCosts::kNative).value, 1e-3, 1e-9);
  EXPECT_NEAR(costs.expected(costs.armOf(named("slt"))).value, 2e-3, 1e-9);
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative) << "nothing is sure to be faster";
}

TEST(KeyCosts, leaveNativeForWhatIsSurelyFaster) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  const std::size_t ring = costs.armOf(named("ring"));
  EXPECT_EQ(costs.best(KeyCosts::kNative), ring);
  EXPECT_EQ(costs.best(ring), ring);
  EXPECT_NEAR(costs.expected(ring).value, 0.5e-3, 0.03e-3);
}

// However little was predicted of it: how much longer it took for its being the first is a guess.
TEST(KeyCosts, leaveNativeForNothingWhoseOnlyCallTookMuchLonger) {
  constexpr Seconds kNative{2e-3};
  for (const double times : {2.1, 3.0, 50.0}) {
    KeyCosts costs;
    costs.predict({{named("ring"), Seconds{0.05e-3}}, {named("recursive_doubling"), Seconds{1e-3}}});
    for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, kNative);
    const std::size_t ring = costs.armOf(named("ring"));
    costs.observe(named("ring"), times * kNative);
    EXPECT_GT(costs.probabilityOfLess(ring, KeyCosts::kNative), 0.9);
    EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative) << times;
    costs.observe(named("ring"), 0.5 * kNative);
    EXPECT_EQ(costs.best(KeyCosts::kNative), ring) << times;
  }
}

// A plan is arranged anew on each communicator.
TEST(KeyCosts, takeTheFirstCallOnEachCommunicatorForOne) {
  const auto expected_after = [](bool is_told) {
    KeyCosts costs = predicted();
    for (int communicator = 0; communicator < 12; ++communicator) {
      if (is_told) costs.noteCommunicator();
      costs.observe(named("ring"), Seconds{1e-3});
      costs.observe(named("ring"), Seconds{0.5e-3});
    }
    return costs.expected(costs.armOf(named("ring"))).value;
  };
  EXPECT_NEAR(expected_after(true), 0.5e-3, 0.03e-3) << "each is slow because it is the first";
  EXPECT_GT(expected_after(false), 1.1 * expected_after(true));
}

// They belong to other keys that had begun them before all ranks stopped the choice.
TEST(KeyCosts, learnNothingFromCallsOfWhatWaitsForARetry) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  costs.noteLoss(named("ring"), 3.0);
  for (int i = 0; i < 8; ++i) costs.observe(named("ring"), Seconds{0.5e-3});
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative);
  for (int i = 0; i < 8; ++i) costs.observe(named("ring"), Seconds{3e-3});
  costs.noteCalls(101);
  costs.observe(named("ring"), Seconds{0.5e-3});
  EXPECT_EQ(costs.best(KeyCosts::kNative), costs.armOf(named("ring"))) << "the wait is no longer for slow ones";
}

TEST(KeyCosts, expectCallsToScatterAsTheLatestChoiceOfTheirAlgorithmDoes) {
  const auto certainty = [](const char* first, const char* second) {
    KeyCosts costs;
    for (const char* choice : {first, second})
      costs.predict({{named("ring"), Seconds{1e-3}}, {named(choice), Seconds{1e-3}}});
    const std::size_t arm = costs.armOf(named(second));
    for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
    for (int i = 0; i < 3; ++i) costs.observe(named(second), Seconds{0.85e-3});
    return costs.probabilityOfLess(arm, KeyCosts::kNative);
  };
  const double free = certainty("two_level", "two_level:inner=1");
  const double in_step = certainty("two_level", "two_level:inner=6");
  EXPECT_LT(in_step, free);
  EXPECT_NEAR(certainty("two_level:inner=6", "two_level:inner=1"), free, 1e-9);
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
  EXPECT_FALSE(costs.wasCalled(costs.armOf(named("ring")))) << "the call has told nothing of it";
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

// All but a microsecond of the only call may be the agreement's: what was predicted is known no better than before.
TEST(KeyCosts, chooseNothingForACallThatAnAgreementExplainsAlmostAll) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{0.5e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{5e-6});
  costs.observe(named("ring"), Seconds{20.9e-6}, {}, Seconds{10e-6});
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative);
}

TEST(KeyCosts, stayWithNativeWhereTheDifferenceIsSmall) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.99e-3);
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative);
}

TEST(KeyCosts, keepWhatWasLearnedWhenRanksArriveOtherwise) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 2e-3);  // the ring takes twice what is predicted
  costs.predict(candidates(1.5e-3));
  const std::size_t ring = costs.armOf(named("ring"));
  EXPECT_NEAR(costs.expected(ring).value, 3e-3, 0.1e-3);
  EXPECT_EQ(costs.arms()[ring].samples, 0) << "as it is arranged now";
}

TEST(KeyCosts, leaveWhatWasCalledSinceRanksMovedAsItWasFound) {
  KeyCosts costs = predicted();
  measure(costs, 2e-3, 1e-3);
  const std::size_t ring = *costs.find(named("ring"));
  const double sure = costs.nativeBeside(ring).deviation;
  costs.noteMove();
  EXPECT_GT(costs.nativeBeside(ring).deviation, sure + 0.1) << "how much that makes of the costs is not known";
  EXPECT_NEAR(costs.expected(ring).value, 1e-3, 0.05e-3);
  for (int call = 0; call < 16; ++call) costs.observe(named("ring"), Seconds{2e-3});
  costs.predict(candidates(2e-3));
  EXPECT_NEAR(costs.expected(ring).value, 2e-3, 0.1e-3) << "twice as much as before has been seen already";
  costs.predict(candidates(1e-3));
  EXPECT_NEAR(costs.expected(ring).value, 1e-3, 0.05e-3) << "rows were ranked when ranks moved again";
}

TEST(KeyCosts, doNotRunWhatIsNoLongerPossible) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.2e-3);
  const std::size_t ring = costs.armOf(named("ring"));
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
  const std::size_t ring = second.armOf(named("ring"));
  EXPECT_NEAR(second.expected(ring).value, 2e-3, 0.1e-3);
  EXPECT_NEAR(second.expected(KeyCosts::kNative).value, 1e-3, 0.1e-3);
}

TEST(KeyCosts, hearWhatAnotherKeyHasJustFound) {
  KeyCosts costs = predicted();
  const std::size_t slt = costs.armOf(named("slt"));
  const CostResidual found{.row = formOf(named("slt")), .off = std::log(3.0), .deviation = 0.1};
  costs.hear(found, 0);
  const double heard = costs.expected(slt).value;
  EXPECT_GT(heard, 5e-3);
  costs.hear(found, 0);
  EXPECT_EQ(costs.expected(slt).value, heard) << "the same is not taken twice";
  costs.observe(named("slt"), Seconds{1e-3});
  costs.observe(named("slt"), Seconds{1e-3});
  const double measured = costs.expected(slt).value;
  costs.hear({.row = formOf(named("slt")), .off = std::log(9.0), .deviation = 0.001}, 0);
  EXPECT_EQ(costs.expected(slt).value, measured) << "what was called here is known better";
}

// It is known as badly as before, but known to be elsewhere.
TEST(KeyCosts, hearOfASurpriseThoughItIsNotSure) {
  for (const bool is_surprise : {false, true}) {
    KeyCosts costs = predicted();
    const std::size_t slt = costs.armOf(named("slt"));
    const double before = costs.expected(slt).value;
    costs.hear({.row = formOf(named("slt")), .off = is_surprise ? std::log(6.0) : 0.1, .deviation = 0.5}, 0);
    EXPECT_EQ(costs.expected(slt).value > before, is_surprise);
  }
}

TEST(KeyCosts, tellNothingOfWhatBecameSlowHere) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3, 12);
  const auto tells_of = [&](const char* row) {
    const std::vector<CostResidual> residuals = costs.residuals();
    return std::ranges::count(residuals, formOf(named(row)), &CostResidual::row) == 1;
  };
  EXPECT_TRUE(tells_of("ring"));
  EXPECT_TRUE(tells_of("slt"));
  costs.noteLoss(named("ring"), 5.0);
  EXPECT_FALSE(tells_of("ring")) << "it may have been held up in this key alone";
  EXPECT_FALSE(tells_of("slt")) << "it was never called: what is believed of it follows from that";
  EXPECT_TRUE(tells_of("native"));
}

// Its first call may be slow because it is the first.
TEST(KeyCosts, stayWithWhatOthersHaveFoundThoughItsFirstCallIsSlow) {
  KeyCosts costs = predicted();
  for (int call = 0; call < 4; ++call) costs.observe(kNativeChoice, Seconds{1e-3});
  costs.inherit(std::vector<CostResidual>{{formOf(named("ring")), std::log(0.5), 0.05}}, 0);
  costs.trust(named("ring"));
  const std::size_t ring = costs.armOf(named("ring"));
  costs.observe(named("ring"), Seconds{1.6e-3});
  EXPECT_EQ(costs.best(ring), ring);
  for (int call = 0; call < 8; ++call) {
    costs.observe(named("ring"), Seconds{1.6e-3});
    costs.observe(kNativeChoice, Seconds{1e-3});
  }
  EXPECT_EQ(costs.best(ring), KeyCosts::kNative) << "it is slow here";
}

TEST(KeyCosts, runWhatAKeyOfTheVeryShapeHasFoundFaster) {
  for (const std::int32_t distance : {0, 1}) {
    KeyCosts costs = predicted();
    for (int call = 0; call < 8; ++call) costs.observe(kNativeChoice, Seconds{1e-3});
    const std::size_t ring = costs.armOf(named("ring"));
    costs.hear({.row = formOf(named("ring")), .off = std::log(0.5), .deviation = 0.05}, distance);
    EXPECT_FALSE(costs.wasCalled(ring));
    EXPECT_EQ(costs.best(KeyCosts::kNative), distance == 0 ? ring : KeyCosts::kNative);
  }
}

TEST(KeyCosts, runWhatIsTrustedThoughItWasNeverCalled) {
  KeyCosts costs = predicted();
  const std::size_t ring = costs.armOf(named("ring"));
  EXPECT_EQ(costs.best(ring), ring);
  const Choice slt = named("slt:segments=7");
  costs.trust(slt);
  EXPECT_EQ(costs.find(slt), costs.armOf(slt)) << "with its own parameters";
  costs.trust(kNativeChoice);
  EXPECT_EQ(costs.arms()[KeyCosts::kNative].choice, kNativeChoice);
}

// The two forms of a row, with late ranks that are predicted and with those that flags name, cost about the same.
TEST(KeyCosts, knowBothFormsOfARow) {
  KeyCosts costs;
  costs.predict(
      {{named("slt"), Seconds{2e-3}}, {named("ring"), Seconds{1e-3}}, {named("slt:flagged=1"), Seconds{2e-3}}});
  EXPECT_EQ(costs.arms().size(), 4U);
  const std::size_t plain = costs.armOf(named("slt"));
  const std::size_t flagged = costs.armOf(named("slt:flagged=1"));
  ASSERT_NE(plain, flagged);
  for (int call = 0; call < 8; ++call) costs.observe(named("slt"), Seconds{0.5e-3});
  EXPECT_NEAR(costs.expected(flagged).value, 0.5e-3, 0.1e-3);
  EXPECT_FALSE(costs.wasCalled(flagged));
  for (int call = 0; call < 40; ++call) {
    costs.observe(named("slt"), Seconds{0.5e-3});
    costs.observe(named("slt:flagged=1"), Seconds{0.485e-3});
  }
  EXPECT_GT(costs.probabilityOfLess(flagged, plain), 0.75);
  EXPECT_EQ(costs.best(plain), plain) << "which is no difference between two forms";
  for (int call = 0; call < 40; ++call) costs.observe(named("slt:flagged=1"), Seconds{0.3e-3});
  EXPECT_EQ(costs.best(plain), flagged);
}

TEST(KeyCosts, knowTheFormThatIsNoCandidateYet) {
  KeyCosts costs;
  costs.predict({{named("slt"), Seconds{2e-3}}});
  const std::size_t flagged = costs.armOf(named("slt:flagged=1"));
  ASSERT_LT(flagged, costs.arms().size());
  EXPECT_FALSE(costs.arms()[flagged].is_available);
  costs.predict({{named("slt"), Seconds{2e-3}}, {named("slt:flagged=1"), Seconds{1e-3}}});
  EXPECT_TRUE(costs.arms()[flagged].is_available);
  EXPECT_EQ(costs.arms()[flagged].predicted, Seconds{1e-3});
  KeyCosts with_one_form;
  with_one_form.predict({{named("ring"), Seconds{1e-3}}});
  EXPECT_EQ(with_one_form.arms().size(), 2U);
}

TEST(KeyCosts, assumeWhatAnEarlierRunHasLearned) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
  costs.assume(named("slt:segments=3"), 2.0, true);
  const std::size_t slt = costs.armOf(named("slt"));
  EXPECT_EQ(costs.arms()[slt].choice, named("slt:segments=3"));
  EXPECT_NEAR(costs.expected(slt).value, 0.5e-3, 0.15e-3);
  EXPECT_EQ(costs.best(KeyCosts::kNative), slt);
}

TEST(KeyCosts, keepWhatWasAssumedUntilACallTellsMore) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{20e-6}}, {named("node"), Seconds{3e-6}}});
  for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{15e-6});
  costs.assume(named("node"), 4.0, true);
  const std::size_t node = costs.armOf(named("node"));
  const Seconds assumed = costs.expected(node);
  const Seconds native = costs.expected(KeyCosts::kNative);
  const auto is_node = [](const CostResidual& one) { return one.row.algorithm == kNodeAlgorithm; };
  costs.observe(named("node"), Seconds{43e-6}, {}, Seconds{10e-6});
  for (int i = 0; i < 2; ++i) costs.observe(named("node"), Seconds{35e-6});
  EXPECT_EQ(costs.expected(node), assumed) << "the first calls find nothing in the caches";
  EXPECT_EQ(costs.expected(KeyCosts::kNative), native);
  EXPECT_FALSE(costs.wasCalled(node));
  EXPECT_TRUE(std::ranges::none_of(costs.residuals(), is_node)) << "this run has not found it";
  costs.observe(named("node"), Seconds{35e-6}, Seconds{60e-6});
  EXPECT_TRUE(costs.wasCalled(node));
  EXPECT_GT(costs.expected(node).value, 30e-6) << "one warm call weighs more, however badly clocks agree";
}

TEST(KeyCosts, assumeNothingMoreOfWhatHasALoss) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
  costs.assume(named("slt"), 2.0, true);
  const std::size_t slt = costs.armOf(named("slt"));
  costs.noteLoss(named("slt"), 50.0);
  costs.observe(named("slt"), Seconds{0.5e-3}, Seconds{0.5e-3});
  EXPECT_GT(costs.expected(slt).value, 2e-3) << "one call that tells little does not undo it";
}

TEST(KeyCosts, assumeThatNothingElseIsFasterOnlyWhereRanksArriveAsTheyDidThen) {
  for (const bool arrives_as_then : {true, false}) {
    KeyCosts costs;
    costs.predict(candidates(0.4e-3));
    for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
    costs.assume(named("slt"), 1.25, arrives_as_then);
    const Seconds ring = costs.expected(costs.armOf(named("ring")));
    const Seconds slt = costs.expected(costs.armOf(named("slt")));
    EXPECT_EQ(ring > 0.9 * slt, arrives_as_then) << ring.value << " s, and " << slt.value << " s";
  }
}

TEST(KeyCosts, giveUpWhatHasALoss) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  const std::size_t ring = costs.armOf(named("ring"));
  ASSERT_EQ(costs.best(KeyCosts::kNative), ring);
  costs.noteLoss(named("ring"), 50.0);
  EXPECT_NE(costs.best(ring), ring);
  EXPECT_NEAR(costs.expected(ring) / costs.expected(KeyCosts::kNative), 50.0, 5.0);
  EXPECT_NEAR(costs.expected(KeyCosts::kNative).value, 1e-3, 0.05e-3) << "which has not changed";
  const std::size_t slt = costs.armOf(named("slt"));
  EXPECT_GT(costs.expected(slt).value, 4e-3) << "as slow, perhaps";
}

TEST(KeyCosts, runNothingThatWaitsForARetryThoughNativeIsSlowMeanwhile) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  const std::size_t ring = costs.armOf(named("ring"));
  costs.noteLoss(named("ring"), 3.0);
  for (int i = 0; i < 100; ++i) costs.observe(kNativeChoice, Seconds{10e-3});
  for (int i = 0; i < 200; ++i) costs.observe(kNativeChoice, Seconds{60e-3});
  ASSERT_GT(costs.probabilityOfLess(ring, KeyCosts::kNative), 0.98);
  EXPECT_EQ(costs.best(KeyCosts::kNative), KeyCosts::kNative);
}

TEST(KeyCosts, waitNoLongerForARetryOfWhatWasGoodAgainSinceItsLatestLoss) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  const std::size_t ring = costs.armOf(named("ring"));
  costs.noteLoss(named("ring"), 3.0);
  EXPECT_EQ(costs.arms()[ring].retry_at, 100);
  costs.noteCalls(101);
  costs.observe(named("ring"), Seconds{0.5e-3});
  measure(costs, 1e-3, 0.5e-3);
  costs.noteLoss(named("ring"), 3.0);
  EXPECT_EQ(costs.arms()[ring].retry_at, 201);
}

TEST(KeyCosts, retryNothingThatWasSlowerThanNativeBeforeItsLoss) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 1.2e-3, 12);
  costs.noteLoss(named("ring"), 3.0);
  EXPECT_LT(costs.arms()[costs.armOf(named("ring"))].retry_at, 0);
}

TEST(KeyCosts, takeATimeOfZeroForAShortOne) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 20; ++i) costs.observe(kNativeChoice, Seconds{i % 2 == 0 ? 0.0 : 1e-3});
  EXPECT_GT(costs.expected(KeyCosts::kNative).value, 0.1e-3);
  EXPECT_TRUE(std::isfinite(costs.expected(KeyCosts::kNative).value));
}

TEST(KeyCosts, doNotBelieveThatCallsTakeNoTimeWhereTheClockSaysSoOfAll) {
  KeyCosts costs = predicted();
  costs.calibrate(Seconds{});
  EXPECT_NEAR(costs.expected(KeyCosts::kNative).value, 1e-3, 1e-9);
  for (int i = 0; i < 500; ++i) {
    costs.observe(kNativeChoice, Seconds{});
    costs.observe(named("ring"), Seconds{});
  }
  EXPECT_GT(costs.expected(KeyCosts::kNative).value, 1e-6);
  EXPECT_GT(costs.expected(costs.armOf(named("ring"))).value, 1e-6);
}

TEST(KeyCosts, ignoreWhatTheyDoNotKnow) {
  KeyCosts costs = predicted();
  EXPECT_FALSE(costs.observe(named("ring_segmented"), Seconds{1.0}));
  EXPECT_FALSE(costs.find(named("ring_segmented")));
  costs.noteTrial(named("ring_segmented"));
  costs.noteLoss(named("ring_segmented"), 5.0);
}

// They take turns in memory that was never touched before.
TEST(KeyCosts, learnLittleFromTheFirstThreeShortCallsThroughSharedMemory) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{20e-6}}, {named("node"), Seconds{10e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{18e-6});
  const std::size_t node = costs.armOf(RowForm{kNodeAlgorithm});
  EXPECT_TRUE(costs.isCold(node));
  for (int i = 0; i < 3; ++i) costs.observe(named("node"), Seconds{40e-6});
  EXPECT_FALSE(costs.isCold(node));
  EXPECT_LT(costs.expected(node).value, 20e-6);
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, plenty());
  EXPECT_GT(std::ranges::count(trials, named("node")), 0) << "what is still unknown is tried again";
  costs.observe(kNativeChoice, Seconds{18e-6});
  EXPECT_TRUE(costs.isCold(node)) << "the caches hold what native needed";
}

KeyCosts nodeAndNative() {
  KeyCosts costs;
  costs.predict({{named("node"), Seconds{10e-6}}});
  for (int i = 0; i < 12; ++i) costs.observe(kNativeChoice, Seconds{30e-6});
  for (int i = 0; i < 12; ++i) costs.observe(named("node"), Seconds{10e-6});
  return costs;
}

// It follows native, and takes up to a hundred times as long because the caches hold what that needed.
TEST(KeyCosts, judgeARetryByTheFirstCallThatTells) {
  for (const double times_native : {3.0, 200.0}) {
    KeyCosts costs = nodeAndNative();
    const std::size_t node = costs.armOf(RowForm{kNodeAlgorithm});
    costs.noteLoss(named("node"), times_native);
    costs.predict({{named("node"), Seconds{12e-6}}});
    costs.noteCalls(10'000);
    for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{30e-6});
    EXPECT_EQ(costs.planTrials(KeyCosts::kNative, plenty()).size(), KeyCosts::kCallsInARow);
    costs.observe(named("node"), Seconds{1e-3});
    for (int i = 0; i < 3; ++i) costs.observe(named("node"), Seconds{10e-6});
    EXPECT_EQ(costs.best(KeyCosts::kNative), node) << times_native;
    EXPECT_LT(costs.expected(node), Seconds{12e-6}) << times_native;
  }
}

// Another site calls native between any two of the calls that are to tell.
void expectNoTrialAfterColdCalls(double cold) {
  KeyCosts costs = nodeAndNative();
  costs.noteLoss(named("node"), 3.0);
  costs.noteCalls(101);
  const auto isTried = [&] {
    const bool is_planned = !costs.planTrials(KeyCosts::kNative, plenty()).empty();
    costs.forgetTrials(0);
    return is_planned;
  };
  EXPECT_TRUE(isTried());
  const double believed = costs.expected(costs.armOf(RowForm{kNodeAlgorithm})).value;
  for (int i = 0; i < 12; ++i) {
    costs.observe(kNativeChoice, Seconds{30e-6});
    costs.observe(named("node"), Seconds{cold}, {}, Seconds{i % 2 == 0 ? 0.0 : 0.7 * cold});
  }
  EXPECT_FALSE(isTried()) << cold;
  EXPECT_GT(costs.arms()[costs.armOf(RowForm{kNodeAlgorithm})].retry_at, 101) << cold;
  EXPECT_NEAR(costs.expected(costs.armOf(RowForm{kNodeAlgorithm})).value, believed, 0.1 * believed) << cold;
}

TEST(KeyCosts, putOffARetryOfWhichNoCallTells) {
  for (const double cold : {12e-6, 150e-6}) expectNoTrialAfterColdCalls(cold);
}

}  // namespace
}  // namespace starling
