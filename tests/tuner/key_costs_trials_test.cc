#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cost_candidates.h"
#include "tuner/key_costs.h"

namespace starling {
namespace {

// A row of which only that is known is worth no trial, however little the prediction says that it takes.
TEST(KeyCostsTrials, tryNothingOfWhichIsOnlyKnownThatItTakesFarLonger) {
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

TEST(KeyCostsTrials, putLittleAtStakeAtOnce) {
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

TEST(KeyCostsTrials, spendNoMoreOnAllTogetherThanIsAllowed) {
  KeyCosts costs;
  costs.predict(
      {{named("ring"), Seconds{0.6e-3}}, {named("slt"), Seconds{0.6e-3}}, {named("direct"), Seconds{0.6e-3}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{1e-3});
  double greatest = 0.0;
  for (const char* row : {"ring", "slt", "direct"})
    greatest = std::max(greatest, costs.excessOf(costs.armOf(named(row)), KeyCosts::kNative));
  const KeyCosts::Allowance allowance{.trials = 6, .calls_to_come = 1e6, .excess = 1.5 * greatest};
  EXPECT_EQ(costs.planTrials(KeyCosts::kNative, allowance).size(), 1U);
}

// Native may have been held up in the calls that were seen of it.
TEST(KeyCostsTrials, lookAgainInTimeAtWhatIsBelievedToCostFarMoreThanMayBeSaved) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{1e-5}}});
  measure(costs, 8e-3, 1e-5, 60);
  const std::size_t ring = costs.armOf(named("ring"));
  ASSERT_GT(costs.excessOf(KeyCosts::kNative, ring), 40.0);
  const KeyCosts::Allowance settled{.trials = 1, .calls_to_come = 100.0, .excess = 20.0, .may_check = true};
  costs.noteCalls(1000);
  EXPECT_TRUE(costs.planTrials(ring, settled).empty()) << "it would take as long as many of these calls";
  costs.noteCalls(20'000'000);
  EXPECT_EQ(std::ranges::count(costs.planTrials(ring, settled), kNativeChoice), 1);
}

TEST(KeyCostsTrials, tryWhatMayBeFasterMostPromisingFirst) {
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

TEST(KeyCostsTrials, tryNoMoreThanIsAllowed) {
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

TEST(KeyCostsTrials, tryNothingThatIsSurelySlower) {
  KeyCosts costs = predicted();
  measure(costs, 0.1e-3, 1e-3, 20);
  for (int i = 0; i < 8; ++i) {
    costs.observe(named("rabenseifner"), Seconds{1.5e-3});
    costs.observe(named("slt"), Seconds{2e-3});
  }
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, plenty()).empty());
}

TEST(KeyCostsTrials, lookNowAndThenAtWhatPromisesNothing) {
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

TEST(KeyCostsTrials, tryNativeOnceWhereItWasNotCalledYetAndOftenerOnceItWas) {
  KeyCosts costs = predicted();
  costs.trust(named("ring"));
  for (int i = 0; i < 4; ++i) costs.observe(named("ring"), Seconds{5e-3});
  const std::size_t ring = costs.armOf(named("ring"));
  std::int64_t planned = 0;
  for (int decision = 0; decision < 2; ++decision) {
    planned += std::ranges::count(costs.planTrials(ring, plenty()), kNativeChoice);
  }
  EXPECT_EQ(planned, 1) << "one call tells whether another is worth it";
  costs.noteTrial(kNativeChoice);
  for (int i = 0; i < 2; ++i) costs.observe(kNativeChoice, Seconds{5e-3});
  for (int decision = 0; decision < 2; ++decision) {
    planned += std::ranges::count(costs.planTrials(ring, plenty()), kNativeChoice);
  }
  EXPECT_EQ(planned, 3) << "so that the test shows something";
}

// A gain is told beside what native takes, which may have become less.
TEST(KeyCostsTrials, lookAtNativeThoughOthersCostLessToLookAt) {
  KeyCosts costs = predicted();
  measure(costs, 4e-3, 0.5e-3, 100);
  for (const char* slower : {"rabenseifner", "slt"}) {
    for (int i = 0; i < 100; ++i) costs.observe(named(slower), Seconds{0.6e-3});
  }
  const std::size_t ring = costs.armOf(named("ring"));
  KeyCosts::Allowance allowance = plenty(1);
  allowance.may_check = true;
  std::vector<int> looks;
  constexpr int kCalls = 20'000;
  for (int call = 0; call < kCalls; ++call) {
    for (const Choice& check : costs.planTrials(ring, allowance)) {
      costs.noteTrial(check);
      costs.observe(check, check == kNativeChoice ? Seconds{4e-3} : Seconds{0.6e-3});
      if (check == kNativeChoice) looks.push_back(call);
    }
    costs.noteCalls(1);
    costs.observe(named("ring"), Seconds{0.5e-3});
  }
  ASSERT_FALSE(looks.empty());
  EXPECT_LT(looks.front(), 3000) << "as soon as a call of seven more is 0.3% of all";
  const double share = static_cast<double>(looks.size()) * 7.0 / kCalls;
  EXPECT_GT(share, 0.002);
  EXPECT_LT(share, 0.0035);
}

TEST(KeyCostsTrials, forgetTrialsThatWereNeverMade) {
  KeyCosts costs = predicted();
  ASSERT_FALSE(costs.planTrials(KeyCosts::kNative, plenty()).empty());
  for (int decision = 0; decision < 6; ++decision) costs.noteDecision();
  EXPECT_FALSE(costs.awaitsTrials());
}

TEST(KeyCostsTrials, waitForTheKeyThatIsToMakeThem) {
  constexpr std::int64_t kPlanner = 1;
  constexpr std::int64_t kOther = 2;
  KeyCosts costs = predicted();
  KeyCosts::Allowance allowance = plenty(1);
  allowance.planner = kPlanner;
  const std::vector<Choice> planned = costs.planTrials(KeyCosts::kNative, allowance);
  ASSERT_EQ(planned.size(), 1U);
  allowance.planner = kOther;
  for (int decision = 0; decision < 20; ++decision) costs.noteDecision(kOther);
  EXPECT_EQ(std::ranges::count(costs.planTrials(KeyCosts::kNative, allowance), planned.front()), 0) << "others do not";
  costs.forgetTrials(kOther);
  EXPECT_TRUE(costs.awaitsTrials());
  costs.forgetTrials(kPlanner);
  EXPECT_FALSE(costs.awaitsTrials());
}

TEST(KeyCostsTrials, waitForNoKeyThatIsNotCalledAnyMore) {
  KeyCosts costs = predicted();
  KeyCosts::Allowance allowance = plenty(1);
  allowance.planner = 1;
  ASSERT_FALSE(costs.planTrials(KeyCosts::kNative, allowance).empty());
  costs.noteCalls(100);
  costs.noteDecision(2);
  EXPECT_TRUE(costs.awaitsTrials());
  costs.noteCalls(100);
  costs.noteDecision(2, 100);
  EXPECT_TRUE(costs.awaitsTrials()) << "of a hundred keys it may be called yet";
  costs.noteDecision(2);
  EXPECT_FALSE(costs.awaitsTrials());
}

TEST(KeyCostsTrials, keepTheRetryOfWhatWasGoodUntilItIsMade) {
  KeyCosts costs = predicted();
  measure(costs, 1e-3, 0.5e-3);
  costs.noteLoss(named("ring"), 3.0);
  costs.noteCalls(101);
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, plenty(0)).empty());
  EXPECT_EQ(costs.planTrials(KeyCosts::kNative, plenty(1)), std::vector<Choice>{named("ring")});
  costs.observe(named("ring"), Seconds{0.5e-3});
  EXPECT_EQ(costs.best(KeyCosts::kNative), costs.find(named("ring")));
}

TEST(KeyCostsTrials, tryTheOtherFormOfARowWhenTheKeyHasSettled) {
  KeyCosts costs;
  costs.predict({{named("slt"), Seconds{1e-3}}, {named("slt:flagged=1"), Seconds{1.01e-3}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{2e-3});
  KeyCosts::Allowance allowance = plenty();
  EXPECT_EQ(costs.planTrials(KeyCosts::kNative, allowance), std::vector{named("slt")});
  for (int i = 0; i < 8; ++i) costs.observe(named("slt"), Seconds{1e-3});
  const std::size_t slt = costs.armOf(named("slt"));
  EXPECT_EQ(std::ranges::count(costs.planTrials(slt, allowance), named("slt:flagged=1")), 0);
  allowance.may_check = true;
  EXPECT_EQ(std::ranges::count(costs.planTrials(slt, allowance), named("slt:flagged=1")), 1);
}

// What made it slow may pass, and nothing else would tell.
TEST(KeyCostsTrials, lookAtWhatWasGoodAfterTwiceAsManyCallsEachTime) {
  KeyCosts costs = predicted();
  measure(costs, 2e-3, 0.5e-3, 12);
  for (int i = 0; i < 12; ++i) costs.observe(named("rabenseifner"), Seconds{1e-3});
  for (int i = 0; i < 12; ++i) costs.observe(named("ring"), Seconds{3e-3});
  const std::size_t ring = costs.armOf(named("ring"));
  const std::size_t chosen = costs.armOf(named("rabenseifner"));
  costs.noteReplaced(ring);
  std::vector<int> looks;
  for (int call = 1; call <= 200; ++call) {
    costs.noteCalls(1);
    costs.observe(named("rabenseifner"), Seconds{1e-3});
    costs.noteDecision();
    const std::vector<Choice> trials = costs.planTrials(chosen, {.trials = 1, .calls_to_come = 0.0, .excess = 4.0});
    if (std::ranges::count(trials, named("ring")) == 0) continue;
    looks.push_back(call);
    costs.noteTrial(named("ring"));
    costs.observe(named("ring"), Seconds{3e-3});
  }
  EXPECT_EQ(looks, (std::vector{16, 48, 112}));
}

TEST(KeyCostsTrials, lookAtNothingThatRunsAgainOrWaitsForARetry) {
  for (const bool is_stopped : {false, true}) {
    KeyCosts costs = predicted();
    measure(costs, 2e-3, 0.5e-3, 12);
    for (int i = 0; i < 12; ++i) costs.observe(named("rabenseifner"), Seconds{1e-3});
    const std::size_t ring = costs.armOf(named("ring"));
    const std::size_t other = costs.armOf(named("rabenseifner"));
    costs.noteReplaced(ring);
    if (is_stopped)
      costs.noteLoss(named("ring"), 10.0);
    else
      static_cast<void>(costs.planTrials(ring, {.trials = 1}));  // it is the choice again
    costs.noteCalls(20);
    const std::vector<Choice> trials = costs.planTrials(other, {.trials = 1, .calls_to_come = 0.0, .excess = 20.0});
    EXPECT_EQ(std::ranges::count(trials, named("ring")), 0) << is_stopped;
  }
}

TEST(KeyCostsTrials, checkNothingThatWaitsForARetry) {
  KeyCosts costs = predicted();
  measure(costs, 2e-3, 0.5e-3, 12);
  for (int i = 0; i < 12; ++i) costs.observe(named("rabenseifner"), Seconds{1e-3});
  costs.noteLoss(named("ring"), 1000.0);
  for (int i = 0; i < 12; ++i) costs.observe(named("rabenseifner"), Seconds{2.2e-3});
  costs.disable(named("slt"));
  const KeyCosts::Allowance allowance{.trials = 1, .excess = 1e9, .may_check = true};
  std::int64_t checks = 0;
  for (int decision = 0; decision < 40; ++decision) {
    costs.noteCalls(1000);
    costs.noteDecision();
    for (const Choice& check : costs.planTrials(KeyCosts::kNative, allowance)) {
      EXPECT_NE(check, named("ring")) << decision;
      costs.noteTrial(check);
      costs.observe(check, Seconds{2.2e-3});
      ++checks;
    }
  }
  EXPECT_GT(checks, 0) << "so that the test shows something";
}

TEST(KeyCostsTrials, leaveFirstTrialsToOthers) {
  KeyCosts costs = predicted();
  KeyCosts::Allowance allowance = plenty();
  allowance.is_left_to_others = [](const RowForm& row) { return row == formOf(named("ring")); };
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, allowance);
  EXPECT_FALSE(trials.empty());
  EXPECT_EQ(std::ranges::count(trials, named("ring")), 0);
  EXPECT_TRUE(costs.awaitsOthers());
  costs.hear({.row = formOf(named("ring")), .off = 0.0, .deviation = 0.05}, 0);
  EXPECT_EQ(std::ranges::count(costs.planTrials(KeyCosts::kNative, plenty()), named("ring")), 1)
      << "nobody else is about to";
  EXPECT_FALSE(costs.awaitsOthers());
}

// Of which the first three tell little.
TEST(KeyCostsTrials, tryShortCallsThroughSharedMemorySeveralTimesInARow) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{2e-6}}, {named("node"), Seconds{1e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{1.5e-6});
  const std::vector<Choice> trials = costs.planTrials(KeyCosts::kNative, plenty());
  EXPECT_EQ(std::ranges::count(trials, named("node")), 4);
  const std::size_t node = costs.armOf(RowForm{kNodeAlgorithm});
  for (int i = 0; i < 3; ++i) costs.observe(named("node"), Seconds{4e-6});
  EXPECT_LT(costs.expected(node).value, 2.5e-6) << "they were cold";
  for (int i = 0; i < 2; ++i) costs.observe(named("node"), Seconds{0.5e-6});
  EXPECT_NEAR(costs.expected(node).value, 0.5e-6, 0.1e-6);
  EXPECT_EQ(costs.best(KeyCosts::kNative), node);
}

// What native takes beside `node` is known from calls that follow each other, as they would without Starling.
TEST(KeyCostsTrials, lookAtShortCallsOfNativeSeveralTimesInARow) {
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
    EXPECT_EQ(std::ranges::count(trials, kNativeChoice), has_memory ? 4 : 1);
    costs.observe(kNativeChoice, Seconds{1.5e-6});
    EXPECT_FALSE(costs.isCold(KeyCosts::kNative));
  }
}

