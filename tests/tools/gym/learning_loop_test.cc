// What tests/tuner sees of the loop only through the tuner.
#include "learning_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>

#include "call_summaries.h"

namespace starling::gym {
namespace {

constexpr Signature kSignature{.count = 1024, .element_size = 8};
constexpr std::int32_t kRanks = 4;

// Of such a call, of which the last rank comes `late` after the others.
CallSummary summaryOfCall(Seconds took, Seconds late = {}) {
  std::vector<Seconds> arrivals(kRanks);
  arrivals.back() = late;
  return summaryOf(arrivals, std::vector<Seconds>(kRanks, late + took));
}

TunerSettings settings() {
  TunerSettings settings;
  settings.model = {.alpha = {2e-6}, .beta = 1e-9, .gamma = 1e-10, .ports = 1, .overhead = {6e-7}};
  return settings;
}

// Makes a call, in which native takes three times as long as anything else, or as `others_take` says.
LearningLoop::NextCall call(LearningLoop& loop, LocalSite line = 1, Seconds others_take = {1e-4}, Seconds late = {}) {
  const LearningLoop::NextCall next = loop.begin(line, kSignature);
  const Seconds took = next.planned.choice == kNativeChoice ? Seconds{3e-4} : others_take;
  loop.end(next.isTimed() ? std::optional(summaryOfCall(took, late)) : std::nullopt);
  return next;
}

TEST(LearningLoop, endsItsFirstEpochAfterTheFewestCalls) {
  TunerSettings few = settings();
  few.options.minimum_calls = 5;
  LearningLoop loop(kRanks, few);
  for (int i = 0; i < 4; ++i) call(loop);
  EXPECT_TRUE(loop.epochLengths().empty());
  call(loop);
  EXPECT_EQ(loop.epochLengths(), std::vector<std::int32_t>{5});
}

// A communicator of a shape of which another one has learned what is fastest.
class SecondOfItsShape : public testing::Test {
 protected:
  SecondOfItsShape() {
    LearningLoop first(kRanks, settings_);
    for (int i = 0; i < 60; ++i) call(first);
    learned_ = first.tuner().key(0).plan().incumbent;
    EXPECT_NE(learned_, kNativeChoice);
  }