TEST(KeyCostsTrials, lookAtLongerCallsOfNativeOnce) {
  KeyCosts costs;
  costs.predict({{named("node"), Seconds{10e-6}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{30e-6});
  costs.observe(named("node"), Seconds{10e-6});
  EXPECT_FALSE(costs.isCold(KeyCosts::kNative));
}

TEST(KeyCostsTrials, tryLongCallsThroughSharedMemoryOnce) {
  KeyCosts costs;
  costs.predict({{named("ring"), Seconds{20e-3}}, {named("node"), Seconds{10e-3}}});
  for (int i = 0; i < 8; ++i) costs.observe(kNativeChoice, Seconds{15e-3});
  EXPECT_EQ(std::ranges::count(costs.planTrials(KeyCosts::kNative, plenty()), named("node")), 1);
}

// Native has become this fast.
int trialsOfNative(double now) {
  KeyCosts costs = predicted();
  measure(costs, 2e-3, 1e-3, 12);
  costs.noteCalls(24);
  const std::size_t ring = costs.armOf(named("ring"));
  const KeyCosts::Allowance nothing{.trials = 1, .may_check = true};
  int trials = 1;
  for (bool is_tried = true; is_tried && trials < 20; ++trials) {
    costs.observe(kNativeChoice, Seconds{now});
    costs.noteTrial(kNativeChoice);
    costs.noteTried(KeyCosts::kNative, Seconds{now}, ring);
    costs.observe(named("ring"), Seconds{1e-3});
    if (costs.best(ring) == KeyCosts::kNative) return trials;
    is_tried = std::ranges::count(costs.planTrials(ring, nothing), kNativeChoice) == 1;
    EXPECT_EQ(std::ranges::count(costs.planTrials(ring, nothing), kNativeChoice), 0) << "one is under way";
  }
  return 0;
}

TEST(KeyCostsTrials, confirmAtOnceATrialThatWasFasterThanIsBelieved) {
  const int trials = trialsOfNative(0.6e-3);
  EXPECT_GT(trials, 1) << "one call is not enough to be believed";
  EXPECT_LE(trials, 6);
  EXPECT_EQ(trialsOfNative(0.95e-3), 0) << "too little to tell";
  EXPECT_EQ(trialsOfNative(2e-3), 0) << "as ever";
}

// What is never believed, because each call was disturbed, say, is not tried for good.
TEST(KeyCostsTrials, confirmATrialFourTimesInARowAtMost) {
  KeyCosts costs = predicted();
  measure(costs, 2e-3, 1e-3, 12);
  const std::size_t ring = costs.armOf(named("ring"));
  int trials = 0;
  for (int call = 0; call < 10; ++call) {
    costs.noteTried(KeyCosts::kNative, Seconds{0.6e-3}, ring);
    for (const Choice& trial : costs.planTrials(ring, {.trials = 1, .may_check = true})) {
      trials += trial == kNativeChoice ? 1 : 0;
      costs.noteTrial(trial);
    }
  }
  EXPECT_EQ(trials, 4);
}

TEST(KeyCostsTrials, saysWhatTheyPromise) {
  KeyCosts costs = predicted();
  for (int i = 0; i < 4; ++i) costs.observe(kNativeChoice, Seconds{1.2e-3});
  EXPECT_FALSE(costs.planTrials(KeyCosts::kNative, plenty()).empty());
  EXPECT_GT(costs.promise(), 50.0) << "of 1000 calls";
  EXPECT_TRUE(costs.planTrials(KeyCosts::kNative, {.trials = 0}).empty());
  EXPECT_EQ(costs.promise(), 0.0);
}

}  // namespace
}  // namespace starling