  const TunerSettings settings_ = settings();
  Choice learned_;
};

TEST_F(SecondOfItsShape, runsWhatTheFirstHasLearnedFromItsFirstCallOn) {
  LearningLoop second(kRanks, settings_, {}, true);
  for (int i = 0; i < 20; ++i) {
    const LearningLoop::NextCall next = second.begin(1, kSignature);
    const bool runs_what_is_learned = next.planned.choice == learned_;
    EXPECT_TRUE(runs_what_is_learned || next.planned.exploration) << "call " << i;
    // Were others as fast, they would be as good a choice.
    const Seconds took{runs_what_is_learned ? 1e-4 : 2e-4};
    second.end(next.isTimed() ? std::optional(summaryOfCall(took)) : std::nullopt);
  }
  EXPECT_EQ(second.epochLengths().front(), 1);
}

TEST_F(SecondOfItsShape, knowsTheGainThoughItHasNotCalledNative) {
  LearningLoop second(kRanks, settings_, {}, true);
  for (int i = 0; i < 16; ++i) ASSERT_NE(call(second).planned.choice, kNativeChoice);
  const KeyTuner& key = second.tuner().key(0);
  EXPECT_NEAR(key.gain().value(), 3.0, 2.0 * key.gainError().value());
  EXPECT_LT(key.gainError().value(), 0.6);
}

TEST_F(SecondOfItsShape, leavesNativeToOthersWhereTheShapeIsNotTheSame) {
  LearningLoop second(2 * kRanks, settings_, {}, true);
  EXPECT_EQ(second.begin(1, kSignature).planned.choice, kNativeChoice);
}

TEST_F(SecondOfItsShape, stopsWhatIsSlowThereAndNobodyIsToldOfItAgain) {
  const Seconds slow{3e-3};
  LearningLoop second(kRanks, settings_, {}, true);
  int slow_calls = 0;
  for (int i = 0; i < 20; ++i) slow_calls += call(second, 1, slow).planned.choice == learned_ ? 1 : 0;
  EXPECT_GE(slow_calls, CallLimit::kSlowCalls);
  EXPECT_LE(slow_calls, 2 * (CallLimit::kSlowCalls + 1)) << "until that is judged, and by a plan that was under way";
  EXPECT_NE(LearningLoop(kRanks, settings_, {}, true).begin(1, kSignature).planned.choice, learned_);
}

TEST_F(SecondOfItsShape, isToldNothingWhereTheUserHasChosen) {
  TunerSettings forced = settings_;
  forced.options.algorithm = "ring";
  EXPECT_TRUE(CommunicatorTuner(forced, kRanks).foretell().updates.empty());
  TunerSettings reproducible = settings_;
  reproducible.options.reproducible = true;
  EXPECT_TRUE(CommunicatorTuner(reproducible, kRanks).foretell().updates.empty());
  TunerSettings observing = settings_;
  observing.options.mode = Mode::kObserve;
  EXPECT_TRUE(CommunicatorTuner(observing, kRanks).foretell().updates.empty());
  EXPECT_EQ(CommunicatorTuner(settings_, kRanks).foretell().updates.size(), 1U);
}

TEST(LearningLoop, knowsWhoIsLateAtASiteOfAnotherCommunicator) {
  const Seconds late{5e-3};
  const TunerSettings shared = settings();
  LearningLoop first(kRanks, shared);
  for (int i = 0; i < 60; ++i) call(first, 1, {1e-4}, late);
  LearningLoop second(kRanks, shared, {}, true);
  for (int i = 0; i < 3; ++i) call(second, 1, {1e-4}, late);
  ASSERT_EQ(second.keys().size(), 1);
  const TrackedArrivals& arrivals = second.tuner().key(0).arrivals();
  EXPECT_GT(arrivals.observations(), 4) << "with those of the first";
  EXPECT_NEAR(arrivals.entries().back().predicted.value, late.value, 1e-6);
  EXPECT_LE(arrivals.entries().front().seen.count(), 3) << "what is recorded is of its own calls";
}

TEST(LearningLoop, foretellsHowRanksAreArrangedNow) {
  const TunerSettings shared = settings();
  LearningLoop first(kRanks, shared);
  for (int i = 0; i < 60; ++i) call(first);
  EXPECT_TRUE(CommunicatorTuner(shared, kRanks).foretell().updates.at(0).plan.placed.empty());
  for (int i = 0; i < 200; ++i) call(first, 1, {1e-4}, {5e-3});
  ASSERT_FALSE(first.keys().entry(0).plan.placed.empty());
  const KeyPlan foretold = CommunicatorTuner(shared, kRanks).foretell().updates.at(0).plan;
  EXPECT_EQ(foretold.placed, first.keys().entry(0).plan.placed);
  EXPECT_EQ(foretold.limit.known, 0);
}

TEST(LearningLoop, hasEachCallInOneEpoch) {
  LearningLoop loop(kRanks, settings());
  for (int i = 1; i <= 500; ++i) {
    call(loop);
    const std::vector<std::int32_t>& lengths = loop.epochLengths();
    EXPECT_LE(std::accumulate(lengths.begin(), lengths.end(), 0), i);
  }
  for (const std::int32_t length : loop.epochLengths()) EXPECT_GT(length, 0);
}

TEST(LearningLoop, hasNoPlanBeforeAnEpochHasPassedAfterTheOneThatTaughtIt) {
  LearningLoop loop(kRanks, settings());
  while (loop.epochLengths().empty()) EXPECT_EQ(call(loop).planned.choice, kNativeChoice);
  EXPECT_EQ(loop.updates(), 0);
  while (loop.epochLengths().size() < 2) {
    EXPECT_EQ(call(loop).planned.choice, kNativeChoice);
    EXPECT_TRUE(loop.epochLengths().size() == 2 || loop.updates() == 0);
  }
  for (int i = 0; i < 500; ++i) call(loop);
  EXPECT_GT(loop.updates(), 0);
  EXPECT_NE(call(loop).planned.choice, kNativeChoice);
}

TEST(LearningLoop, stampsAllCallsOfAnEpochThatHasNoMoreThanItMay) {
  TunerSettings short_epoch = settings();
  short_epoch.options.minimum_calls = 6;
  short_epoch.samples_per_epoch = 6;
  LearningLoop loop(kRanks, short_epoch);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(call(loop).is_stamped);
}

TEST(LearningLoop, stampsACallOfEachEqualStretchAtAPlaceThatChanges) {
  TunerSettings long_epoch = settings();
  long_epoch.options.minimum_calls = 2000;
  long_epoch.samples_per_epoch = 50;
  LearningLoop loop(kRanks, long_epoch);
  std::set<int> places;
  for (int stretch = 0; stretch < 50; ++stretch) {
    int stamped = 0;
    for (int place = 0; place < 40; ++place) {
      if (!call(loop).is_stamped) continue;
      ++stamped;
      places.insert(place);
    }
    EXPECT_EQ(stamped, 1);
  }
  // Else of a program with a rhythm of 40 calls the same one would be stamped each time.
  EXPECT_GT(places.size(), 10U);
}

TEST(LearningLoop, stampsCallsOfEveryKeyOfManyInTurn) {
  constexpr int kKeys = 40;
  LearningLoop loop(kRanks, settings());
  std::array<int, kKeys> stamped{};
  for (int i = 0; i < 4000; ++i)
    stamped[static_cast<std::size_t>(i % kKeys)] += call(loop, i % kKeys).is_stamped ? 1 : 0;
  for (const int calls : stamped) EXPECT_GT(calls, 0);
}

TEST(LearningLoop, needsTheStampsOfTimedCalls) {
  LearningLoop loop(kRanks, settings());
  ASSERT_TRUE(loop.begin(1, kSignature).is_stamped);
  EXPECT_THROW(loop.end(std::nullopt), std::bad_optional_access);
}

TEST(LearningLoop, runsNativeWhereACallMayNotBeTuned) {
  LearningLoop loop(kRanks, settings());
  for (int i = 0; i < 300; ++i) {
    const LearningLoop::NextCall next = loop.begin(1, kSignature, false);
    EXPECT_EQ(next.planned.choice, kNativeChoice);
    loop.end(next.isTimed() ? std::optional(summaryOfCall({3e-4})) : std::nullopt);
  }
}

TEST(LearningLoop, learnsForEachSiteApart) {
  LearningLoop loop(kRanks, settings());
  for (int i = 0; i < 300; ++i) call(loop, 1 + i % 2);
  EXPECT_GE(loop.keys().size(), 2);
}

TEST(LearningLoop, doesTheSameAgain) {
  LearningLoop first(kRanks, settings());
  LearningLoop second(kRanks, settings());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(call(first).planned.choice, call(second).planned.choice);
  EXPECT_EQ(first.epochLengths(), second.epochLengths());
  EXPECT_EQ(first.updates(), second.updates());
}

}  // namespace
}  // namespace starling::gym
